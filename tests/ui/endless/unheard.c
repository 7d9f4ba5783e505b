//@ run: check
//@ revisions: quiet wrong
// A thread that asks for ever, and does nothing that anybody could see with what it is told, comes back to where it was: what it was told before is
// nothing to it. Names of inputs say how often something was asked, and are no part of that.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void raddle_symbolic(void *at, size_t size, const char *name);

static int ask(void)
{
    int answer;
    raddle_symbolic(&answer, sizeof answer, "answer");
    return answer;
}

static void *forgets(void *arg)
{
    int last = 0;
    for (;;)
        last = ask();
    return last ? arg : NULL;
}

static void *counts_modulo_three(void *arg)
{
    int state = 0;
    for (;;) {
        if (ask() > 5)
            state = (state + 1) % 3;
        else if (state == 2)
            state = 0;
#ifdef wrong
        assert(state != 2); //~[wrong] ASSERTION
#endif
    }
    return state ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, forgets, NULL);
    pthread_create(&threads[1], NULL, counts_modulo_three, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
//~[quiet] SAFE
