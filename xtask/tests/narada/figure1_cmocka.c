#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "figure1.h"
static int init(void **state) { *state = lib_new(); return 0; }
static void update(void **state) { lib_update(*state); }
static void set(void **state) { struct counter *c = counter_new(); lib_set(*state, c); assert_int_equal(c->count, 0); }
int main(void) { const struct CMUnitTest tests[] = { cmocka_unit_test_setup(update, init), cmocka_unit_test_setup(set, init) }; return cmocka_run_group_tests(tests, NULL, NULL); }
