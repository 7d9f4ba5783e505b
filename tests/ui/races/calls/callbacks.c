//@ run: races
//@ revisions: member parameter variable own
//@ flags: --op fire
// Without a function in the program that fits, a client has one: what follows the call is explored.
struct event {
    void (*call)(int);
    int fired;
};

void (*hook)(int);

static void ignore(int x)
{
    (void)x;
}

void fire(struct event *e, void (*call)(int))
{
#if defined(parameter)
    call(2);
    e->fired = 1; //~[parameter] RACE write/write
#elif defined(variable)
    if (hook) {
        hook(2);
        e->fired = 1; //~[variable] RACE write/write
    }
#elif defined(member)
    if (e->call) {
        e->call(2);
        e->fired = 1; //~[member] RACE write/write
    }
#else
    if (e->call) {
        e->call(2);
        e->fired = 1; //~[own] RACE@fired write
        //~^[own] RACE@fired write
    }
    if (call == ignore)
        return;
#endif
}
