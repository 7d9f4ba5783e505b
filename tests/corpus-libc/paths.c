// Parts of paths: every way that slashes can stand, by <libgen.h> and by GNU's basename. Messages in the "C" locale.
#define _GNU_SOURCE
#include <libintl.h>
#include <stdio.h>
#include <string.h>

extern char *__xpg_basename(char *path);
extern char *dirname(char *path);

static const char *const paths[] = {
    "", "/", "//", "///", "a", "a/", "/a", "a/b", "a//b", "/a/b/", "//a", "//a/b", "///a", "a///", "a/b//", "//a//", ".", "..", "/..",
    "a/..", "///a/b", "long/path//to/nowhere///",
};

int main(void)
{
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        char one[40], other[40];
        strcpy(one, paths[i]);
        strcpy(other, paths[i]);
        printf("[%s] [%s] ", paths[i], basename(paths[i]));
        printf("[%s] ", __xpg_basename(one));
        printf("[%s] ", dirname(other));
        printf("left [%s] [%s]\n", one, other);
    }
    printf("[%s] [%s]\n", __xpg_basename(NULL), dirname(NULL));
    printf("[%s] [%s] [%s]\n", gettext("text"), ngettext("one", "many", 1), dngettext("domain", "one", "many", 0));
    return 0;
}
