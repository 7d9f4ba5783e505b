/* All blocked threads stand inside the calls that the deadlock is about. */
RADDLE_QUIET static int raddle_is_deadlocked(void)
{
    int all = RADDLE_COUNT(raddle_deadlock) > 1;
    for (int i = 1; i < RADDLE_COUNT(raddle_deadlock) && all; i++) {
        const struct raddle_thread *t = raddle_numbered(raddle_deadlock[i].thread);
        all = t && RADDLE_LOAD(&t->inside) && raddle_same_place(&raddle_deadlock[i].at, &t->at);
    }
    return all;
}

RADDLE_QUIET static void raddle_print_deadlock(void)
{
    __tsan_ignore_thread_begin();
    for (int i = 1; i < RADDLE_COUNT(raddle_deadlock); i++) {
        const struct raddle_blocked *b = &raddle_deadlock[i];
        const struct raddle_thread *t = raddle_numbered(b->thread);
        fprintf(stderr, "  thread %s at %s:%u waits for %s%s%s\n", t ? t->name : "?", b->at.file, b->at.line, b->waits_for,
                *b->holds ? ", holds " : "", b->holds);
    }
    raddle_failed("deadlock");
}

/* Ends the test in time. */
RADDLE_QUIET static void *raddle_watch(void *unused)
{
    (void)unused;
    enum { STEP_MS = 20, SPIN_MS = 1000, STUCK_MS = 4000, FREE_MS = 2000, DEADLOCK_MS = 600, TOTAL_MS = 8500 };
    int position = -1, still = 0, freely = 0, deadlocked = 0, turn = -1, alone = 0;
    for (int total = 0; total < TOTAL_MS; total += STEP_MS) {
        raddle_usleep(STEP_MS * 1000);
        int released = RADDLE_LOAD(&raddle_released);
        freely = released ? freely + STEP_MS : 0;
        still = position == RADDLE_LOAD(&raddle_position) ? still + STEP_MS : 0;
        position = RADDLE_LOAD(&raddle_position);
        deadlocked = position == RADDLE_STEPS && raddle_is_deadlocked() ? deadlocked + STEP_MS : 0;
        alone = turn == RADDLE_LOAD(&raddle_turn) ? alone + STEP_MS : 0;
        turn = RADDLE_LOAD(&raddle_turn);
        if (alone >= SPIN_MS && turn >= 0 && raddle_take_turn(turn)) {
            int running = RADDLE_RUNNING;
            __atomic_compare_exchange_n(&raddle_threads[turn].status, &running, RADDLE_SPINNING, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE);
            raddle_next();
        }
        if (deadlocked >= DEADLOCK_MS)
            raddle_print_deadlock();
        if (freely >= FREE_MS)
            break;
        if (!released && still >= STUCK_MS)
            break;
    }
    if (!RADDLE_LOAD(&raddle_released))
        raddle_lost("time is up");
    fprintf(stderr, "raddle: the schedule was followed, and nothing happened; some threads have not ended\n");
    raddle_end(0);
    return NULL;
}

/* The process would end now. */
RADDLE_QUIET static void raddle_finish(void)
{
    __tsan_ignore_thread_begin();
    fflush(stdout);
    if (raddle_position < RADDLE_STEPS)
        raddle_lost("the program ended before");
    fprintf(stderr, "raddle: the schedule was followed, and nothing happened\n");
    raddle_end(0);
}

/* Whether the caller is one of the program's threads, and not the last. */
RADDLE_QUIET static int raddle_others_go_on(void)
{
    int others = 0;
    for (int i = 0; i < raddle_thread_count && raddle_self; i++)
        others |= &raddle_threads[i] != raddle_self && raddle_threads[i].status != RADDLE_ENDED;
    return others;
}

/* Whether the schedule has steps left for a thread. */
RADDLE_QUIET static int raddle_is_expected(const struct raddle_thread *thread)
{
    int steps = 0;
    for (int i = raddle_position; i < RADDLE_STEPS; i++)
        steps += raddle_schedule[i].thread == thread->number && raddle_schedule[i].kind;
    return steps > 0;
}

/* Whether no step is left that leaves a trace here. */
RADDLE_QUIET static int raddle_is_followed(void)
{
    int steps = 0;
    for (int i = raddle_position; i < RADDLE_STEPS; i++)
        steps += raddle_schedule[i].kind != 0;
    return steps == 0;
}

/* A program's own way to end the process: the exit codes of the test mean something else. */
RADDLE_QUIET static void raddle_program_exits(void)
{
    if (raddle_others_go_on())
        raddle_action(RADDLE_EXIT, 0, NULL);
    raddle_finish();
}

/* Handlers and destructors are the program's, and part of the schedule: this one comes behind all of them. */
__attribute__((destructor(1))) RADDLE_QUIET static void raddle_at_exit(void)
{
    if (raddle_self)
        raddle_program_exits();
}

/* The instrumented twin of what the checks below need to see. */
static __attribute__((noinline)) void raddle_probe(int *at) { (*at)++; }

/* Where the test is about a race, a crash shows nothing of it. One behind the thread's part in the race, or in what the test takes,
 * came early. */
RADDLE_QUIET static void raddle_crashed(int number)
{
    (void)number;
    if (raddle_others_go_on() && !raddle_is_expected(raddle_self)) {
        raddle_action(RADDLE_EXIT, 0, NULL);
        for (int ms = 0; ms < 1000 && RADDLE_ABOUT_A_RACE; ms++)
            raddle_usleep(1000);
    }
    if (RADDLE_ABOUT_BRANCHES && raddle_is_followed())
        raddle_failed("the schedule was followed, and then the program failed");
    raddle_lost("the program crashed");
}

RADDLE_QUIET static int raddle_begins(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

RADDLE_QUIET static void raddle_begin(void)
{
    enum { ILL = 4, TRAP = 5, ABRT = 6, BUS = 7, FPE = 8, SEGV = 11 };
    static const int signals[] = {ILL, TRAP, ABRT, BUS, FPE, SEGV};
    for (int i = 0; (RADDLE_ABOUT_A_RACE || RADDLE_ABOUT_BRANCHES) && i < RADDLE_COUNT(signals); i++)
        raddle_on_signal(signals[i], raddle_crashed);
    raddle_watch_exits();
    for (char **set = raddle_environment; *set; set++)
        raddle_meets |= raddle_begins(*set, "RADDLE_MEET=");
    RADDLE_STORE(&raddle_released, raddle_meets);
    int value = 0;
    raddle_probed = 0;
    raddle_probe(&value);
    if (raddle_probed != (RADDLE_READ | RADDLE_WRITE))
        raddle_lost("this was not built with the command in its first line (-mllvm -tsan-instrument-read-before-write)");
    if (raddle_locate(RADDLE_CALLER)->line == 0)
        raddle_lost("ThreadSanitizer found no llvm-symbolizer, or there is no debug information");
}

RADDLE_QUIET static void raddle_start_watch(void)
{
    unsigned long watch;
    if (__real_pthread_create(&watch, NULL, raddle_watch, NULL) != 0)
        raddle_lost("no thread could be created");
}
