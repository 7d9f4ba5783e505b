//@ run: check
//@ revisions: right wrong unknown
// Files are in memory; two threads write whole lines, in either order.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *out;
static void *write_one(void *text)
{
    fputs(text, out);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    char line[8];
#ifdef unknown
    FILE *in = fopen("config", "r");
    return in != NULL;
#endif
    out = fopen("log", "w+");
    pthread_create(&a, NULL, write_one, "one\n");
    pthread_create(&b, NULL, write_one, "two\n");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    rewind(out);
    char *got = fgets(line, sizeof line, out);
    assert(got == line);
#ifdef wrong
    assert(strcmp(line, "one\n") == 0); //~[wrong] ASSERTION
#else
    assert(strcmp(line, "one\n") == 0 || strcmp(line, "two\n") == 0);
#endif
    fclose(out);
    return 0;
}
//~[right] SAFE executions=2
//~[unknown] INCONCLUSIVE ledger=concretized
