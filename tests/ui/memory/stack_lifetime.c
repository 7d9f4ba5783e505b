//@ run: check
//@ revisions: returned outlives
// The address of a local that outlives its function.
static int *slot;

static void publish(int v)
{
#ifdef outlives
    static int kept;
#else
    int kept;
#endif
    kept = v;
    slot = &kept;
}

int main(void)
{
    publish(3);
    return *slot - 3; //~[returned] USE_AFTER_FREE
}
//~[outlives] SAFE executions=1
