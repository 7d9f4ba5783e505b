//@ run: races --op put --op flush --op get
//@ revisions: none serial exclusive
//@[serial] flags: --serial put,flush --serial get
//@[exclusive] flags: --exclusive put --exclusive flush
// One thread puts and flushes, one gets: callers keep to that, and raddle is told.
struct ring {
    int first, last;
    int items[2];
};

void put(struct ring *r, int item)
{
    r->items[r->last & 1] = item; //~[none,serial] RACE
    r->last = r->last + 1; //~[none,serial] RACE
}

void flush(struct ring *r)
{
    r->first = r->last; //~[none,serial] RACE
}

int get(struct ring *r)
{
    if (r->first == r->last) //~ RACE
        return -1;
    return r->items[r->first++ & 1]; //~ RACE
}
//~[serial] PAIR put put exclusive
//~[serial] PAIR put flush exclusive
//~[serial] PAIR get get exclusive
//~[serial] PAIR put get findings
//~[exclusive] PAIR put get exclusive
//~[exclusive] PAIR flush flush exclusive
//~[exclusive] PAIR get get findings
//~ FINDINGS
