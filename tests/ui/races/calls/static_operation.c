//@ run: races
//@ flags: --op bump
// A function that nothing in the file calls is an operation all the same.
struct counter {
    int value;
};

static void bump(struct counter *c)
{
    c->value = 1; //~ RACE@value write
    //~^ RACE@value write
}
