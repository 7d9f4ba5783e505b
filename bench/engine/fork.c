/* 1,000 objects and 10 frames, then an open branch: what a fork costs. */
#include <stddef.h>
#include <stdlib.h>
extern void klee_make_symbolic(void *, size_t, const char *);
struct node { struct node *next; int key; };

static int deep(int frames, struct node *list)
{
    if (frames > 1) return deep(frames - 1, list) + 1;
    int choice;
    klee_make_symbolic(&choice, sizeof choice, "choice");
    if (choice > list->key) return 1;
    return 2;
}

int main(void)
{
    struct node *list = NULL;
    for (int i = 0; i < 1000; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->key = i;
        list = n;
    }
    return deep(9, list);
}
