//@ run: check
// What the processor's clock shows is any value.
#include <assert.h>

static inline unsigned long long ticks(void)
{
    unsigned low, high;
    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}

int main(void)
{
    assert(ticks() != 12345678901ull); //~ ASSERTION
    return 0;
}
