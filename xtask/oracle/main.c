/* All heaps and arguments of every pair of operations, again and again until no site is found to race that was not
 * visible.
 *
 * oracle DEPTH EXECUTIONS PREEMPTIONS SECONDS OPERATION...
 *
 * Where a heap has more than EXECUTIONS of a pair of calls, those with at most PREEMPTIONS preemptions are explored
 * instead. Prints `race ADDRESS KIND ADDRESS KIND OPERATION OPERATION` for each race, and `NAME NUMBER` for each total.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime.h"

enum { CHOICES = 64, MOST_BOUNDED = 1000000 };

static int choices[CHOICES], ways[CHOICES];
static int chosen, known;
/* The first thread's argument, or 0. */
static int first_rank;

static int depth, preemptions;
static unsigned long executions;
static double seconds;
/* Of the last sweep. */
static unsigned long heaps, refused, bounded, incomplete, beyond;

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("oracle: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

int oracle_choose(int n)
{
    if (chosen == CHOICES)
        die("more choices than the oracle has room for");
    if (chosen == known) {
        choices[known] = 0;
        ways[known++] = n;
    }
    return choices[chosen++];
}

/* The next combination of choices. False if there is none. */
static bool next_choices(void)
{
    while (known > 0 && ++choices[known - 1] == ways[known - 1])
        known--;
    chosen = 0;
    return known > 0;
}

int oracle_rank(int thread, int count)
{
    enum { STEP = 10 };
    /* The keys, the gaps, and, in the gap where the other argument is, both sides of it. */
    bool shares = thread == 1 && first_rank % STEP != 0;
    int choice = oracle_choose(2 * count + 1 + (shares ? 2 : 0));
    int rank = choice * STEP / 2 + STEP / 2;
    if (choice > 2 * count)
        rank = first_rank + (choice == 2 * count + 1 ? -1 : 1);
    if (thread == 0)
        first_rank = rank;
    return rank;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One heap with arguments. Returns whether a site became visible. */
static bool one_heap(const int operation[THREADS])
{
    bool completed = false;
    arena_clear();
    first_rank = 0;
    oracle_build(depth, operation);
    if (!oracle_valid()) {
        refused++;
        return false;
    }
    arena_keep();
    heaps++;
    if (explore(operation, -1, executions, &completed) == TOO_MANY) {
        bounded++;
        if (explore(operation, preemptions, MOST_BOUNDED, &completed) == TOO_MANY)
            beyond++;
    }
    incomplete += !completed;
    return order_settle(completed, operation);
}

/* All heaps and arguments of a pair. False if the time is over. */
static bool pair(const int operation[THREADS], double end, bool *grown)
{
    chosen = known = 0;
    do {
        if (now() > end)
            return false;
        while (one_heap(operation)) {
            *grown = true;
            chosen = 0;
        }
    } while (next_choices());
    return true;
}

static bool sweep(const int *operations, int count, double end, bool *grown)
{
    heaps = refused = bounded = incomplete = beyond = 0;
    memset(&totals, 0, sizeof totals);
    for (int first = 0; first < count; first++)
        for (int second = first; second < count; second++)
            if (!pair((int[THREADS]){ operations[first], operations[second] }, end, grown))
                return false;
    return true;
}

static int operation_named(const char *name)
{
    for (int i = 0; oracle_operations[i] != NULL; i++)
        if (strcmp(oracle_operations[i], name) == 0)
            return i;
    die("no operation %s", name);
}

int main(int argc, char **argv)
{
    enum { FIRST_OPERATION = 5, MOST = 16 };
    int operations[MOST];
    if (argc <= FIRST_OPERATION || argc - FIRST_OPERATION > MOST)
        die("usage: oracle DEPTH EXECUTIONS PREEMPTIONS SECONDS OPERATION...");
    depth = atoi(argv[1]);
    executions = strtoul(argv[2], NULL, 10);
    preemptions = atoi(argv[3]);
    seconds = strtod(argv[4], NULL);
    for (int i = FIRST_OPERATION; i < argc; i++)
        operations[i - FIRST_OPERATION] = operation_named(argv[i]);

    double end = now() + seconds;
    unsigned long sweeps = 0;
    bool grown, whole;
    do {
        grown = false;
        whole = sweep(operations, argc - FIRST_OPERATION, end, &grown);
        sweeps++;
    } while (whole && grown);
    order_print();
    printf("whole %d\nsweeps %lu\nheaps %lu\nrefused %lu\nincomplete %lu\n", whole, sweeps, heaps, refused, incomplete);
    printf("bounded %lu\nbeyond %lu\n", bounded, beyond);
    printf("executions %lu\nredundant %lu\ncut %lu\n", totals.executions, totals.redundant, totals.cut);
    printf("failed %lu\ndeadlocked %lu\n", totals.failed, totals.deadlocked);
    return 0;
}
