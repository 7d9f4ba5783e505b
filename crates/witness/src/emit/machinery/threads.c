/* From here on the calling thread is one of the program's. */
RADDLE_QUIET static void raddle_become(struct raddle_thread *thread)
{
    thread->status = RADDLE_RUNNING;
    raddle_self = thread;
    __tsan_ignore_thread_begin();
}

/* The thread is over. */
RADDLE_QUIET static void raddle_ended(void)
{
    struct raddle_thread *me = raddle_self;
    raddle_self = NULL;
    if (!me)
        return;
    if (!me->shows)
        __tsan_ignore_thread_end();
    RADDLE_STORE(&me->inside, 0);
    raddle_leave(me, RADDLE_ENDED);
}

//: unless keys
static void raddle_call_destructors(void) {}
//: part keys
static void raddle_call_destructors(void);

//: unless exits
static void raddle_watch_exits(void) {}
static void raddle_watch_exit_of(struct raddle_thread *thread) { (void)thread; }
//: part exits needs pthread_key_create pthread_setspecific
/* What pthread_exit comes to in the end, behind the program's cleanup handlers. */
static unsigned raddle_exit_key;
RADDLE_QUIET static void raddle_exits(void *thread)
{
    if (raddle_self == thread) {
        raddle_call_destructors();
        raddle_ended();
    }
}
extern int raddle_set_exit_key(unsigned key, const void *value) __asm__("__real_pthread_setspecific");
extern int raddle_make_exit_key(unsigned *key, void (*destructor)(void *)) __asm__("__real_pthread_key_create");
RADDLE_QUIET static void raddle_watch_exits(void) { raddle_make_exit_key(&raddle_exit_key, raddle_exits); }
RADDLE_QUIET static void raddle_watch_exit_of(struct raddle_thread *thread)
{
    raddle_set_exit_key(raddle_exit_key, thread);
}

//: core
RADDLE_QUIET static void *raddle_run(void *argument)
{
    struct raddle_thread *me = argument;
    raddle_watch_exit_of(me);
    raddle_await_turn(me);
    raddle_become(me);
    __tsan_release(me);
    void *result = NULL;
    if (me->run_c11)
        result = (void *)(intptr_t)me->run_c11(me->argument);
    else
        result = me->run(me->argument);
    raddle_call_destructors();
    raddle_ended();
    return result;
}

/* A place for a new thread. The k-th thread that `main` creates is `main.k`, and so on. */
RADDLE_QUIET static struct raddle_thread *raddle_new_thread(struct raddle_thread *creator, const char *name)
{
    static int lock;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    if (raddle_thread_count == RADDLE_COUNT(raddle_threads))
        raddle_lost("there are too many threads");
    struct raddle_thread *t = &raddle_threads[raddle_thread_count];
    __tsan_ignore_thread_begin();
    if (creator)
        snprintf(t->name, sizeof t->name, "%s.%d", creator->name, ++creator->children);
    else
        snprintf(t->name, sizeof t->name, "%s", name);
    __tsan_ignore_thread_end();
    t->number = t->want = t->granted = -1;
    for (int i = 0; i < RADDLE_COUNT(raddle_names); i++)
        if (raddle_names[i] && raddle_same_text(raddle_names[i], t->name))
            t->number = i;
    t->status = RADDLE_FRESH;
    raddle_concurrent |= raddle_thread_count++ > 0;
    raddle_alone = 0;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return t;
}
