//@ run: races --heaps any
//@ revisions: grows moved
// Where a variable leads to another object behind the call, or it is not certain that what ends is what it led to, nothing is ended for a
// caller who has it to himself: others use the variable, and its lock does not help them.
#include <pthread.h>
#include <stdlib.h>

struct text {
    int length;
    char bytes[2];
};

struct text *text_new(void)
{
    return calloc(1, sizeof(struct text));
}

void text_grow(struct text **t)
{
#ifdef grows
    struct text *longer = calloc(1, sizeof *longer); //~[grows] RACE
    free(*t); //~[grows] RACE
    *t = longer; //~[grows] RACE
                 //~^[grows] RACE write/write
#endif
#ifdef moved
    struct text **other = t;
    struct text *none = NULL;
    if ((*t)->length > 3) //~[moved] RACE
        other = &none;
    free(*other); //~[moved] RACE
    *other = NULL; //~[moved] RACE
                   //~^[moved] RACE write/write
#endif
}

int text_length(struct text **t)
{
    return (*t)->length; //~ RACE
}

//~ PAIR text_grow text_length findings
