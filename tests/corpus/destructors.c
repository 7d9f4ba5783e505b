// Constructors and destructors with priorities, around main and exit.
#include <stdio.h>
#include <stdlib.h>

#define AROUND(N, P)                                                                                                   \
    __attribute__((constructor(P))) static void up_##N(void) { printf("up " #N "\n"); }                                \
    __attribute__((destructor(P))) static void down_##N(void) { printf("down " #N "\n"); }
AROUND(late, 500)
AROUND(early, 150)
__attribute__((constructor)) static void up(void) { printf("up\n"); }
__attribute__((destructor)) static void down_a(void) { printf("down a\n"); }
__attribute__((destructor)) static void down_b(void) { printf("down b\n"); }

static void leave(int depth)
{
    if (depth == 0)
        exit(9);
    leave(depth - 1);
}

int main(void)
{
    printf("main\n");
    leave(3);
    return 1;
}
