// A hash array mapped trie, after "Ideal hash trees" (Bagwell): a thread for each operation of a batch, without locks.
//
// An inner node has a slot for each value of the bits of the hash that its level looks at; `bitmap` says which slots anything was put
// in. A leaf is one key. Where two keys meet in a slot, an inner node takes the place of the leaf; where the hash has no more bits, leaves of
// one hash are a chain. Slots, and the links of chains, go from null to a leaf, and slots from a leaf to an inner node, by atomicCAS behind a
// fence: what is to be seen there is written before. A search comes behind a fence, too. Of duplicates in the batch of a block the first counts.
//
// `batch`: each thread inserts a key or looks one up. `batch_fixed`: on one trie.
#include "variants.h"

#ifndef BLOCK
#define BLOCK 4
#endif
// Bits of the hash for each level, and levels.
#define BITS 1
#define FAN (1 << BITS)
#ifndef LEVELS
#define LEVELS 2
#endif
// Keys of one hash, at the most.
#define CHAIN 2

struct node {
    int is_leaf;
    // Of inner nodes.
    unsigned bitmap;
    struct node *slot[FAN];
    // Of leaves.
    int key;
    int value;
    struct node *next;
};

struct trie {
    unsigned size;
    struct node root;
};

static __device__ unsigned chunk(int key, int level)
{
    return static_cast<unsigned>(key) >> (level * BITS) & (FAN - 1);
}

static __device__ struct node *look(struct node *const *link)
{
    struct node *at;
    if (IS_MUTANT(3))
        at = *link;
    else
        at = *const_cast<struct node *const volatile *>(link); //~ 11 read
    FENCE(4);
    return at;
}

// Puts a node where another one, or none, is. False: something else is there by now.
static __device__ bool publish(struct node **link, struct node *old, struct node *fresh)
{
    FENCE(6);
    if (IS_MUTANT(8)) {
        bool is_there = *link == old;
        if (is_there)
            *link = fresh;
        return is_there;
    }
    unsigned long long was = reinterpret_cast<unsigned long long>(old), now = reinterpret_cast<unsigned long long>(fresh);
    return atomicCAS(reinterpret_cast<unsigned long long *>(link), was, now) == was; //~ 15 read_write
}

static __device__ struct node *create_leaf(int key, int value)
{
    struct node *leaf = static_cast<struct node *>(malloc(sizeof *leaf));
    leaf->is_leaf = 1;
    leaf->key = key;
    leaf->value = value;
    leaf->next = NULL;
    return leaf;
}

// An inner node with one leaf.
static __device__ struct node *create_inner(struct node *leaf, int level)
{
    struct node *inner = static_cast<struct node *>(malloc(sizeof *inner));
    unsigned place = chunk(leaf->key, level);
    inner->is_leaf = 0;
    inner->key = 0;
    inner->next = NULL;
    for (unsigned i = 0; i < FAN; ++i)
        inner->slot[i] = i == place ? leaf : NULL;
    inner->bitmap = 1u << place;
    return inner;
}

// Puts a key in a slot, or in the chain that begins there.
static __device__ bool put(struct node **link, int key, int value)
{
    struct node *fresh = NULL;
    for (int length = 0; length < CHAIN;) {
        struct node *at = look(link);
        if (at == NULL) {
            if (fresh == NULL)
                fresh = create_leaf(key, value);
            if (publish(link, NULL, fresh))
                return true;
        } else if (at->key == key) {
            if (IS_MUTANT(9) || (RACE == 13 && length > 0))
                at->value = value; //~ 13 write
            else
                atomicExch(&at->value, value); //~ 14 read_write
            return false;
        } else {
            link = &at->next;
            ++length;
        }
    }
    return false;
}

static __device__ bool batch_insert(struct trie *trie, int key, int value)
{
    struct node *at = &trie->root;
    for (int level = 0;; ++level) {
        unsigned place = chunk(key, level);
        struct node **link = &at->slot[place];
        struct node *below = look(link);
        if (level + 1 == LEVELS || below == NULL || (below->is_leaf && below->key == key)) {
            bool is_new = put(link, key, value);
            if (RACE == 12 || IS_MUTANT(10))
                at->bitmap |= 1u << place; //~ 12 write
            else
                atomicOr(&at->bitmap, 1u << place);
            return is_new;
        }
        if (below->is_leaf) {
#if RACE == 11
            struct node *inner = create_inner(below, level + 1);
            unsigned first = chunk(below->key, level + 1);
            inner->slot[first] = NULL;
            if (publish(link, below, inner))
                inner->slot[first] = below; //~ 11 write
#else
            publish(link, below, create_inner(below, level + 1));
#endif
            below = look(link);
        }
        at = below;
    }
}

static __device__ int search_node(struct trie *trie, int key)
{
    struct node *at = &trie->root;
    for (int level = 0; level < LEVELS; ++level) {
        unsigned place = chunk(key, level);
        if ((*static_cast<volatile unsigned *>(&at->bitmap) >> place & 1) == 0)
            return -1;
        at = RACE == 15 ? at->slot[place] : look(&at->slot[place]); //~ 15 read
        if (at == NULL || at->is_leaf)
            break;
    }
    for (int length = 1; length < CHAIN && at != NULL && at->key != key; ++length)
        at = look(&at->next);
    if (at == NULL || at->key != key)
        return -1;
    if (RACE == 14)
        return at->value; //~ 14 read
    return *static_cast<volatile int *>(&at->value); //~ 13 read
}

static __device__ void run_batch(struct trie *trie, const int *inserts, const int *keys, int *results)
{
    __shared__ int taken[BLOCK];
    __shared__ unsigned fresh;
    int me = threadIdx.x, number = blockIdx.x * blockDim.x + threadIdx.x;
    int key = keys[number];
    bool inserts_it = inserts[number] != 0;
    taken[me] = key;
    if (me == 0)
        fresh = 0;
    BARRIER(1);
    bool is_first = true;
    for (int other = 0; other < me; ++other)
        is_first = is_first && taken[other] != key;
    if (!inserts_it)
        results[number] = search_node(trie, key);
    else if (is_first && batch_insert(trie, key, number)) {
        if (IS_MUTANT(11))
            ++fresh;
        else
            atomicAdd(&fresh, 1u);
    }
    BARRIER(2);
    if (me == 0) {
        if (IS_MUTANT(12))
            trie->size += fresh;
        else
            atomicAdd(&trie->size, fresh);
    }
}

__global__ void batch(struct trie *trie, const int *inserts, const int *keys, int *results)
{
    run_batch(trie, inserts, keys, results);
}

// One trie, as a user would build it by hand: a leaf and an inner node below the root, and a leaf below that.
static __device__ struct node even = {1, 0, {}, 2, 20, NULL};
static __device__ struct node odd = {1, 0, {}, 1, 10, NULL};
static __device__ struct node inner = {0, 1, {&odd, NULL}, 0, 0, NULL};
static __device__ struct trie built = {2, {0, 3, {&even, &inner}, 0, 0, NULL}};

__global__ void batch_fixed(const int *inserts, const int *keys, int *results)
{
    run_batch(&built, inserts, keys, results);
}
