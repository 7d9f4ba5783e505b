//@ run: races
//@ revisions: member parameter variable own
//@ flags: --op fire
// A client's function may be anything; without one in the program that fits, nothing is known of what follows the call.
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
    e->fired = 1;
#elif defined(variable)
    if (hook) {
        hook(2);
        e->fired = 1;
    }
#elif defined(member)
    if (e->call) {
        e->call(2);
        e->fired = 1;
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
//~[member] INCONCLUSIVE ledger=external_call
//~[parameter] INCONCLUSIVE ledger=external_call,vacuous
//~[variable] INCONCLUSIVE ledger=external_call
