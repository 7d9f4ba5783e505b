//: part keys needs pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific
/* Thread-specific data. The test calls the destructors itself, before the thread is over to the schedule. */
static struct { unsigned key; void (*destructor)(void *); } raddle_keys[64];
static int raddle_key_count;
extern int __real_pthread_key_create(unsigned *key, void (*destructor)(void *));
extern int __real_pthread_key_delete(unsigned key);
extern void *__real_pthread_getspecific(unsigned key);
extern int __real_pthread_setspecific(unsigned key, const void *value);

RADDLE_QUIET static int raddle_create_key(unsigned *key, void (*destructor)(void *), void *pc)
{
    unsigned made = 0;
    if (!raddle_self)
        return __real_pthread_key_create(key, destructor); /* ThreadSanitizer's own */
    raddle_result(key, sizeof *key, pc);
    int error = __real_pthread_key_create(&made, NULL);
    *key = made;
    int slot = __atomic_fetch_add(&raddle_key_count, 1, __ATOMIC_RELAXED);
    if (slot < RADDLE_COUNT(raddle_keys)) {
        raddle_keys[slot].key = made;
        raddle_keys[slot].destructor = destructor;
    }
    return error;
}

RADDLE_QUIET static int raddle_delete_key(unsigned key, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, pc);
    for (int i = 0; i < raddle_key_count && i < RADDLE_COUNT(raddle_keys); i++)
        if (raddle_keys[i].key == key)
            raddle_keys[i].destructor = NULL;
    return __real_pthread_key_delete(key);
}

RADDLE_QUIET static void raddle_call_destructors(void)
{
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS && raddle_self; round++) {
        for (int i = 0; i < raddle_key_count && i < RADDLE_COUNT(raddle_keys); i++) {
            void *value = raddle_keys[i].destructor ? __real_pthread_getspecific(raddle_keys[i].key) : NULL;
            if (value) {
                __real_pthread_setspecific(raddle_keys[i].key, NULL);
                raddle_keys[i].destructor(value);
            }
        }
    }
}

//: wrap pthread_key_create needs keys
RADDLE_QUIET int __wrap_pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    return raddle_create_key(key, destructor, RADDLE_CALLER);
}
//: wrap tss_create needs keys c11
RADDLE_QUIET int __wrap_tss_create(unsigned *key, void (*destructor)(void *))
{
    return raddle_create_key(key, destructor, RADDLE_CALLER) ? RADDLE_THRD_ERROR : 0;
}
//: wrap pthread_key_delete needs keys
RADDLE_QUIET int __wrap_pthread_key_delete(unsigned key) { return raddle_delete_key(key, RADDLE_CALLER); }
//: wrap tss_delete needs keys
RADDLE_QUIET void __wrap_tss_delete(unsigned key) { raddle_delete_key(key, RADDLE_CALLER); }
//: each needs keys
RADDLE_HOOK(void *, pthread_getspecific, (unsigned key), (key), RADDLE_READ, 0)
RADDLE_HOOK(int, pthread_setspecific, (unsigned key, const void *value), (key, value), RADDLE_READ, 0)
RADDLE_HOOK(void *, tss_get, (unsigned key), (key), RADDLE_READ, 0)
RADDLE_HOOK(int, tss_set, (unsigned key, void *value), (key, value), RADDLE_READ, 0)
