//@ run: races --op add --memory sc --unroll 4 --valid is_free
//@ revisions: counted loaded
// An exchange that fails only reads, so the order of two that fail does not matter, nor does that of one and a load. Each
// thread may be the first to get the lock; the other fails n times, 0 to 4, before it is given back, and gets it then, or goes
// round more often than is explored: 2 * 6. Where it looks first, it has seen the lock free before the other took it, or not;
// if so, its exchange comes after all that the other does, or fails, and it looks again: 2 * (6 + 1 + 6).
struct spin {
    int lock;
    int value;
    int tries;
};

_Bool is_free(const struct spin *s)
{
    return s->lock == 0;
}

void add(struct spin *s)
{
    int tries = 0;
#ifdef loaded
    do {
        while (__atomic_load_n(&s->lock, __ATOMIC_SEQ_CST))
            tries++;
    } while (!__sync_bool_compare_and_swap(&s->lock, 0, 1));
#else
    while (!__sync_bool_compare_and_swap(&s->lock, 0, 1))
        tries++;
#endif
    s->value++;
    s->tries += tries;
    __sync_lock_release(&s->lock);
}
//~[counted] INCONCLUSIVE ledger=loop_bound executions=12
//~[loaded] INCONCLUSIVE ledger=loop_bound executions=26
