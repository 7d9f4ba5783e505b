/* oracle.h: what a data structure tells the oracle.
 *
 * A file that includes the structure's source builds its heaps and makes its calls. It is compiled with it, by clang
 * with -fsanitize=thread, and linked with the runtime beside this header. See runtime.h for what is done with it.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>

enum { THREADS = 2 };

/* For functions of that file that are no part of the structure: their accesses are nobody's. */
#define NOT_WATCHED __attribute__((no_sanitize("thread")))

/* A number from 0 to n - 1; every one is tried, in every combination with those of other calls. */
int oracle_choose(int n);

/* The rank of an argument among the `count` keys of a heap, whose ranks are 10, 20, ...: that of one of them, or one
 * before, between or behind them. Both arguments together come in every order, with each other and with the keys, and
 * each of these orders comes once. */
int oracle_rank(int thread, int count);

/* The operations, the last one followed by NULL. */
extern const char *const oracle_operations[];

/* Builds a heap with at most `depth` objects on a chain of pointers, with the arguments of two operations. */
void oracle_build(int depth, const int operation[THREADS]);

/* Whether the heap is one that two operations may find. */
bool oracle_valid(void);

/* One call, with the arguments of this thread. */
void oracle_call(int thread, int operation);

#endif
