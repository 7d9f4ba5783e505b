//@ run: check
//@ revisions: one two late
//@ tsan-silent: printf and puts leave no trace in a generated test, where their reads are steps of the schedule
// What a call prints is read in one step, all of it: a thread whose strings are still there goes on.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *name, *text;
static int printed;

static void *print(void *unused)
{
#ifdef one
    puts(text); //~[one] RACE@text read
#else
    printf("%s: %s", name, text); //~[two] RACE@text read
#endif
    pthread_mutex_lock(&lock);
    printed = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    name = calloc(2, 1);
    text = calloc(2, 1);
    name[0] = 'n';
    text[0] = 't';
    char *old = text;
    pthread_t printer;
    pthread_create(&printer, NULL, print, NULL);
#ifdef late
    pthread_join(printer, NULL);
    printed = 0;
#endif
#ifdef one
    old[1] = 0; //~[one] RACE@text write
#else
    free(old); //~[two] RACE@text free
#endif
    pthread_mutex_lock(&lock);
    assert(!printed); //~[one,two] ASSERTION
    pthread_mutex_unlock(&lock);
#ifndef late
    pthread_join(printer, NULL);
#endif
}
//~[late] SAFE
