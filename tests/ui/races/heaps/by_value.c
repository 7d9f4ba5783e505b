//@ run: races --op set
//@ revisions: by_value by_pointer
// A structure that is passed by value is not explored, and that is said.
struct point {
    int x, y;
};

static int last;

#ifdef by_value
void set(struct point p)
{
    last = p.x;
}
//~[by_value] INCONCLUSIVE ledger=unsupported
#else
void set(struct point *p)
{
    last = p->x; //~[by_pointer] RACE write/write
}
#endif
