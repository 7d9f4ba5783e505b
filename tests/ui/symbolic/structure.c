//@ run: check --depth 2
//@ revisions: wrong right
// raddle_structure: every list up to the depth, counted from what the variable points to. Its shapes: the variable null;
// one node with its next null or itself; two nodes, the second with its next null, the first or itself. Together six.
#include <assert.h>
#include <raddle.h>
#include <stddef.h>

struct node {
    struct node *next;
};

int main(void)
{
    struct node *list;
    int n = 0;
    raddle_structure(&list, sizeof list, "list");
    struct node *p = list;
    for (; p && n < 3; p = p->next)
        n++;
#ifdef wrong
    assert(p == NULL); //~[wrong] ASSERTION
#else
    assert(n < 3 || p != NULL);
#endif
    return 0;
}
//~[right] SAFE shapes=6
