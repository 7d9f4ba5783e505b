//@ run: races
//@ revisions: two three inside_other only_element
//@[two] flags: --array 2
//@[three] flags: --array 3
// How many elements the array at the end of a record has is --array's to say. Where they would overlap something else,
// nothing is made up: the ledger has what lies beyond the declared element.

struct vector {
    unsigned n;
    int data[1];
};
#ifdef inside_other
struct pair {
    struct vector first;
    unsigned second;
};
struct pair pair;
#endif

void set(struct vector *v)
{
#if defined(two) || defined(three)
    if (v->n > 2)
        v->data[v->n - 1] = 1; //~[three] RACE write/write
#elif defined(inside_other)
    if (v->n > 1 && pair.second == 0) //~[inside_other] RACE@over read
        v->data[v->n - 1] = 1; //~[inside_other] RACE@over write //~[inside_other] RACE write/write
#else
    v->data[0] += v->n; //~[only_element] RACE read/write //~[only_element] RACE write/write
#endif
}
//~[two] SAFE executions=1
//~[two,three] DROPPED set
//~[inside_other] FINDINGS ledger=unsupported
