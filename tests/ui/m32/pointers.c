//@ run: check
//@ revisions: raced fixed
//@ clang: -m32
// Pointers of four bytes: in unions, copied byte by byte, as integers, and as atomic objects.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    union {
        char *text;
        uint32_t word;
        unsigned char bytes[4];
    } u;
    long value;
};

_Static_assert(sizeof(struct node) == 12, "the layout of i386");

static _Atomic(struct node *) head;
static _Atomic uint64_t wide;
#ifdef raced
static struct node *last;
#else
static _Atomic(struct node *) last;
#endif

static void push(long value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load(&head);
    while (!atomic_compare_exchange_strong(&head, &n->next, n))
        ;
    last = n; //~[raced] RACE write/write
}

static void *worker(void *argument)
{
    push((long)argument);
    atomic_fetch_add(&wide, 0x100000001ull);
    return argument;
}

static void bytewise(void)
{
    char text[] = "abc";
    struct node a = {0}, b;
    a.u.text = text + 1;
    for (unsigned i = 0; i < sizeof a.u; i++)
        b.u.bytes[i] = a.u.bytes[i];
    memcpy(&b.next, &a.u.bytes, sizeof b.next);
    assert(b.u.text[0] == 'b' && (char *)b.next == text + 1);

    uintptr_t number = (uintptr_t)text;
    uint64_t longer = number;
    assert(*(char *)(uintptr_t)longer == 'a' && *(char *)(number + 2) == 'c');
    assert((char *)(number + 0xffffffffu) == text - 1);
    assert(text + 3 - text == 3 && sizeof(text + 3 - text) == 4);
}

int main(void)
{
    pthread_t thread;
    void *result;
    bytewise();
    pthread_create(&thread, NULL, worker, (void *)7);
    push(3);
    atomic_fetch_add(&wide, 0x100000001ull);
    pthread_join(thread, &result);
    assert((long)result == 7);
    assert(wide == 0x200000002ull);
    assert(head->value + head->next->value == 10 && !head->next->next);
    free(head->next);
    free(head);
    return 0;
}
//~[fixed] SAFE
