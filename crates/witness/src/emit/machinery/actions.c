/* Whether an action is a step wherever it occurs. */
RADDLE_QUIET static int raddle_is_step(unsigned kind, void *pc)
{
    int is_step = (kind & (RADDLE_SYNC | RADDLE_ATOMIC)) != 0;
    for (int i = 0; i < RADDLE_COUNT(raddle_sites) && !is_step; i++)
        is_step = raddle_matches(raddle_sites[i].kind, 0, &raddle_sites[i].at, kind, 0, pc);
    return is_step;
}

/* Keeps a thread back before an action, as the schedule says. */
RADDLE_QUIET static void raddle_gate(struct raddle_thread *me, unsigned kind, unsigned size, void *pc)
{
    me->granted = -1;
    for (int i = raddle_position; i < RADDLE_STEPS; i++) {
        const struct raddle_step *step = &raddle_schedule[i];
        if (step->thread != me->number || !step->kind)
            continue;
        if (raddle_matches(step->kind, step->size, &step->at, kind, size, pc)) {
            me->at = *raddle_locate(pc);
            raddle_stand(me, i);
        } else if (kind & RADDLE_SYNC) {
            me->at = *raddle_locate(pc);
            raddle_lost("a thread synchronises where it should not");
        }
        return;
    }
    /* No step is left for this thread: it stands at whatever would be one. */
    if (raddle_is_step(kind, pc)) {
        me->at = *raddle_locate(pc);
        raddle_stand(me, -1);
    }
}

/* Whether ThreadSanitizer gets to see an action. */
RADDLE_QUIET static int raddle_is_shown(struct raddle_thread *me, unsigned kind, unsigned size, void *pc)
{
    for (int i = 0; i < RADDLE_COUNT(raddle_shown); i++) {
        const struct raddle_access *access = &raddle_shown[i];
        if ((access->thread == -1 || access->thread == me->number)
            && raddle_matches(access->kind, access->size, &access->at, kind, size, pc))
            return 1;
    }
    return 0;
}

/* To ThreadSanitizer a thread begins with writing its whole stack, and that is what it would report of a variable there.
 * So each racing access comes after the beginning of the other's thread. */
RADDLE_QUIET static void raddle_see_the_others_begin(const struct raddle_thread *me)
{
    for (int i = 0; i < RADDLE_COUNT(raddle_shown); i++) {
        struct raddle_thread *t = raddle_numbered(raddle_shown[i].thread);
        if (t && t != me && t->number >= 0)
            __tsan_acquire(t);
    }
}

/* In place of the schedule (RADDLE_MEET): threads run freely, but before the racing accesses each waits a while for the other.
 * That both stand there at once, before the same bytes, shows that nothing keeps them apart, whatever ThreadSanitizer sees of
 * it: a lock in code that is not instrumented, or an order that comes from outside. */
RADDLE_QUIET static void raddle_meet(struct raddle_thread *me, unsigned size)
{
    enum { WAIT_MS = 500, MOST_WAITS = 3 };
    static struct raddle_thread *waiting;
    static unsigned waiting_size;
    static int met, lock;
    const char *at = me->accesses;
    if (!at || RADDLE_LOAD(&met))
        return;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    struct raddle_thread *other = waiting;
    if (other && at < other->accesses + waiting_size && other->accesses < at + size) {
        fprintf(stderr, "raddle: both threads stand before their accesses\n");
        RADDLE_STORE(&met, 1);
    }
    int stays = !other && me->waits++ < MOST_WAITS;
    if (stays) {
        waiting = me;
        waiting_size = size;
    }
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    for (int ms = 0; ms < WAIT_MS && stays && !RADDLE_LOAD(&met); ms++)
        raddle_usleep(1000);
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    if (waiting == me)
        waiting = NULL;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

/* Every action of the program comes by here, right before it is carried out. */
RADDLE_QUIET static void raddle_action(unsigned kind, unsigned size, void *pc)
{
    struct raddle_thread *me = raddle_self;
    if (!me)
        raddle_probed |= (int)kind;
    /* The compiler may make calls of the C library out of the machinery's own code. */
    if (!me || me->busy)
        return;
    me->busy = 1;
    if (me->shows)
        __tsan_ignore_thread_begin();
    RADDLE_STORE(&me->inside, 0);
    if (raddle_concurrent && !raddle_alone && !RADDLE_LOAD(&raddle_released))
        raddle_gate(me, kind, size, pc);
    if (kind & RADDLE_SYNC) {
        me->at = *raddle_locate(pc);
        RADDLE_STORE(&me->inside, 1);
    }
    me->shows = raddle_is_shown(me, kind, size, pc);
    if (me->shows && raddle_meets)
        raddle_meet(me, size);
    me->accesses = NULL;
    if (me->shows) {
        raddle_see_the_others_begin(me);
        __tsan_ignore_thread_end();
    }
    me->busy = 0;
}
