// needs: 64 bits, for its registers
// Pointers and integers share registers in inline assembly.
#include <stdint.h>
#include <stdio.h>

static void *swap_pointer(void *volatile *place, void *with)
{
    void *old;
    __asm__ __volatile__("xchgq %0,%1" : "=r"(old), "+m"(*place) : "0"((unsigned long)with) : "memory");
    return old;
}

static uintptr_t swap_address(void *volatile *place, void *with)
{
    uintptr_t old;
    __asm__ __volatile__("xchgq %0,%1" : "=r"(old), "+m"(*place) : "0"(with) : "memory");
    return old;
}

static void *compare_and_swap(void *volatile *place, void *expected, void *with)
{
    void *old;
    __asm__ __volatile__("lock; cmpxchgq %2,%1"
                         : "=a"(old), "+m"(*place)
                         : "r"((unsigned long)with), "0"((unsigned long)expected)
                         : "memory");
    return old;
}

int main(void)
{
    static int a, b, c;
    void *volatile p = &a;
    printf("%d\n", swap_pointer(&p, &b) == &a && p == &b);
    printf("%d\n", swap_address(&p, &c) == (uintptr_t)&b && p == &c);
    printf("%d\n", compare_and_swap(&p, &a, &b) == &c && p == &c);
    printf("%d\n", compare_and_swap(&p, &c, &a) == &c && p == &a);
    *(int *)p = 7;
    return a;
}
