//@ run: races --op add
//@ revisions: by_copy of_number of_two of_other no_answer
//@[by_copy] flags: --valid by_value
//@[of_number] flags: --valid number
//@[of_two] flags: --valid two_parameters
//@[of_other] flags: --valid other_type
//@[no_answer] flags: --valid void_result
// A predicate is called with what an operation takes, or with nothing where it is about variables, and answers: any other function would restrict nothing, or
// everything, and the report would not say so.
#include <stdbool.h>

struct list {
    int length;
};

struct other {
    int value;
};

bool by_value(struct list l)
{
    return l.length > 0;
}

bool number(int length)
{
    return length > 0;
}

bool two_parameters(const struct list *l, int length)
{
    return l->length == length;
}

bool other_type(const struct other *o)
{
    return o->value > 0;
}

void void_result(const struct list *l)
{
    (void)l;
}

void add(struct list *l)
{
    l->length++;
}
//~ EXIT 1
