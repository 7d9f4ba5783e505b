//: wrap pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait needs uses picks
/* Barriers. A thread waits out of the C library's sight, so that the turn can be handed on. */
struct raddle_barrier {
    void *at;
    unsigned count;
    int arrived, round;
    struct raddle_thread *members[RADDLE_COUNT(raddle_threads)];
};
static struct raddle_barrier raddle_barriers[64];
static char raddle_rounds[4096];
static int raddle_round_count, raddle_barriers_lock;

RADDLE_QUIET static struct raddle_barrier *raddle_barrier_at(void *at)
{
    for (int i = 0; i < RADDLE_COUNT(raddle_barriers); i++) {
        struct raddle_barrier *b = &raddle_barriers[i];
        if (b->at == at || !b->at) {
            b->at = at;
            return b;
        }
    }
    raddle_lost("there are too many barriers");
    return NULL;
}

/* Lets all through, in the order of the threads' numbers; `serial` is the place of the one that is told so. */
RADDLE_QUIET static void raddle_complete(struct raddle_barrier *b, int serial)
{
    for (int i = 0; i < b->arrived; i++) {
        int before = 0;
        for (int j = 0; j < b->arrived; j++)
            before += b->members[j]->number < b->members[i]->number;
        b->members[i]->serial = before == serial;
        RADDLE_STORE(&b->members[i]->through, 1);
    }
    b->arrived = 0;
    b->round = raddle_round_count = (raddle_round_count + 1) % RADDLE_COUNT(raddle_rounds);
}

extern int __real_pthread_barrier_init(void *barrier, const void *how, unsigned count);
extern int __real_pthread_barrier_destroy(void *barrier);
extern int __real_pthread_barrier_wait(void *barrier);
RADDLE_QUIET int __wrap_pthread_barrier_init(void *barrier, const void *how, unsigned count)
{
    raddle_renews(barrier, RADDLE_CALLER);
    struct raddle_barrier *b = raddle_barrier_at(barrier);
    b->count = count;
    b->arrived = 0;
    __attribute__((musttail)) return __real_pthread_barrier_init(barrier, how, count);
}

RADDLE_QUIET int __wrap_pthread_barrier_destroy(void *barrier)
{
    raddle_renews(barrier, RADDLE_CALLER);
    raddle_barrier_at(barrier)->count = 0;
    __attribute__((musttail)) return __real_pthread_barrier_destroy(barrier);
}

RADDLE_QUIET int __wrap_pthread_barrier_wait(void *barrier)
{
    enum { SERIAL_THREAD = -1 };
    struct raddle_thread *me = raddle_self;
    if (!me)
        return __real_pthread_barrier_wait(barrier);
    raddle_uses(barrier, RADDLE_CALLER);
    int pick = raddle_pick();
    while (__atomic_test_and_set(&raddle_barriers_lock, __ATOMIC_ACQUIRE))
        ;
    struct raddle_barrier *b = raddle_barrier_at(barrier);
    if (!b->count && pick >= 0) {
        /* One that the test has made: for how many threads it is was chosen with the first arrival. */
        b->count = (unsigned)pick + 2;
        pick = -1;
    }
    int round = b->round;
    b->members[b->arrived++] = me;
    __tsan_release(&raddle_rounds[round]);
    if ((unsigned)b->arrived == b->count)
        raddle_complete(b, pick < 0 ? 0 : pick);
    __atomic_clear(&raddle_barriers_lock, __ATOMIC_RELEASE);
    if (!RADDLE_LOAD(&me->through) && raddle_concurrent && !raddle_alone && !RADDLE_LOAD(&raddle_released)) {
        raddle_leave(me, RADDLE_AT_BARRIER);
        raddle_await_turn(me);
    }
    while (!RADDLE_LOAD(&me->through))
        raddle_usleep(1000);
    me->status = RADDLE_RUNNING;
    RADDLE_STORE(&me->through, 0);
    __tsan_acquire(&raddle_rounds[round]);
    return me->serial ? SERIAL_THREAD : 0;
}
