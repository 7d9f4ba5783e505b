// needs: 64 bits
// Moves and plain arithmetic in inline assembly.
#include <stdint.h>
#include <stdio.h>

static int word = 7;
static long wide = 1L << 40;
static unsigned char byte = 200;

static inline int load(const int *p)
{
    int v;
    __asm__ __volatile__("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
    return v;
}

static inline void store(int *p, int v) { __asm__ __volatile__("movl %1, %0" : "=m"(*p) : "r"(v) : "memory"); }

int main(void)
{
    store(&word, load(&word) + 1);
    printf("%d\n", word);
    __asm__("incl %0" : "+m"(word) : : "cc");
    __asm__("addl %1, %0" : "+m"(word) : "ir"(40) : "cc");
    printf("%d\n", word);
    long a = 3, b;
    __asm__("movq %1, %0\n\taddq $5, %0" : "=&r"(b) : "r"(a));
    printf("%ld %ld\n", a, b);
    __asm__("movq $-1, %0" : "=m"(wide));
    printf("%ld\n", wide);
    __asm__("movb %1, %0" : "=m"(byte) : "q"((unsigned char)9));
    printf("%d\n", byte);
    unsigned char zero;
    __asm__("subl %2, %0; sete %1" : "+r"(word), "=q"(zero) : "r"(word) : "cc");
    printf("%d %d\n", word, zero);
    int *p = &word, *q;
    __asm__("movq %1, %0" : "=r"(q) : "m"(p));
    *q = 12;
    printf("%d\n", word);
    return 0;
}
