//@ run: check
// A thread calls a function with a loop in it again and again. Nothing changes in that function, nor in memory; how often it
// was called is known to its caller alone. So nobody goes in circles, and what comes afterwards counts.
#include <pthread.h>

static int shared;

static int half(int n)
{
    int steps = 0;
    while (n > 1) {
        n -= 2;
        steps++;
    }
    return steps;
}

static void *second(void *arg)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += half(6);
    shared = sum; //~ RACE@shared write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += half(6);
    shared = sum; //~ RACE@shared write
    pthread_join(t, NULL);
    return 0;
}
