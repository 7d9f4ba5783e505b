/* MinUnit, as far as tests of libraries use it: no more than running them in this program. */
#ifndef MINUNIT_MINUNIT_H
#define MINUNIT_MINUNIT_H

#include "raddle_cases.h"

static void (*minunit_setup)(void);
static void (*minunit_teardown)(void);
static inline int raddle_mu_run(void (*test)(void))
{
    if (!raddle_runs())
        return 0;
    if (minunit_setup)
        minunit_setup();
    test();
    if (minunit_teardown)
        minunit_teardown();
    return 1;
}

#define MU_EXIT_CODE 0
#define MU_TEST(name) static void name(void)
#define MU_TEST_SUITE(name) static void name(void)
#define MU_RUN_TEST(test) ((void)raddle_mu_run(&test))
#define MU_RUN_SUITE(suite) (suite(), minunit_setup = NULL, minunit_teardown = NULL)
#define MU_SUITE_CONFIGURE(setup, teardown) (minunit_setup = (setup), minunit_teardown = (teardown))
#define MU_REPORT() ((void)0)
#define mu_check(c) raddle_check((c) ? 1 : 0)
#define mu_fail(message) abort()
#define mu_assert(c, message) mu_check(c)
#define mu_assert_int_eq(a, b) mu_check((a) == (b))
#define mu_assert_double_eq(a, b) mu_check((a) == (b))
#define mu_assert_string_eq(a, b) mu_check(strcmp((a), (b)) == 0)

#endif
