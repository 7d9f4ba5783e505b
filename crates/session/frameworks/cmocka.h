/* cmocka, as far as tests of libraries use it: no more than running them in this program; no mocks. */
#ifndef CMOCKA_H_
#define CMOCKA_H_

#include "raddle_cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(f) { #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_setup(f, setup) { #f, f, setup, NULL, NULL }
#define cmocka_unit_test_teardown(f, teardown) { #f, f, NULL, teardown, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) { #f, f, setup, teardown, NULL }
#define cmocka_unit_test_prestate(f, state) { #f, f, NULL, NULL, state }
#define cmocka_unit_test_prestate_setup_teardown(f, setup, teardown, state) { #f, f, setup, teardown, state }

static inline int raddle_run_group(const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up,
                                   CMFixtureFunction tear_down)
{
    void *group = NULL;
    for (size_t test = 0; test < count; test++) {
        if (!raddle_runs())
            continue;
        if (set_up)
            raddle_check(set_up(&group) == 0);
        void *state = tests[test].initial_state ? tests[test].initial_state : group;
        if (tests[test].setup_func)
            raddle_check(tests[test].setup_func(&state) == 0);
        tests[test].test_func(&state);
        if (tests[test].teardown_func)
            tests[test].teardown_func(&state);
        if (tear_down)
            tear_down(&group);
    }
    return 0;
}
#define cmocka_run_group_tests(tests, setup, teardown) \
    raddle_run_group((tests), sizeof(tests) / sizeof((tests)[0]), (setup), (teardown))
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)
#define cmocka_set_message_output(mode) ((void)0)

#define test_malloc malloc
#define test_calloc calloc
#define test_free free
#define fail() abort()
#define fail_msg(...) abort()
#define skip() return
#define assert_true(c) raddle_check((c) ? 1 : 0)
#define assert_false(c) raddle_check((c) ? 0 : 1)
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_int_not_equal(a, b) assert_true((a) != (b))
#define assert_uint_equal(a, b) assert_true((a) == (b))
#define assert_return_code(code, error) assert_true((code) >= 0)
#define assert_float_equal(a, b, e) assert_true((a) - (b) <= (e) && (b) - (a) <= (e))
#define assert_in_range(a, from, to) assert_true((a) >= (from) && (a) <= (to))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)) != 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp((a), (b), (n)) == 0)

#endif
