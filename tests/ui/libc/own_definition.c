//@ run: check
// A function that the program defines itself wins, whatever its name.
#include <assert.h>
#include <string.h>

size_t strcspn(const char *text, const char *set)
{
    return text == set ? 7 : 8;
}

int main(void)
{
    const char *text = "abc";
    assert(strcspn(text, text) == 7);
    assert(strchr(text, 'c') == text + 2);
    return 0;
}
//~ SAFE executions=1
