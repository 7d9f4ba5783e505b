#pragma once
typedef struct X { int o; } X;
typedef struct Y { int v; } Y;
typedef struct Z Z;
typedef struct A A;
X *x_new(void); Y *y_new(void); Z *z_new(void); A *a_new(void);
void a_foo(A *a, Y *y);
void a_bar(A *a, Z *z);
void z_baz(Z *z, X *x);
