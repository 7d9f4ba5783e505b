// Locked instructions and barriers in the templates that libraries use.
// needs: 64 bits, for the time stamp in `rax`
#include <stdio.h>
#include <stdint.h>

static inline uint32_t fetch_add(volatile uint32_t *p, uint32_t v)
{
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
    return v;
}

static inline void *swap_pointer(void *volatile *p, void *v)
{
    __asm__ __volatile__("xchgq %0,%1" : "=r"(v) : "m"(*p), "0"(v) : "memory");
    return v;
}

static inline uint8_t swap_byte(volatile uint8_t *p, uint8_t v)
{
    __asm__ __volatile__("xchgb %0,%1" : "+q"(v), "+m"(*p) : : "memory");
    return v;
}

static inline uint64_t cas64(volatile uint64_t *p, uint64_t old, uint64_t new)
{
    uint64_t found;
    __asm__ __volatile__("lock; cmpxchgq %2,%1" : "=a"(found), "+m"(*p) : "r"(new), "0"(old) : "memory");
    return found;
}

static inline char cas_flag(volatile int *p, int old, int new)
{
    char ok;
    __asm__ __volatile__("lock; cmpxchgl %3, %0; setz %1" : "=m"(*p), "=q"(ok), "+a"(old) : "r"(new) : "memory");
    return ok;
}

static inline int dec_and_test(volatile int *p)
{
    unsigned char zero;
    __asm__ __volatile__("lock\n\tdecl %0\n\tsete %1" : "+m"(*p), "=qm"(zero) : : "memory");
    return zero != 0;
}

static inline int add_negative(volatile int *p, int i)
{
    int sign;
    __asm__ __volatile__("lock; addl %2,%0" : "+m"(*p), "=@ccs"(sign) : "ir"(i) : "memory");
    return sign;
}

static inline unsigned short add16(volatile unsigned short *p, unsigned short v)
{
    unsigned short old = v;
    __asm__ __volatile__("lock xaddw %w0, %1" : "+r"(old), "+m"(*p) : : "memory");
    return old + v;
}

int main(void)
{
    uint32_t a = 5;
    printf("%u %u\n", fetch_add(&a, 7), a);
    int x = 1, y = 2;
    void *p = &x;
    void *old = swap_pointer(&p, &y);
    printf("%d %d\n", old == &x, *(int *)p);
    uint8_t b = 200;
    printf("%d %d\n", swap_byte(&b, 13), b);
    uint64_t c = 1ull << 40;
    printf("%llx ", (unsigned long long)cas64(&c, 1ull << 40, 77));
    printf("%llx %llx\n", (unsigned long long)cas64(&c, 1, 2), (unsigned long long)c);
    int d = 3;
    printf("%d %d %d\n", cas_flag(&d, 3, 9), cas_flag(&d, 3, 10), d);
    int e = 2;
    printf("%d %d %d\n", dec_and_test(&e), dec_and_test(&e), e);
    int f = 1;
    printf("%d %d %d\n", add_negative(&f, -1), add_negative(&f, -5), f);
    unsigned short g = 65530;
    printf("%u %u\n", add16(&g, 10), g);
    __asm__ __volatile__("" : : : "memory");
    __asm__ __volatile__("pause");
    __asm__ __volatile__("rep; nop" : : : "memory");
    __asm__ __volatile__("mfence" ::: "memory");
    __asm__ __volatile__("lfence" ::: "memory");
    __asm__ __volatile__("sfence" ::: "memory");
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    __asm__ __volatile__("prefetcht0 %0" : : "m"(a));
    __asm__ __volatile__("lock; incl %0" : "+m"(f));
    __asm__ __volatile__("lock; orl %1,%0" : "+m"(f) : "ir"(64));
    __asm__ __volatile__("lock; andl $-3,%0" : "+m"(f));
    __asm__ __volatile__("lock; subq %1,(%0)" : : "r"(&c), "r"((uint64_t)7) : "memory");
    printf("%d %llu\n", f, (unsigned long long)c);
    double kept = 1.5;
    __asm__("" : "+x"(kept));
    int hidden = 42;
    __asm__ volatile("" : "=r"(hidden) : "0"(hidden));
    printf("%g %d\n", kept, hidden);
    return 0;
}
