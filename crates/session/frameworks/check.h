/* Check, as far as tests of libraries use it: no more than running them in this program, without processes of their own. */
#ifndef CHECK_H
#define CHECK_H

#include "raddle_cases.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef void (*TFun)(int);
typedef void (*SFun)(void);

typedef struct TCase {
    TFun tests[64];
    int from[64], to[64], count;
    SFun set_up, tear_down, set_up_once, tear_down_once;
    struct TCase *next;
} TCase;
typedef struct Suite {
    TCase *first;
    struct Suite *next;
} Suite;
typedef struct SRunner {
    Suite *first;
} SRunner;
enum fork_status { CK_FORK_GETENV, CK_FORK, CK_NOFORK };
enum print_output { CK_SILENT, CK_MINIMAL, CK_NORMAL, CK_VERBOSE, CK_ENV, CK_SUBUNIT };

#define START_TEST(name) static void name(int _i) { (void)_i;
#define END_TEST }

static inline Suite *suite_create(const char *name) { (void)name; return calloc(1, sizeof(Suite)); }
static inline TCase *tcase_create(const char *name) { (void)name; return calloc(1, sizeof(TCase)); }
static inline void suite_add_tcase(Suite *suite, TCase *tcase)
{
    TCase **at = &suite->first;
    while (*at)
        at = &(*at)->next;
    *at = tcase;
}
static inline void raddle_tcase_add(TCase *tcase, TFun test, int from, int to)
{
    tcase->tests[tcase->count] = test;
    tcase->from[tcase->count] = from;
    tcase->to[tcase->count++] = to;
}
#define tcase_add_test(tcase, test) raddle_tcase_add((tcase), (test), 0, 1)
#define tcase_add_loop_test(tcase, test, from, to) raddle_tcase_add((tcase), (test), (from), (to))
#define tcase_set_timeout(tcase, seconds) ((void)(tcase))
static inline void tcase_add_checked_fixture(TCase *tcase, SFun set_up, SFun tear_down)
{
    tcase->set_up = set_up;
    tcase->tear_down = tear_down;
}
static inline void tcase_add_unchecked_fixture(TCase *tcase, SFun set_up, SFun tear_down)
{
    tcase->set_up_once = set_up;
    tcase->tear_down_once = tear_down;
}
static inline SRunner *srunner_create(Suite *suite)
{
    SRunner *runner = calloc(1, sizeof(SRunner));
    runner->first = suite;
    return runner;
}
static inline void srunner_add_suite(SRunner *runner, Suite *suite)
{
    suite->next = runner->first;
    runner->first = suite;
}
#define srunner_set_fork_status(runner, status) ((void)(runner))
#define srunner_set_log(runner, file) ((void)(runner))
#define srunner_set_xml(runner, file) ((void)(runner))
#define srunner_set_tap(runner, file) ((void)(runner))
static inline void raddle_tcase_run(TCase *tcase)
{
    for (int test = 0; test < tcase->count; test++)
        for (int i = tcase->from[test]; i < tcase->to[test]; i++) {
            if (!raddle_runs())
                continue;
            if (tcase->set_up_once)
                tcase->set_up_once();
            if (tcase->set_up)
                tcase->set_up();
            tcase->tests[test](i);
            if (tcase->tear_down)
                tcase->tear_down();
            if (tcase->tear_down_once)
                tcase->tear_down_once();
        }
}
static inline void srunner_run_all(SRunner *runner, enum print_output mode)
{
    (void)mode;
    for (Suite *suite = runner->first; suite; suite = suite->next)
        for (TCase *tcase = suite->first; tcase; tcase = tcase->next)
            raddle_tcase_run(tcase);
}
#define srunner_run(runner, suite, tcase, mode) srunner_run_all((runner), (mode))
static inline int srunner_ntests_failed(SRunner *runner) { (void)runner; return 0; }
static inline int srunner_ntests_run(SRunner *runner) { (void)runner; return raddle_cases; }
static inline void srunner_free(SRunner *runner) { (void)runner; }

#define ck_abort() abort()
#define ck_abort_msg(...) abort()
#define ck_assert(c) raddle_check((c) ? 1 : 0)
#define ck_assert_msg(c, ...) ck_assert(c)
#define fail_unless(c, ...) ck_assert(c)
#define fail_if(c, ...) ck_assert(!(c))
#define fail(...) abort()
#define RADDLE_CK(a, operator, b) ck_assert((a) operator (b))
#define ck_assert_int_eq(a, b) RADDLE_CK(a, ==, b)
#define ck_assert_int_ne(a, b) RADDLE_CK(a, !=, b)
#define ck_assert_int_lt(a, b) RADDLE_CK(a, <, b)
#define ck_assert_int_le(a, b) RADDLE_CK(a, <=, b)
#define ck_assert_int_gt(a, b) RADDLE_CK(a, >, b)
#define ck_assert_int_ge(a, b) RADDLE_CK(a, >=, b)
#define ck_assert_uint_eq(a, b) RADDLE_CK(a, ==, b)
#define ck_assert_uint_ne(a, b) RADDLE_CK(a, !=, b)
#define ck_assert_uint_lt(a, b) RADDLE_CK(a, <, b)
#define ck_assert_uint_le(a, b) RADDLE_CK(a, <=, b)
#define ck_assert_uint_gt(a, b) RADDLE_CK(a, >, b)
#define ck_assert_uint_ge(a, b) RADDLE_CK(a, >=, b)
#define ck_assert_ptr_eq(a, b) RADDLE_CK(a, ==, b)
#define ck_assert_ptr_ne(a, b) RADDLE_CK(a, !=, b)
#define ck_assert_ptr_null(a) RADDLE_CK(a, ==, NULL)
#define ck_assert_ptr_nonnull(a) RADDLE_CK(a, !=, NULL)
#define ck_assert_double_eq(a, b) RADDLE_CK(a, ==, b)
#define ck_assert_str_eq(a, b) ck_assert(strcmp((a), (b)) == 0)
#define ck_assert_str_ne(a, b) ck_assert(strcmp((a), (b)) != 0)
#define ck_assert_mem_eq(a, b, n) ck_assert(memcmp((a), (b), (n)) == 0)

#endif
