#ifdef OWN
#error "a flag of the other source's"
#endif

#ifdef raced
static int n;
#else
static _Atomic int n;
#endif

int step(void)
{
    return n += STEP; //~[raced] RACE read/write //~[raced] RACE write/write
}

int count(void)
{
    return n;
}
