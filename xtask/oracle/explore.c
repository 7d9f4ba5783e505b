/* Stateless search through the schedules of two coroutines.
 *
 * Without a bound: dynamic partial-order reduction (Flanagan, Godefroid: "Dynamic partial-order reduction for model
 * checking software", POPL 2005) with sleep sets (Godefroid, 1996). With one: every schedule that has at most so many
 * preemptions (Musuvathi, Qadeer: "Iterative context bounding", PLDI 2007); none is placed before an unlock, which
 * commutes with what another thread can do at that time, unless the unlock takes part in a race.
 */

#include <string.h>
#include <ucontext.h>

#include "runtime.h"

enum { MOST_TURNS = 4000, MOST_ACCESSES = 100000, STACK = 1 << 16 };

enum state { WAITING, ENDED, GAVE_UP };

struct turn {
    struct step step;
    int thread;
    int preemptions;           /* up to here, this turn included */
    unsigned enabled;          /* sets of threads, a bit for each */
    unsigned backtrack, done;  /* to be tried here; tried here */
    unsigned sleep;            /* what they do here was done, in another order */
    unsigned clock[THREADS];   /* how many turns of the path, by thread, the turn depends on */
};

struct totals totals;
int running = NOBODY;

static ucontext_t home, contexts[THREADS];
static _Alignas(16) char stacks[THREADS][STACK];
static enum state states[THREADS];
static struct step next[THREADS];
static unsigned clocks[THREADS][THREADS];
static const int *operations;
static int started;
static unsigned long accesses;
static enum { WHOLE, CUT, REDUNDANT } ending;

static struct turn path[MOST_TURNS];
static int length, decided;
static int bound;

static unsigned bit(int thread)
{
    return 1u << thread;
}

static bool on_lock(const struct step *step)
{
    return step->action != ACCESS;
}

static bool dependent(const struct step *one, const struct step *other)
{
    if (on_lock(one) && on_lock(other) && one->address == other->address)
        return true;
    bool overlap = one->address < other->address + other->size && other->address < one->address + one->size;
    return overlap && (one->kind != READ || other->kind != READ);
}

/* Whether there may be a state in which both threads can do this. Who unlocks has the lock. */
static bool may_meet(const struct step *one, const struct step *other)
{
    bool unlocks = one->action == UNLOCK || other->action == UNLOCK;
    bool waits = (on_lock(one) && on_lock(other)) && one->action != TRY && other->action != TRY;
    return !(unlocks && waits && one->address == other->address);
}

bool lock_is_free(const struct lock *lock, bool shared)
{
    return lock->writer == NOBODY && (shared || lock->readers == 0);
}

static bool enabled(int thread)
{
    if (states[thread] != WAITING)
        return false;
    const struct step *step = &next[thread];
    if (step->action != LOCK && step->action != LOCK_SHARED)
        return true;
    /* An error is no reason to wait. */
    if (!arena_live(step->address, step->size))
        return true;
    const struct lock *lock = arena_lock(step->address);
    return !lock->ready || lock_is_free(lock, step->action == LOCK_SHARED);
}

/* Where the latest turn that a thread's next step could come before is, the other order is to be tried. */
static void reverse_races(void)
{
    for (int thread = 0; thread < THREADS; thread++) {
        if (states[thread] != WAITING)
            continue;
        for (int i = length - 1; i >= 0; i--) {
            struct turn *turn = &path[i];
            bool relevant = turn->thread != thread && dependent(&turn->step, &next[thread]);
            if (!relevant || !may_meet(&turn->step, &next[thread]))
                continue;
            if ((unsigned)i >= clocks[thread][turn->thread])
                turn->backtrack |= (turn->enabled & bit(thread)) != 0 ? bit(thread) : turn->enabled;
            break;
        }
    }
}

/* Those whose next step was tried before the last turn, and does not depend on it. */
static unsigned asleep(void)
{
    if (length == 0)
        return 0;
    const struct turn *last = &path[length - 1];
    unsigned tried = (last->sleep | last->done) & ~bit(last->thread);
    for (int thread = 0; thread < THREADS; thread++)
        if ((tried & bit(thread)) != 0 && dependent(&next[thread], &last->step))
            tried &= ~bit(thread);
    return tried;
}

static int lowest(unsigned threads)
{
    int thread = 0;
    while ((threads & bit(thread)) == 0)
        thread++;
    return thread;
}

/* What is tried at a place of the path that is new. False if all was done elsewhere. */
static bool choose(struct turn *turn)
{
    int last = length == 0 ? NOBODY : path[length - 1].thread;
    int preemptions = length == 0 ? 0 : path[length - 1].preemptions;
    bool goes_on = last != NOBODY && (turn->enabled & bit(last)) != 0;
    unsigned candidates = turn->enabled;
    turn->sleep = 0;
    if (bound < 0) {
        turn->sleep = asleep();
        candidates &= ~turn->sleep;
    } else if (goes_on && (preemptions == bound || (next[last].action == UNLOCK && !next[last].racy))) {
        candidates = bit(last);
    }
    if (candidates == 0)
        return false;
    turn->thread = goes_on && (candidates & bit(last)) != 0 ? last : lowest(candidates);
    turn->done = bit(turn->thread);
    turn->backtrack = bound < 0 ? turn->done : candidates;
    return true;
}

