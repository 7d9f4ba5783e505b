//@ run: races --op set
//@ revisions: by_value by_pointer
// A structure that is passed by value is its call's own; what is done with it may race all the same.
struct point {
    int x, y;
};

static int last;

#ifdef by_value
void set(struct point p)
{
    p.y = 1;
    last = p.x; //~[by_value] RACE write/write
}
#else
void set(struct point *p)
{
    p->y = 1; //~[by_pointer] RACE write/write
    last = p->x; //~[by_pointer] RACE write/write
}
#endif
