#include "minunit.h"
#include "figure1.h"
static struct lib *l;
static void setup(void) { l = lib_new(); }
MU_TEST(update) { lib_update(l); }
MU_TEST(set) { struct counter *c = counter_new(); lib_set(l, c); mu_check(c->count == 0); }
MU_TEST_SUITE(all) { MU_SUITE_CONFIGURE(&setup, NULL); MU_RUN_TEST(update); MU_RUN_TEST(set); }
int main(void) { MU_RUN_SUITE(all); MU_REPORT(); return MU_EXIT_CODE; }
