#include "figure1.h"
void test_update(void) { struct lib *l = lib_new(); lib_update(l); }
static void test_set(void) { struct lib *l = lib_new(); struct counter *c = counter_new(); lib_set(l, c); }
