//: part spin needs pthread_spin_init locks
/* A free spin lock is no zero. Those of a data structure that the test has made are initialised when they are first used. */
extern int __real_pthread_spin_init(void *lock, int shared);
RADDLE_QUIET static void raddle_know_spin(void *lock)
{
    static void *known[64];
    static int count;
    int found = raddle_runs_main;
    for (int i = 0; i < count; i++)
        found |= known[i] == lock;
    if (!found && count < RADDLE_COUNT(known)) {
        known[count++] = lock;
        __real_pthread_spin_init(lock, 0);
    }
}

//: wrap pthread_spin_init needs spin
RADDLE_QUIET int __wrap_pthread_spin_init(void *lock, int shared)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER);
    raddle_know_spin(lock);
    __attribute__((musttail)) return __real_pthread_spin_init(lock, shared);
}

//: part spin
#define RADDLE_ON_SPIN(name) \
    extern int __real_##name(void *lock); \
    RADDLE_QUIET int __wrap_##name(void *lock) \
    { \
        raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER); \
        raddle_know_spin(lock); \
        __attribute__((musttail)) return __real_##name(lock); \
    }
//: each needs spin
RADDLE_ON_SPIN(pthread_spin_lock)
RADDLE_ON_SPIN(pthread_spin_trylock)
RADDLE_ON_SPIN(pthread_spin_unlock)
RADDLE_ON_DESTROY(pthread_spin_destroy)
