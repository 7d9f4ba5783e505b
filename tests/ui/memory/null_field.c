//@ run: check
//@ revisions: wrong right
// A field behind a null pointer is no address either; writing through it stands at the store.
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

int main(void)
{
    struct node *n = calloc(1, sizeof *n);
#ifdef right
    n->next = calloc(1, sizeof *n);
#endif
    n->next->key = 4; //~[wrong] NULL_DEREFERENCE
    free(n->next);
    free(n);
    return 0;
}
//~[right] SAFE executions=1
