//@ run: check
// What fits is no finding, to the last byte.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char small[4] = "ab", number[4];
    strcat(small, "c");
    assert(stpcpy(small, "xyz") == small + 3);
    assert(sprintf(number, "%d", 123) == 3);
    assert(snprintf(number, sizeof number, "%d", 123456) == 6 && strcmp(number, "123") == 0);
    assert(strchr(small, 'y') == small + 1 && strpbrk(small, "q") == NULL);
    return 0;
}
//~ SAFE executions=1 paths=1
