//@ run: races --op bump
//@ revisions: links owners
// A link within a structure: the structure around the link is not known from the link's type, and that is said.
#include <stddef.h>

struct link {
    struct link *next;
};

struct item {
    int count;
    struct link link;
};

struct list {
    struct link head;
};

#ifdef links
void bump(struct list *l)
{
    if (l->head.next)
        ((struct item *)((char *)l->head.next - offsetof(struct item, link)))->count = 1;
}
//~[links] INCONCLUSIVE ledger=unsupported
#else
void bump(struct item *i)
{
    if (i->link.next == &i->link)
        ((struct item *)((char *)i->link.next - offsetof(struct item, link)))->count = 1; //~[owners] RACE write/write
}
#endif
