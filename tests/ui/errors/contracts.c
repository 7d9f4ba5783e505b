//@ run: races
//@ revisions: unknown elsewhere contradiction group
//@[unknown] flags: --exclusive inti
//@[elsewhere] flags: --op add --serial add,init
//@[contradiction] flags: --op add --op init --exclusive init --concurrent init
//@[group] flags: --serial add,,init
// What callers are said to keep to names operations that are explored, and says one thing of each.
//~[unknown] ERROR --exclusive: there is no operation `inti`; did you mean init?
//~[elsewhere] ERROR --serial: `init` is none of the operations that are explored: add
//~[contradiction] ERROR `init` cannot be both
//~[group] ERROR `add,,init` is not of the form
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
