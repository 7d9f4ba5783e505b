//@ run: races --op contains --op length --op length_above
//@ revisions: plain counted cut
//@[cut] flags: --unroll 2
// Different operations that only read cannot interfere, and are not explored together. So the executions are those of equal
// ones: of `contains` with itself one on an empty list, four on a list of one node, and on one of two nodes twelve (the two
// may have equal keys, and then both are found or none); of the others one on each. `length_above` writes only what is its
// own. Where one of them is cut short, so is every pair with it.
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
    l->hits += found; //~[counted] RACE read/write //~[counted] RACE write/write //~[counted] RACE@hits write
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
#ifdef counted
    int lengths[2] = {l->hits, 0}; //~[counted] RACE@hits read
#else
    int lengths[2] = {0, 0};
#endif
    for (const struct node *n = l->first; n; n = n->next)
        lengths[1]++;
    return lengths[1] - lengths[0];
}

//~[plain] SAFE executions=23
//~[cut] INCONCLUSIVE ledger=loop_bound
//~[cut] PAIR contains length inconclusive
//~[cut] PAIR length length_above inconclusive
//~[plain] PAIR length length_above safe
//~[counted] PAIR length length_above safe
