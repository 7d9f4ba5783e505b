//@ run: races
//@ flags: --op hog --op reset --op look --max-time 6 --array 64
// No time is enough for the first operation with itself, or with others. It does not keep the others from being explored.
struct table {
    int done;
    long *rows[64];
};

static long total(long *row, int begin, int end)
{
    return begin == end ? 0 : row[begin] + total(row, begin + 1, end);
}

long hog(struct table *t, int begin)
{
    long sum = 0;
    for (int i = 0; i < 64; i++)
        sum += total(t->rows[i], begin & 31, 63);
    return sum;
}

void reset(struct table *t)
{
    t->done = 0; //~ RACE@done write
    //~^ RACE
}

int look(struct table *t)
{
    return t->done; //~ RACE@done read
}
