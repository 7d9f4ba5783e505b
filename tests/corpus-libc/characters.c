// All classes and both tables for every character and EOF.
#include <ctype.h>
#include <stdio.h>

#undef isalnum
#undef isalpha
#undef isdigit
#undef isspace
#undef isupper
#undef ispunct

int main(void)
{
    for (int c = -1; c < 256; c++) {
        printf("%d: %d %d %d %d %d %d", c, !!(isalnum)(c), !!(isalpha)(c), !!(isdigit)(c), !!(isspace)(c), !!(isupper)(c), !!(ispunct)(c));
        printf(" %d %d %d %d %d %d", !!isblank(c), !!iscntrl(c), !!isgraph(c), !!islower(c), !!isprint(c), !!isxdigit(c));
        printf(" %d %d %d %d\n", tolower(c), toupper(c), isascii(c), toascii(c));
    }
    for (int c = -128; c < 256; c++)
        printf("%d %d %d\n", (*__ctype_b_loc())[c], (*__ctype_tolower_loc())[c], (*__ctype_toupper_loc())[c]);
    return isalpha('x') ? 4 : 5;
}
