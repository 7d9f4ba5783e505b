//@ run: races --op last
//@ revisions: counted plain
// A walk to the end never returns on a cyclic list: cycles are outside of the operation's precondition. What it writes
// at the end races on the other shapes.
struct node {
    int visits;
    struct node *next;
};

int last(struct node *n)
{
    while (n->next)
        n = n->next;
#ifdef counted
    n->visits = 1; //~[counted] RACE write/write
#endif
    return 0;
}
//~ DROPPED last
//~[plain] SAFE executions=3
