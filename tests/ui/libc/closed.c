//@ run: check
//@ revisions: twice late apart joined reopened
// A stream is not used once it is closed, whoever does either.
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *writer(void *arg)
{
    fputs("x", file); //~[apart] USE_AFTER_FREE
    return arg;
}

int main(void)
{
    pthread_t thread;
    file = fopen("log", "w");
    if (!file)
        return 1;
#if defined twice
    fclose(file);
    fclose(file); //~[twice] USE_AFTER_FREE
#elif defined late
    fclose(file);
    fprintf(file, "%d", 1); //~[late] USE_AFTER_FREE
#elif defined reopened
    if (!freopen("other", "w", file))
        return 2;
    fputs("y", file);
    fclose(file);
    file = fopen("log", "w");
    if (file)
        fclose(file); //~[reopened] SAFE
#else
    pthread_create(&thread, 0, writer, 0);
#ifdef joined
    pthread_join(thread, 0);
#endif
    fclose(file); //~[joined] SAFE
#ifdef apart
    pthread_join(thread, 0);
#endif
#endif
    return 0;
}
