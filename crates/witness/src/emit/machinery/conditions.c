//: part conditions needs pthread_mutex_lock pthread_mutex_unlock picks
/* Conditions. While the schedule lasts, a wait is an unlock and, when its turn comes, a lock: the schedule knows who
 * wakes. A thread that still waits in the end goes on waiting for real. */

//: part picks
/* Whether the schedule says what the call does that has just come by. */
RADDLE_QUIET static int raddle_is_step_taken(void)
{
    return raddle_self && raddle_self->granted >= 0 && !RADDLE_LOAD(&raddle_released);
}

/* What the environment chose in the course of the step; -1 where it had no choice. */
RADDLE_QUIET static int raddle_pick(void)
{
    return raddle_is_step_taken() ? raddle_schedule[raddle_self->granted].pick : -1;
}

//: part conditions
/* 1: woken, by a signal or spuriously; 0: its time is over; -1: it has not happened, and the real call is to wait. */
RADDLE_QUIET static int raddle_wait_step(void *condition, void *mutex, int timed, void *pc)
{
    struct raddle_thread *me = raddle_self;
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    int woken = -1;
    if (me && raddle_concurrent && !raddle_alone && !RADDLE_LOAD(&raddle_released)) {
        /* One that is to wake up spuriously leaves at once. */
        int leaves = raddle_pick() == 1;
        me->condition = leaves ? NULL : condition;
        me->signalled = 0;
        __real_pthread_mutex_unlock(mutex);
        raddle_action(RADDLE_WAKE, 0, pc);
        me->condition = NULL;
        woken = me->granted == -1 && !me->signalled ? -1 : me->signalled || raddle_pick() == 1;
        /* One that nobody woke takes the mutex in a step of its own. */
        if (timed && raddle_is_step_taken() && !me->signalled)
            raddle_action(RADDLE_CALL, 0, pc);
        __real_pthread_mutex_lock(mutex);
    }
    return woken;
}

//: part waits needs conditions pthread_cond_wait
extern int __real_pthread_cond_wait(void *condition, void *mutex);
RADDLE_QUIET static int raddle_wait(void *condition, void *mutex, void *pc)
{
    return raddle_wait_step(condition, mutex, 0, pc) < 0 ? __real_pthread_cond_wait(condition, mutex) : 0;
}

//: part signals needs picks
/* Notes whom a signal reaches: the waiter that the environment picked, in the threads' order, or all. */
RADDLE_QUIET static void raddle_signal(void *condition, int all, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    int pick = raddle_pick();
    for (int i = 0; i < raddle_thread_count; i++) {
        struct raddle_thread *t = &raddle_threads[i];
        if (t->condition != condition || t->signalled || (!all && pick-- > 0))
            continue;
        t->signalled = 1;
        if (!all)
            break;
    }
}

//: wrap pthread_cond_wait needs waits
RADDLE_QUIET int __wrap_pthread_cond_wait(void *condition, void *mutex)
{
    return raddle_wait(condition, mutex, RADDLE_CALLER);
}

//: wrap pthread_cond_signal needs signals
extern int __real_pthread_cond_signal(void *condition);
RADDLE_QUIET int __wrap_pthread_cond_signal(void *condition)
{
    raddle_signal(condition, 0, RADDLE_CALLER);
    return __real_pthread_cond_signal(condition);
}

//: wrap pthread_cond_broadcast needs signals
extern int __real_pthread_cond_broadcast(void *condition);
RADDLE_QUIET int __wrap_pthread_cond_broadcast(void *condition)
{
    raddle_signal(condition, 1, RADDLE_CALLER);
    return __real_pthread_cond_broadcast(condition);
}
