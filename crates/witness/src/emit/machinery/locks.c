//: part locks needs told
/* Mutexes and read-write locks. Locking reads the object, initialising and destroying writes it. */
#define RADDLE_ON_LOCK(name) \
    RADDLE_HOOK(int, name, (void *lock), (lock), RADDLE_CALL | RADDLE_READ, 0)
#define RADDLE_ON_INIT(name) \
    RADDLE_HOOK(int, name, (void *lock, const void *how), (lock, how), RADDLE_CALL | RADDLE_WRITE, 0)
/* ThreadSanitizer overlooks that a lock in freed memory is destroyed. It sees the write that this is. */
#define RADDLE_ON_DESTROY(name) \
    extern int __real_##name(void *lock); \
    RADDLE_QUIET int __wrap_##name(void *lock) \
    { \
        raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER); \
        __tsan_write1_pc(lock, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##name(lock); \
    }

//: each needs locks
RADDLE_ON_INIT(pthread_mutex_init)
RADDLE_ON_DESTROY(pthread_mutex_destroy)
RADDLE_ON_LOCK(pthread_mutex_lock)
RADDLE_ON_LOCK(pthread_mutex_trylock)
RADDLE_ON_LOCK(pthread_mutex_unlock)
RADDLE_ON_INIT(pthread_rwlock_init)
RADDLE_ON_DESTROY(pthread_rwlock_destroy)
RADDLE_ON_LOCK(pthread_rwlock_rdlock)
RADDLE_ON_LOCK(pthread_rwlock_wrlock)
RADDLE_ON_LOCK(pthread_rwlock_tryrdlock)
RADDLE_ON_LOCK(pthread_rwlock_trywrlock)
RADDLE_ON_LOCK(pthread_rwlock_unlock)
RADDLE_ON_INIT(pthread_cond_init)
RADDLE_ON_DESTROY(pthread_cond_destroy)
