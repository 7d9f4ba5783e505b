// artN: a chain of N threads with N inputs, after the paper's example `art`, of which it only says that each thread more
// brings an assertion deeper by one interference.
//
// Thread i, from the second on, hands its token on only if it saw that of thread i - 1 and if its own input is large
// enough; the first only looks at its input. The last asserts that it did not see its predecessor's token: this takes
// N inputs and N - 1 interferences, each of which depends on the one before. Of the 4 N outcomes of branches, 3 N + 1 need
// no interference, and one needs k for each k from 1 to N - 1.
//
// There is one shared variable. A thread looks LOOKS times at what is there, and writes PUTS times what it hands on, its
// token or nothing: which look sees which write is what a search has to choose, and nearly all choices lead nowhere. A
// thread looks and writes without loops, which would be branches.
//
// Each artN.c defines N and includes this, then has the last thread and main.

#ifndef ART_H
#define ART_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "raddle.h"

#ifndef LOOKS
#if N <= 4
#define LOOKS 6
#else
#define LOOKS 4
#endif
#endif
#ifndef PUTS
#define PUTS 4
#endif

#define TIMES_1(statement) statement
#define TIMES_2(statement) TIMES_1(statement) statement
#define TIMES_3(statement) TIMES_2(statement) statement
#define TIMES_4(statement) TIMES_3(statement) statement
#define TIMES_5(statement) TIMES_4(statement) statement
#define TIMES_6(statement) TIMES_5(statement) statement
#define TIMES_EXPANDED(count, statement) TIMES_##count(statement)
#define TIMES(count, statement) TIMES_EXPANDED(count, statement)

enum { NOTHING = 0, LEAST = 10, MOST = 100 };

#define TOKEN(thread) (1 << (thread))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slot;
static int inputs[N + 1];    // inputs[i] is thread i's: written by main before it makes the threads

static int look(void)
{
    pthread_mutex_lock(&lock);
    int there = slot;
    pthread_mutex_unlock(&lock);
    return there;
}

static void put(int token)
{
    pthread_mutex_lock(&lock);
    slot = token;
    pthread_mutex_unlock(&lock);
}

// All tokens that were there at one of the looks.
static int look_around(void)
{
    int seen = NOTHING;
    TIMES(LOOKS, seen |= look();)
    return seen;
}

static void hand_on(int token)
{
    TIMES(PUTS, put(token);)
}

static void *first(void *unused)
{
    int token = NOTHING;
    if (inputs[1] > LEAST) { //~ degree true=0 false=0
        if (inputs[1] < MOST) //~ degree true=0 false=0
            token = TOKEN(1);
    }
    hand_on(token);
    return unused;
}

#if N > 2
static void *second(void *unused)
{
    int seen = look_around();
    int token = NOTHING;
    if (inputs[2] > 2 * LEAST) { //~ degree true=0 false=0
        if ((seen & TOKEN(1)) != 0) //~ degree true=1 false=0
            token = TOKEN(2);
    }
    hand_on(token);
    return unused;
}
#endif

#if N > 3
static void *third(void *unused)
{
    int seen = look_around();
    int token = NOTHING;
    if (inputs[3] > 3 * LEAST) { //~ degree true=0 false=0
        if ((seen & TOKEN(2)) != 0) //~ degree true=2 false=0
            token = TOKEN(3);
    }
    hand_on(token);
    return unused;
}
#endif

#if N > 4
static void *fourth(void *unused)
{
    int seen = look_around();
    int token = NOTHING;
    if (inputs[4] > 4 * LEAST) { //~ degree true=0 false=0
        if ((seen & TOKEN(3)) != 0) //~ degree true=3 false=0
            token = TOKEN(4);
    }
    hand_on(token);
    return unused;
}
#endif

#if N > 5
static void *fifth(void *unused)
{
    int seen = look_around();
    int token = NOTHING;
    if (inputs[5] > 5 * LEAST) { //~ degree true=0 false=0
        if ((seen & TOKEN(4)) != 0) //~ degree true=4 false=0
            token = TOKEN(5);
    }
    hand_on(token);
    return unused;
}
#endif

#if N > 6
static void *sixth(void *unused)
{
    int seen = look_around();
    int token = NOTHING;
    if (inputs[6] > 6 * LEAST) { //~ degree true=0 false=0
        if ((seen & TOKEN(5)) != 0) //~ degree true=5 false=0
            token = TOKEN(6);
    }
    hand_on(token);
    return unused;
}
#endif

#if N > 7
static void *seventh(void *unused)
{
    int seen = look_around();
    int token = NOTHING;
    if (inputs[7] > 7 * LEAST) { //~ degree true=0 false=0
        if ((seen & TOKEN(6)) != 0) //~ degree true=6 false=0
            token = TOKEN(7);
    }
    hand_on(token);
    return unused;
}
#endif

#endif
