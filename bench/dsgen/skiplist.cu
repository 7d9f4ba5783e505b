// A skip list of two levels whose nodes are chunks of keys, after "A GPU-friendly skiplist algorithm" (PACT 2017): a thread for each key of
// a batch.
//
// A chunk has up to KEYS keys in order. On the upper level each key leads to a chunk of the lower one, where all keys are. A lock is for
// readers, or for one writer: its highest bit is the writer's, the others count readers. Who comes to insert into a full chunk takes a
// new one from the pool and moves the upper half there. The upper level learns of it where there is room; where not, the way on the lower level
// is longer. No level is followed for more than STEPS chunks.
//
// `insert`: each thread inserts a key. `mixed`: the first block does, the others look one up. `NAME_fixed`: on one list.
#include "variants.h"

#define KEYS 2
#ifndef STEPS
#define STEPS 2
#endif
#define ROOM 8
#define WRITER 0x80000000u

struct chunk {
    int count;
    int keys[KEYS];
    struct chunk *down[KEYS];
    struct chunk *next;
};

struct list {
    unsigned size;
    struct chunk *top;
};

static __device__ struct chunk pool[ROOM];
static __device__ unsigned used;
static __device__ unsigned splits;
static __device__ unsigned lock;

static __device__ void read_lock(void)
{
    unsigned seen;
    do {
        seen = *static_cast<volatile unsigned *>(&lock);
    } while (!IS_MUTANT(2) && ((seen & WRITER) != 0 || atomicCAS(&lock, seen, seen + 1) != seen));
    FENCE(4);
}

static __device__ void read_unlock(void)
{
    FENCE(6);
    if (!IS_MUTANT(2))
        atomicSub(&lock, 1u);
}

static __device__ void write_lock(void)
{
    if (IS_MUTANT(13)) {
        while (lock != 0) {
        }
        lock = WRITER;
    } else if (!IS_MUTANT(3)) {
        while (atomicCAS(&lock, 0u, WRITER) != 0) {
        }
    }
    FENCE(8);
}

static __device__ void write_unlock(void)
{
    FENCE(10);
    if (IS_MUTANT(14))
        lock = 0;
    else if (!IS_MUTANT(3))
        atomicSub(&lock, WRITER);
}

// The last chunk of a level, from one on, that begins with no greater key.
static __device__ struct chunk *walk(struct chunk *at, int key)
{
    for (int step = 0; step < STEPS && at->next != NULL && at->next->keys[0] <= key; ++step) //~ 23 read
        at = at->next;
    return at;
}

// In how many of its first places a chunk has keys that are not greater.
static __device__ int place_of(const struct chunk *chunk, int key)
{
    int place = 0;
    while (place < chunk->count && place < KEYS && chunk->keys[place] <= key) //~ 22 read
        ++place;
    return place;
}

static __device__ struct chunk *descend(struct chunk *upper, int key)
{
    int place = place_of(upper, key);
    return walk(upper->down[place > 0 ? place - 1 : 0], key);
}

static __device__ void put(struct chunk *chunk, int key, struct chunk *down)
{
    int place = place_of(chunk, key);
    for (int i = chunk->count; i > place; --i) {
        chunk->keys[i] = chunk->keys[i - 1];
        chunk->down[i] = chunk->down[i - 1];
    }
    chunk->keys[place] = key;
    chunk->down[place] = down;
    chunk->count++; //~ 21 write //~ 22 write
}

// A new chunk behind a full one, with the upper half of its keys.
static __device__ struct chunk *create_node(struct chunk *full)
{
    if (RACE == 24)
        write_unlock();
    unsigned number = used++; //~ 24 read write
    if (RACE == 24)
        write_lock();
    if (number >= ROOM)
        return NULL;
    struct chunk *fresh = &pool[number];
    for (int i = KEYS / 2; i < KEYS; ++i)
        fresh->keys[i - KEYS / 2] = full->keys[i];
    fresh->count = KEYS - KEYS / 2;
    fresh->next = full->next;
    full->count = KEYS / 2;
    if (RACE == 23)
        write_unlock();
    full->next = fresh; //~ 23 write
    if (RACE == 23)
        write_lock();
    if (RACE != 25)
        splits++;
    return fresh;
}

static __device__ bool insert_key(struct chunk *top, int key)
{
    write_lock();
    struct chunk *upper = walk(top, key);
    struct chunk *chunk = descend(upper, key);
    bool is_full = chunk->count >= KEYS, is_split = is_full; //~ 21 read
    if (is_full) {
        struct chunk *fresh = create_node(chunk);
        if (fresh != NULL) {
            is_full = false;
            if (RACE == 22)
                write_unlock();
            if (upper->count < KEYS)
                put(upper, fresh->keys[0], fresh);
            if (RACE == 22)
                write_lock();
            if (fresh->keys[0] <= key)
                chunk = fresh;
        }
    }
    if (RACE == 21 && !is_split)
        write_unlock();
    if (!is_full)
        put(chunk, key, NULL);
    if (RACE != 21 || is_split)
        write_unlock();
    if (RACE == 25 && is_split)
        splits++; //~ 25 read write
    return !is_full;
}

static __device__ bool search_node(struct chunk *top, int key)
{
    read_lock();
    struct chunk *chunk = descend(walk(top, key), key);
    int place = place_of(chunk, key);
    bool is_there = place > 0 && chunk->keys[place - 1] == key;
    read_unlock();
    return is_there;
}

static __device__ void insert_batch(struct list *list, const int *batch)
{
    __shared__ struct chunk *top;
    if (threadIdx.x == 0)
        top = list->top;
    BARRIER(1);
    bool is_new = insert_key(top, batch[blockIdx.x * blockDim.x + threadIdx.x]);
    int all = __syncthreads_count(is_new);
    if (threadIdx.x == 0) {
        if (IS_MUTANT(12))
            list->size += all;
        else
            atomicAdd(&list->size, all);
    }
}

static __device__ void mixed_batch(struct list *list, const int *batch, int *found)
{
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0)
        insert_key(list->top, batch[number]);
    else
        found[number] = search_node(list->top, batch[number]);
}

__global__ void insert(struct list *list, const int *batch)
{
    insert_batch(list, batch);
}

__global__ void mixed(struct list *list, const int *batch, int *found)
{
    mixed_batch(list, batch, found);
}

// One list, as a user would build it by hand: both levels, no chunk full.
static __device__ struct chunk second = {1, {20}, {}, NULL};
static __device__ struct chunk first = {1, {10}, {}, &second};
static __device__ struct chunk upper = {1, {10}, {&first}, NULL};
static __device__ struct list built = {2, &upper};

__global__ void insert_fixed(const int *batch)
{
    insert_batch(&built, batch);
}

__global__ void mixed_fixed(const int *batch, int *found)
{
    mixed_batch(&built, batch, found);
}
