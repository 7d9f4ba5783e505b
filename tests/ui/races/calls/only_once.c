//@ run: races
// What may be done but once: on no heap can two threads do it. Nothing is claimed then.
#include <stdlib.h>

struct file {
    int closed;
};

void close_file(struct file *f)
{
    f->closed = 1;
    free(f);
}
//~ INCONCLUSIVE ledger=vacuous
