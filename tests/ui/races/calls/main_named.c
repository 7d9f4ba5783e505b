//@ run: races --op main
//@ revisions: apart together
// The whole program, where it is named: its threads run one after the other, or together.
#include <pthread.h>
#include <stddef.h>

static int total;

void *add(void *argument)
{
    total += *(int *)argument; //~[together] RACE read/write
    //~^[together] RACE write/write
    return NULL;
}

int main(void)
{
    int amounts[2] = { 1, 2 };
    pthread_t one, other;
    pthread_create(&one, NULL, add, &amounts[0]);
#ifdef apart
    pthread_join(one, NULL);
#endif
    pthread_create(&other, NULL, add, &amounts[1]);
#ifdef together
    pthread_join(one, NULL);
#endif
    pthread_join(other, NULL);
    return total != 3;
}
//~[apart] SAFE executions=1
