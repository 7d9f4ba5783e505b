//@ run: races --op contains --op length --op length_above
//@ revisions: plain counted cut
//@[cut] flags: --unroll 2
// Operations that only read cannot interfere: each is run by itself, and nothing of them together. So the executions are
// those of one thread: `contains` has one on an empty list, two on a list of one node and four on one of two; `length`
// one on each. `length_above` writes only what is its own. Where one of them is cut short, so is every pair with it.
struct node {
    int key;
    struct node *next;
};

struct list {
    struct node *first;
    int hits;
};

int contains(struct list *l, int key)
{
    int found = 0;
    for (struct node *n = l->first; n; n = n->next)
        if (n->key == key)
            found = 1;
#ifdef counted
    l->hits += found; //~[counted] RACE read/write //~[counted] RACE write/write
#endif
    return found;
}

int length(const struct list *l)
{
    int length = 0;
    for (const struct node *n = l->first; n; n = n->next)
        length++;
    return length;
}

int length_above(const struct list *l)
{
    int lengths[2] = {0, 0};
    for (const struct node *n = l->first; n; n = n->next)
        lengths[1]++;
    return lengths[1] - lengths[0];
}

//~[plain] SAFE executions=13
//~[cut] INCONCLUSIVE ledger=loop_bound
//~[cut] PAIR contains length inconclusive
//~[cut] PAIR length length_above inconclusive
//~[plain] PAIR length length_above safe
//~[counted] PAIR length length_above safe
