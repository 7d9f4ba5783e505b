/* Two sequential tests of skiplist.c, as its author may have written them.
 *
 *     raddle synth examples/skiplist.c --tests examples/skiplist_test.c -o racy
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct node {
    int key;
    int value;
    pthread_mutex_t mutex;
    struct node *next[2];
};

bool search(struct node *h, int key);
bool insert(struct node *h, int key, int value);

void test_insert_keeps_the_order(void)
{
    struct node head = {0};
    pthread_mutex_init(&head.mutex, NULL);
    assert(insert(&head, 2, 20));
    assert(insert(&head, 4, 40));
    assert(insert(&head, 3, 30));
    assert(head.next[0]->key == 2 && head.next[0]->next[0]->key == 3);
}

void test_search_finds_what_was_inserted(void)
{
    struct node head = {0};
    pthread_mutex_init(&head.mutex, NULL);
    assert(!search(&head, 5));
    assert(insert(&head, 5, 50));
    assert(search(&head, 5));
    assert(!search(&head, 6));
}
