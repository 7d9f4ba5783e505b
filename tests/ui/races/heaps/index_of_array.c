//@ run: races --client-calls 0
//@ revisions: flexible fixed nested inside
//@[flexible] flags: --op get --op set_length
//@[fixed] flags: --op slot --op set_length
//@[nested] flags: --op cell --op set_length
//@[inside] flags: --op get --op put
// An index that leads out of its array fails in the run alone. It is no address in a neighbouring field, whose other users would race
// with it: those heaps and arguments are dropped. Inside the array it races.
#include <pthread.h>
#include <stddef.h>

struct buffer {
    pthread_mutex_t lock;
    int slots[4];
    struct {
        int cells[2];
        int spare;
    } row[2];
    int length;
    int spare;
    int data[];
};

int get(struct buffer *b, size_t i)
{
    pthread_mutex_lock(&b->lock);
    int found = b->data[i]; //~[inside] RACE@data read
    pthread_mutex_unlock(&b->lock);
    return found;
}

void put(struct buffer *b, int i)
{
    b->data[i] = 1; //~[inside] RACE@data write
                    //~^[inside] RACE write/write
}

int slot(struct buffer *b, int i)
{
    pthread_mutex_lock(&b->lock);
    int found = b->slots[i];
    pthread_mutex_unlock(&b->lock);
    return found;
}

int cell(struct buffer *b, int i, int j)
{
    pthread_mutex_lock(&b->lock);
    int found = b->row[i].cells[j];
    pthread_mutex_unlock(&b->lock);
    return found;
}

void set_length(struct buffer *b, int length)
{
    pthread_mutex_lock(&b->lock);
    pthread_mutex_unlock(&b->lock);
    b->length = length; //~[flexible,fixed,nested] RACE write/write
    b->spare = 0;       //~[flexible,fixed,nested] RACE write/write
}
