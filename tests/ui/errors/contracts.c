//@ run: races
//@ revisions: unknown elsewhere contradiction group
//@[unknown] flags: --exclusive inti
//@[elsewhere] flags: --op add --serial add,init
//@[contradiction] flags: --op add --op init --exclusive init --concurrent init
//@[group] flags: --serial add,,init
// What callers are said to keep to names operations that are explored, and says one thing of each.
//~ EXIT 1
struct counter {
    int value;
};

void init(struct counter *c)
{
    c->value = 0;
}

void add(struct counter *c)
{
    c->value++;
}
