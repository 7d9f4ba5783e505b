//@ run: check
//@ revisions: read written race fixed
// A file that the program has not written may be there, with any few characters.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int limit;

static void *reload(void *arg)
{
    FILE *f = fopen("settings", "r");
    if (!f)
        return arg;
    int c = fgetc(f);
    fclose(f);
    if (c == 'x') {
#ifdef fixed
        pthread_mutex_lock(&m);
#endif
        limit = 1; //~[race] RACE write/write
#ifdef fixed
        pthread_mutex_unlock(&m);
#endif
    }
    return arg;
}

int main(void)
{
    (void)reload, (void)m;
#if defined(race) || defined(fixed)
    pthread_t a, b;
    pthread_create(&a, NULL, reload, NULL);
    pthread_create(&b, NULL, reload, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#elif defined(read)
    char line[8];
    FILE *f = fopen("settings", "r");
    if (f && fgets(line, sizeof line, f))
        assert(line[0] != 'k' || line[1] != '='); //~[read] ASSERTION
#else
    FILE *f = fopen("settings", "w");
    fputs("k=1", f);
    fclose(f);
    struct stat status;
    assert(stat("settings", &status) == 0 && status.st_size == 3);
    remove("settings");
    assert(stat("settings", &status) != 0);
#endif
    return limit > 1;
}
//~[read,race] FINDINGS ledger=concretized
//~[written] SAFE
//~[fixed] INCONCLUSIVE ledger=concretized
