//@ run: check
//@ revisions: wrong right
// A variadic function of this program, with arguments in registers and on the stack, of several types.
#include <assert.h>
#include <stdarg.h>

static long sum(const char *types, ...)
{
    va_list ap, again;
    long r = 0;
    va_start(ap, types);
    va_copy(again, ap);
    for (const char *t = types; *t; t++) {
        switch (*t) {
        case 'i': r += va_arg(ap, int); break;
        case 'l': r += va_arg(ap, long); break;
        case 'p': r += *va_arg(ap, int *); break;
        }
    }
    r += types[0] == 'i' ? va_arg(again, int) : 0;
    va_end(again);
    va_end(ap);
    return r;
}

int main(void)
{
    int ten = 10;
    long r = sum("ilpiiilp", 1, 2L, &ten, 3, 4, 5, 6L, &ten);
#ifdef wrong
    assert(r == 41); //~[wrong] ASSERTION
#else
    assert(r == 42);
#endif
    return 0;
}
//~[right] SAFE executions=1
