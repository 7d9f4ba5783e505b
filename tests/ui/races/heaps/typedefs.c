//@ run: races
// Parameters and members by names of types: pointers, and numbers of each signedness.
#include <stdint.h>

enum colour { RED, BLUE };
typedef struct node *list;
typedef const struct node *const view;
typedef struct {
    unsigned count;
    list head;
} set;
typedef short level;
struct node {
    unsigned char key;
    int8_t small;
    unsigned long big;
    enum colour colour;
    _Bool flag;
};

void mark(list l, unsigned char key, unsigned limit, level low, long gap)
{
    if (key > 200 && limit > 0x80000000u && low < -5 && gap == -1)
        l->key = key; //~ RACE@key write
    //~^ RACE
}

int look(view v)
{
    return v->key; //~ RACE@key read
}

void put(set *restrict s, int8_t value)
{
    struct node *n = s->head;
    if (value == -7 && n->small == -100 && n->big == 0xffffffffffffffffUL && n->colour == BLUE && n->flag)
        s->count = 4000000000u; //~ RACE@count write
    //~^ RACE@count write
}
