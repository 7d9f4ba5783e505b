#include "figure13.h"
static void t1(void) { A *a = a_new(); Y *y = y_new(); a_foo(a, y); }
static void t2(void) { A *a = a_new(); Z *z = z_new(); a_bar(a, z); }
static void t3(void) { Z *z = z_new(); X *x = x_new(); z_baz(z, x); }
int main(void) { t1(); t2(); t3(); return 0; }
