//: part uses needs told
/* ThreadSanitizer does not see all of these objects' uses: reads of the first byte, and writes where they begin or end. */
extern void __tsan_read1_pc(const void *at, void *pc);
RADDLE_QUIET static void raddle_uses(const void *object, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    __tsan_read1_pc(object, pc);
}
RADDLE_QUIET static void raddle_renews(const void *object, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, pc);
    __tsan_write1_pc(object, pc);
}

//: part semaphores needs uses picks limits errors sem_wait sem_trywait sem_timedwait sem_getvalue
/* Semaphores. The schedule knows who gets through; one of a data structure that the test has made counts 0. */
extern int __real_sem_wait(void *semaphore);
extern int __real_sem_trywait(void *semaphore);
extern int __real_sem_timedwait(void *semaphore, const void *limit);
extern int __real_sem_getvalue(void *semaphore, int *value);
/* What such a semaphore has been said to count more, once its value was asked for. */
enum { RADDLE_COUNTED = 8 };
static struct { void *semaphore; int more; } raddle_counted[RADDLE_COUNTED];
RADDLE_QUIET static int *raddle_more(void *semaphore)
{
    int i = 0;
    while (i < RADDLE_COUNTED - 1 && raddle_counted[i].semaphore && raddle_counted[i].semaphore != semaphore)
        i++;
    raddle_counted[i].semaphore = semaphore;
    return &raddle_counted[i].more;
}
RADDLE_QUIET static void raddle_take_more(void *semaphore)
{
    int *more = raddle_more(semaphore);
    if (*more > 0)
        --*more;
    __tsan_acquire(semaphore);
}

//: wrap sem_wait needs semaphores
RADDLE_QUIET int __wrap_sem_wait(void *semaphore)
{
    /* It may turn out that there is nothing to take, and the call waits. */
    do
        raddle_uses(semaphore, RADDLE_CALLER);
    while (raddle_pick() == 1);
    if (!raddle_is_step_taken())
        return __real_sem_wait(semaphore);
    if (__real_sem_trywait(semaphore))
        raddle_take_more(semaphore);
    return 0;
}

//: part semaphores
RADDLE_QUIET static int raddle_try_semaphore(void *semaphore, int error)
{
    int pick = raddle_pick();
    if (pick != 1 && __real_sem_trywait(semaphore) == 0)
        return 0;
    if (pick == 0 || (pick < 0 && *raddle_more(semaphore) > 0)) {
        raddle_take_more(semaphore);
        return 0;
    }
    *raddle_errno() = error;
    return -1;
}

//: wrap sem_trywait needs semaphores
RADDLE_QUIET int __wrap_sem_trywait(void *semaphore)
{
    raddle_uses(semaphore, RADDLE_CALLER);
    return raddle_try_semaphore(semaphore, RADDLE_EAGAIN);
}

//: wrap sem_timedwait needs semaphores
RADDLE_QUIET int __wrap_sem_timedwait(void *semaphore, const void *limit)
{
    raddle_uses(semaphore, RADDLE_CALLER);
    if (!raddle_is_step_taken() || raddle_is_late(limit) == RADDLE_EINVAL)
        return __real_sem_timedwait(semaphore, limit);
    return raddle_try_semaphore(semaphore, RADDLE_ETIMEDOUT);
}

//: wrap sem_getvalue needs semaphores
extern void __tsan_write4_pc(void *at, void *pc);
RADDLE_QUIET int __wrap_sem_getvalue(void *semaphore, int *value)
{
    int now;
    raddle_uses(semaphore, RADDLE_CALLER);
    int error = __real_sem_getvalue(semaphore, &now), pick = raddle_pick();
    if (pick > 0)
        *raddle_more(semaphore) = pick;
    now += *raddle_more(semaphore);
    raddle_result(value, sizeof now, RADDLE_CALLER);
    *value = now;
    return error;
}

//: wrap sem_post needs uses
extern int __real_sem_post(void *semaphore);
RADDLE_QUIET int __wrap_sem_post(void *semaphore)
{
    raddle_uses(semaphore, RADDLE_CALLER);
    __attribute__((musttail)) return __real_sem_post(semaphore);
}
//: wrap sem_destroy needs uses
extern int __real_sem_destroy(void *semaphore);
RADDLE_QUIET int __wrap_sem_destroy(void *semaphore)
{
    raddle_renews(semaphore, RADDLE_CALLER);
    __attribute__((musttail)) return __real_sem_destroy(semaphore);
}
//: wrap sem_init needs uses
extern int __real_sem_init(void *semaphore, int shared, unsigned value);
RADDLE_QUIET int __wrap_sem_init(void *semaphore, int shared, unsigned value)
{
    raddle_renews(semaphore, RADDLE_CALLER);
    __attribute__((musttail)) return __real_sem_init(semaphore, shared, value);
}
