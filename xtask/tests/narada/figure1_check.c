#include <check.h>
#include "figure1.h"
START_TEST(update) { struct lib *l = lib_new(); lib_update(l); ck_assert_int_eq(1, 1); } END_TEST
START_TEST(set) { struct lib *l = lib_new(); struct counter *c = counter_new(); lib_set(l, c); } END_TEST
int main(void) {
    Suite *s = suite_create("lib"); TCase *t = tcase_create("core");
    tcase_add_test(t, update); tcase_add_test(t, set); suite_add_tcase(s, t);
    SRunner *r = srunner_create(s); srunner_run_all(r, CK_NORMAL); int f = srunner_ntests_failed(r); srunner_free(r); return f != 0;
}
