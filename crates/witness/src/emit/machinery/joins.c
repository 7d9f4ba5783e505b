//: wrap pthread_tryjoin_np pthread_timedjoin_np needs picks limits errors
/* Joins that do not wait for good. */
extern int __real_pthread_tryjoin_np(unsigned long thread, void **result);
extern int __real_pthread_timedjoin_np(unsigned long thread, void **result, const void *limit);
RADDLE_QUIET static int raddle_try_join(unsigned long handle, void **result, int late, void *pc)
{
    int ended = 0;
    for (int i = 0; i < raddle_thread_count; i++)
        ended |= raddle_threads[i].handle == handle && raddle_threads[i].status == RADDLE_ENDED;
    return !ended || raddle_pick() == 1 ? late : raddle_join(handle, result, sizeof *result, pc);
}

RADDLE_QUIET int __wrap_pthread_tryjoin_np(unsigned long handle, void **result)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    if (!raddle_is_step_taken())
        return __real_pthread_tryjoin_np(handle, result);
    return raddle_try_join(handle, result, RADDLE_EBUSY, RADDLE_CALLER);
}

RADDLE_QUIET int __wrap_pthread_timedjoin_np(unsigned long handle, void **result, const void *limit)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    if (!raddle_is_step_taken())
        return __real_pthread_timedjoin_np(handle, result, limit);
    return raddle_try_join(handle, result, limit ? raddle_is_late(limit) : RADDLE_ETIMEDOUT, RADDLE_CALLER);
}
