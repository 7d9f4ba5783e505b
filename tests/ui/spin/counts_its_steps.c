//@ run: check
//@ revisions: counted uncounted open sums
// A walk round a list that leads back into itself never ends, also where it counts its steps: what it adds up decides nothing.
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
    int key;
};

#if defined(open)
static struct node a = {NULL, 1};
#else
static struct node a = {&a, 1};
#endif
static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    head = &a;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *count(void *unused)
{
    int steps = 0;
    pthread_mutex_lock(&lock);
    struct node *p = head;
    if (p) {
        for (struct node *q = p->next; q; q = p->next) { //~[counted,uncounted,sums] DEADLOCK
#if defined(counted) || defined(open)
            steps++;
#elif defined(sums)
            steps += q->key;
#endif
            p = q;
        }
        p->key = 0 * steps;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t adder, counter;
    pthread_create(&adder, NULL, add, NULL);
    pthread_create(&counter, NULL, count, NULL);
    pthread_join(adder, NULL);
    pthread_join(counter, NULL); //~[counted,uncounted,sums] DEADLOCK
    return 0;
}
//~[open] SAFE
