/* runtime.h: an oracle for data races. It takes the place of ThreadSanitizer's runtime and of pthread's locks.
 *
 * Two calls run as coroutines on a concrete heap. They are scheduled at operations on locks and at accesses that are
 * known to race with others; a race is a conflicting pair of accesses that happens-before leaves unordered in an
 * execution. Where the two lines are made visible that way, other executions, and thus other races, may show; so all
 * heaps are gone through again until no line is new.
 *
 * Promised: each race is one of an execution of the program's own machine code, on a heap on which both calls end in
 * some execution. Within the heaps and arguments that the structure's file enumerates, and where no limit is said to
 * have been reached, all executions up to the order of independent steps were looked at.
 *
 * Shares nothing with raddle: neither code nor the way of running a program.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle.h"

enum { NOBODY = -1 };

enum kind { READ, WRITE, FREE };

/* A step of a thread as others notice it: an access, which for an operation on a lock is a read of its first byte. */
struct step {
    enum { ACCESS, LOCK, LOCK_SHARED, TRY, UNLOCK } action;
    enum kind kind;
    uintptr_t address;
    size_t size;
    bool racy; /* its site is one of a race */
};

/* main.c */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* memory.c: one arena for all objects. Nothing is allocated twice in an execution, so an address names an object. */
enum { CELL = 8, CELLS = 1 << 10 };

struct lock {
    bool ready;                        /* initialised, and not destroyed */
    signed char writer;                /* who holds it alone, or NOBODY */
    unsigned char readers;             /* a bit for each thread */
    unsigned clock[THREADS];           /* what happened before its last release by a writer */
    unsigned shared_clock[THREADS];    /* ... and before the releases by readers */
};

void *arena_allocate(size_t size);
/* The cell of an address in the arena, or NOBODY. */
int arena_cell(uintptr_t address);
/* Whether all these bytes are in one object that has not been freed. */
bool arena_live(uintptr_t address, size_t size);
/* The size of the object that begins there, freed or not; 0 if none does. */
size_t arena_object(uintptr_t address);
void arena_free(uintptr_t address);
/* The lock at an address of the arena. */
struct lock *arena_lock(uintptr_t address);
/* Forgets all objects; keeps what there is; goes back to what was kept. */
void arena_clear(void);
void arena_keep(void);
void arena_restore(void);

/* order.c: what happens before what, and what races. */
void order_reset(void);
void order_acquire(int thread, const unsigned clock[THREADS]);
void order_release(int thread, unsigned clock[THREADS]);
/* Remembers an access; finds its races with earlier ones. */
void order_access(int thread, const void *site, uintptr_t address, size_t size, enum kind kind);
/* Whether accesses of this instruction are steps. */
bool order_visible(const void *site);
/* The races of the executions since the last call count (or do not), as some of these two operations. Returns whether
 * the site of one is now visible that was not. */
bool order_settle(bool count, const int operation[THREADS]);
void order_print(void);

/* explore.c: threads and schedules. */
struct totals {
    unsigned long executions, redundant, cut, failed, deadlocked;
};
extern struct totals totals;
/* The thread that runs, or NOBODY. */
extern int running;

enum outcome { EXPLORED, TOO_MANY };
/* Executes the calls under all schedules, or those with at most `preemptions` unless that is negative, but not more
 * often than `limit`. Sets *completed where both calls came to their ends. */
enum outcome explore(const int operation[THREADS], int preemptions, unsigned long limit, bool *completed);

/* The running thread is about to take a step: returns when it is its turn. */
void await_turn(struct step step);
/* The running thread cannot go on: what it would do next is an error. Others can. */
_Noreturn void give_up(void);
/* Counts what the running thread does between steps: an execution that does not come to an end is cut. */
void count_access(void);
/* Whether the address is on a coroutine's stack. */
bool on_stack(uintptr_t address);
/* Whether a thread can have the lock, with other readers or alone. */
bool lock_is_free(const struct lock *lock, bool shared);

#endif
