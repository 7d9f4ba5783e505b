// errno and its texts, the end of the process, the environment that the program makes itself.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void first(void) { printf("first registered, last run\n"); }
static void second(void) { printf("second\n"); }

int main(int argc, char **argv)
{
    for (int i = 0; i < 40; i++)
        printf("%s\n", strerror(i));
    printf("%s %s\n", strerror(-1), strerror(12345));
    errno = 5;
    printf("%d %d\n", setenv("RADDLE_TEST", "value", 1), setenv("RADDLE_TEST", "other", 0));
    printf("%s\n", getenv("RADDLE_TEST"));
    printf("%d %d %d\n", setenv("RADDLE_TEST", "new", 1), setenv("A=B", "x", 1), errno == EINVAL);
    printf("%s\n", getenv("RADDLE_TEST"));
    printf("%d %d\n", unsetenv("RADDLE_TEST"), getenv("RADDLE_TEST") == NULL);
    char *words[] = {"program", "-a", "-bvalue", "-c", "next", "-xa", "--", "rest", NULL};
    opterr = 0;
    for (int option; (option = getopt(8, words, "ab:c:")) != -1;)
        printf("%c %s %d\n", option, optarg ? optarg : "-", optind);
    printf("%d %c\n", optind, optopt);
    printf("%s %d\n", setlocale(LC_ALL, "C"), getpagesize());
    assert(argc == 1 && argv[1] == NULL);
    atexit(first);
    printf("%d\n", atexit(second));
    return 300;
}
