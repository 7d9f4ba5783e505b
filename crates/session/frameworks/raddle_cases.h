/* What raddle's own headers of test frameworks have in common: test cases run one by one, each from the program's initial state. */
#ifndef RADDLE_CASES_H
#define RADDLE_CASES_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* raddle sets the first; negative: all cases run, one after the other. */
static int raddle_case = -1;
static int raddle_cases;

/* Whether the next case is to run. */
static inline int raddle_runs(void)
{
    int number = raddle_cases++;
    return raddle_case < 0 || raddle_case == number;
}

/* A check of a test fails: the test ends. */
static inline void raddle_check(int holds)
{
    if (!holds)
        abort();
}

#endif