/* Notes what a turn does and depends on. */
static void take(struct turn *turn)
{
    int thread = turn->thread;
    int last = length == 0 ? NOBODY : path[length - 1].thread;
    bool preempts = last != NOBODY && last != thread && (turn->enabled & bit(last)) != 0;
    turn->preemptions = (length == 0 ? 0 : path[length - 1].preemptions) + preempts;
    turn->step = next[thread];
    unsigned *clock = clocks[thread];
    for (int i = length - 1; bound < 0 && i >= 0; i--) {
        if (path[i].thread == thread || !dependent(&path[i].step, &turn->step))
            continue;
        for (int other = 0; other < THREADS; other++)
            if (clock[other] < path[i].clock[other])
                clock[other] = path[i].clock[other];
        break;
    }
    length++;
    clock[thread] = (unsigned)length;
    memcpy(turn->clock, clock, sizeof turn->clock);
}

/* Who is next; NOBODY at the end of the execution. */
static int decide(void)
{
    if (started < THREADS)
        return started++;
    unsigned threads = 0;
    for (int thread = 0; thread < THREADS; thread++)
        if (enabled(thread))
            threads |= bit(thread);
    bool new = length >= decided;
    if (new && bound < 0)
        reverse_races();
    if (threads == 0)
        return NOBODY;
    if (length == MOST_TURNS) {
        ending = CUT;
        return NOBODY;
    }
    struct turn *turn = &path[length];
    turn->enabled = threads;
    if (new && !choose(turn)) {
        ending = REDUNDANT;
        return NOBODY;
    }
    take(turn);
    return turn->thread;
}

static void switch_threads(int from, int to)
{
    running = to;
    swapcontext(from == NOBODY ? &home : &contexts[from], to == NOBODY ? &home : &contexts[to]);
}

void await_turn(struct step step)
{
    int self = running;
    next[self] = step;
    int to = decide();
    if (to != self)
        switch_threads(self, to);
}

/* The running thread is not to run again. */
static _Noreturn void leave(enum state state)
{
    int self = running;
    states[self] = state;
    switch_threads(self, decide());
    die("a thread that has ended runs");
}

void give_up(void)
{
    totals.failed++;
    leave(GAVE_UP);
}

void count_access(void)
{
    if (++accesses > MOST_ACCESSES) {
        ending = CUT;
        switch_threads(running, NOBODY);
    }
}

bool on_stack(uintptr_t address)
{
    return address - (uintptr_t)stacks < sizeof stacks;
}

static void enter(void)
{
    oracle_call(running, operations[running]);
    leave(ENDED);
}

/* One execution, along the turns that are decided. */
static void execute(void)
{
    arena_restore();
    order_reset();
    memset(clocks, 0, sizeof clocks);
    length = 0;
    accesses = 0;
    ending = WHOLE;
    for (int thread = 0; thread < THREADS; thread++) {
        states[thread] = WAITING;
        getcontext(&contexts[thread]);
        contexts[thread].uc_stack.ss_sp = stacks[thread];
        contexts[thread].uc_stack.ss_size = STACK;
        makecontext(&contexts[thread], enter, 0);
    }
    started = 1;
    switch_threads(NOBODY, 0);
}

/* Decides the next path. False if all are done. */
static bool backtrack(void)
{
    for (int i = length - 1; i >= 0; i--) {
        struct turn *turn = &path[i];
        unsigned rest = turn->backtrack & ~turn->done & ~turn->sleep;
        if (rest == 0)
            continue;
        turn->thread = lowest(rest);
        turn->done |= bit(turn->thread);
        decided = i + 1;
        return true;
    }
    return false;
}

enum outcome explore(const int operation[THREADS], int preemptions, unsigned long limit, bool *completed)
{
    operations = operation;
    bound = preemptions;
    decided = 0;
    unsigned long runs = 0;
    do {
        if (runs++ == limit)
            return TOO_MANY;
        execute();
        totals.executions += ending == WHOLE;
        totals.redundant += ending == REDUNDANT;
        totals.cut += ending == CUT;
        if (ending != WHOLE)
            continue;
        bool ended = true, waits = false;
        for (int thread = 0; thread < THREADS; thread++) {
            ended = ended && states[thread] == ENDED;
            waits = waits || states[thread] == WAITING;
        }
        *completed = *completed || ended;
        totals.deadlocked += waits;
    } while (backtrack());
    return EXPLORED;
}
