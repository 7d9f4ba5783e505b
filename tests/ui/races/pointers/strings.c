//@ run: races
//@ revisions: kept shared initial
//@[initial] flags: --globals initial
// A string in a structure ends in its array, and a pointer into an array stays there: a heap in which it is not so is no heap of a
// caller's, and no reason to take what stands behind the array for read. What stands in it is read, though.
#include <pthread.h>
#include <string.h>

struct entry {
    char name[3];
    char value[3];
    char note[3];
    pthread_mutex_t lock;
};

// `char *` of the caller's may be an entry's name.
static int length(const char *text)
{
    int n = 0;
    while (*text) { //~[shared] RACE@c0 read
        text++;
        n++;
    }
    return n;
}

int caller_length(struct entry *e, const char *text)
{
    return length(text) + (e == 0);
}

int name_length(struct entry *e)
{
    return (int)strlen(e->name); //~[shared] RACE@c1 read
}

int is_named(struct entry *e)
{
    return strcmp(e->name, "ab") == 0; //~[shared] RACE@c2 read
}

int name_sum(struct entry *e)
{
    int sum = 0;
    for (char *c = e->name; *c; c++) //~[shared] RACE@c3 read
        sum += *c; //~[shared] RACE@c5 read
    return sum;
}

// From the end backwards: the end of one array is the beginning of the next.
int name_last(struct entry *e)
{
    for (char *c = e->name + 3; c-- > e->name;)
        if (*c) //~[shared] RACE@c4 read
            return *c; //~[shared] RACE@c6 read
    return 0;
}

void set(struct entry *e, char c, int i)
{
    pthread_mutex_lock(&e->lock);
    char *value = e->value;
    value[i] = c;
#ifdef shared
    e->name[1] = c; //~[shared] RACE@c0,c1,c2,c3,c4,c5,c6 write
#endif
    pthread_mutex_unlock(&e->lock);
}
//~[kept,initial] SAFE
