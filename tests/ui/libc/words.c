//@ run: check
//@ revisions: locked unlocked guessed
// What gettext and basename lead to can be read, and what the version does, which is a guess.
#define _GNU_SOURCE
#include <libintl.h>
#include <pthread.h>
#include <string.h>
#include <gnu/libc-version.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int words;

static void *count(void *arg)
{
#ifdef guessed
    if (gnu_get_libc_version()[0] != '2')
        return arg;
#endif
    if (gettext("text")[0] == 't' && basename("a/b")[0] == 'b') {
#ifndef unlocked
        pthread_mutex_lock(&lock);
#endif
        words++; //~[unlocked] RACE read/write //~[unlocked] RACE write/write
#ifndef unlocked
        pthread_mutex_unlock(&lock);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    count(NULL);
    pthread_join(t, NULL);
    return 0;
}
//~[locked] SAFE
//~[guessed] INCONCLUSIVE ledger=concretized
