//@ run: check
// What the environment chose on the way to a race, its generated test hands out as well.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static int winner;

static void *play(void *arg)
{
    if (rand() % 7 == 3)
        winner = 1; //~ RACE@both write
    return arg;
}

int main(void)
{
    pthread_t other;
    time_t before = time(NULL);
    pthread_create(&other, NULL, play, NULL);
    if (before % 1000 == 17 && rand() > 1000)
        winner = 2; //~ RACE@both write
    pthread_join(other, NULL);
    return 0;
}
