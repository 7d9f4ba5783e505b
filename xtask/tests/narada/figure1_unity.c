#include "unity.h"
#include "figure1.h"
static struct lib *l;
void setUp(void) { l = lib_new(); }
void tearDown(void) { }
static void test_update(void) { lib_update(l); }
static void test_set(void) { struct counter *c = counter_new(); lib_set(l, c); TEST_ASSERT_EQUAL_INT(0, c->count); }
int main(void) { UNITY_BEGIN(); RUN_TEST(test_update); RUN_TEST(test_set); return UNITY_END(); }
