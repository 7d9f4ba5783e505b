#include "figure13.h"
#include <pthread.h>
#include <stdlib.h>
struct Z { X *w; };
struct A { pthread_mutex_t m; X *x; Y *y; };
X *x_new(void) { return calloc(1, sizeof(X)); }
Y *y_new(void) { return calloc(1, sizeof(Y)); }
Z *z_new(void) { Z *z = calloc(1, sizeof(Z)); z->w = x_new(); return z; }
A *a_new(void) { A *a = calloc(1, sizeof(A)); pthread_mutex_init(&a->m, NULL); a->x = x_new(); return a; }
void a_foo(A *a, Y *y) {
    pthread_mutex_lock(&a->m);
    A *b = a;
    X *t = b->x;
    t->o = rand();
    b->y = y;
    pthread_mutex_unlock(&a->m);
}
void a_bar(A *a, Z *z) { a->x = z->w; }
void z_baz(Z *z, X *x) { z->w = x; }
