// An immutable vector as a tree, after "RRB-Trees: Efficient Immutable Vectors" (Bagwell, Rompf): a thread for each operation of a batch.
//
// An inner node is regular, its subtrees full, so an index says by its digits where an element is; or relaxed, and `sizes` says how many
// elements its first subtrees have together. Versions share nodes, which count who refers to them. `modify` makes a version with one
// element changed: it copies the way to it, and makes the copy the current version if that still is the one it has copied; a fence is before that, and behind
// the look at what is current. `drop`: each thread lets go of one version; who lets go last of a node does so of its subtrees, and
// puts it on the list of what is free behind the launch. `NAME_fixed`: on vectors of two levels.
#include "variants.h"

#ifndef BLOCK
#define BLOCK 4
#endif
#define FAN 2
// Levels above the leaves.
#ifndef LEVELS
#define LEVELS 1
#endif

// How many nodes a launch may free.
#define ROOM 16

enum kind { LEAF, REGULAR, RELAXED };

struct node {
    unsigned refs;
    int kind;
    unsigned sizes[FAN];
    struct node *child[FAN];
    int values[FAN];
};

struct vector {
    struct node *root;
};

// What is free behind the launch.
static __device__ struct node *free_nodes[ROOM];
static __device__ unsigned freed;

// Lets go of a node. Gives how many nobody refers to any more.
static __device__ int unref(struct node *node, int level)
{
    if (node == NULL)
        return 0;
    unsigned was;
#if RACE == 17
    if (node->refs == 1) //~ 17 read
        was = 1;
    else
#endif
    if (RACE == 16 || IS_MUTANT(7))
        was = node->refs--; //~ 16 write
    else if (RACE == 18 && level == LEVELS)
        was = node->refs--; //~ 18 write
    else
        was = atomicSub(&node->refs, 1u); //~ 17 read_write //~ 18 read_write
    if (was != 1)
        return 0;
    int all = 1;
    if (level > 0 && node->kind != LEAF) {
        for (int i = 0; i < FAN; ++i)
            all += unref(node->child[i], level - 1);
    }
    unsigned number = IS_MUTANT(8) ? freed++ : atomicAdd(&freed, 1u);
    free_nodes[number % ROOM] = node;
    return all;
}

static __device__ struct node *copy(const struct node *node)
{
    struct node *fresh = static_cast<struct node *>(malloc(sizeof *fresh));
    fresh->refs = 1;
    fresh->kind = node->kind;
    for (int i = 0; i < FAN; ++i) {
        fresh->values[i] = node->values[i];
        fresh->sizes[i] = node->sizes[i];
        fresh->child[i] = node->child[i];
    }
    return fresh;
}

// Elements of a full subtree.
static __device__ int full(int level)
{
    int size = 1;
    for (int i = 0; i < level; ++i)
        size *= FAN;
    return size;
}

// Which subtree an element is in, and its number there.
static __device__ int find(const struct node *node, int level, unsigned *index)
{
    unsigned place = 0;
    if (node->kind == RELAXED) {
        while (place + 1 < FAN && *index >= node->sizes[place])
            ++place;
        if (place > 0)
            *index -= node->sizes[place - 1];
    } else {
        place = *index / full(level) % FAN;
        *index %= full(level);
    }
    return place;
}

// A tree with one element changed, of which the way there is new.
static __device__ struct node *changed(const struct node *node, int level, unsigned index, int value)
{
    struct node *fresh;
    if (RACE == 19 && level > 0 && node->kind != LEAF)
        fresh = const_cast<struct node *>(node);
    else if (RACE == 20 && level == 0 && node->refs == 1)
        fresh = const_cast<struct node *>(node);
    else
        fresh = copy(node);
    if (level == 0 || node->kind == LEAF) {
        fresh->values[index % FAN] = value; //~ 20 write
    } else {
        int place = find(node, level, &index);
        fresh->child[place] = changed(node->child[place], level - 1, index, value); //~ 19 write
    }
    return fresh;
}

// Counts who refers to a tree that is current now, or frees the way that is new in one that will never be.
static __device__ void settle(struct node *node, int level, unsigned index, bool is_current)
{
    if (level > 0 && node->kind != LEAF) {
        int place = find(node, level, &index);
        for (int i = 0; i < FAN && is_current; ++i) {
            if (i == place || node->child[i] == NULL)
                continue;
            if (IS_MUTANT(6))
                ++node->child[i]->refs;
            else
                atomicAdd(&node->child[i]->refs, 1u);
        }
        settle(node->child[place], level - 1, index, is_current);
    }
    if (!is_current)
        free(node);
}

// Puts a tree where another one is. False: something else is there by now.
static __device__ bool replace(struct node **link, struct node *old, struct node *fresh)
{
    FENCE(2);
    if (IS_MUTANT(10)) {
        bool is_there = *link == old;
        if (is_there)
            *link = fresh;
        return is_there;
    }
    unsigned long long was = reinterpret_cast<unsigned long long>(old), now = reinterpret_cast<unsigned long long>(fresh);
    return atomicCAS(reinterpret_cast<unsigned long long *>(link), was, now) == was;
}

static __device__ void modify_element(struct vector *vector, unsigned index, int value)
{
    bool is_current = false;
    while (!is_current) {
        struct node *root;
        if (IS_MUTANT(11))
            root = vector->root;
        else
            root = *static_cast<struct node *volatile *>(&vector->root);
        FENCE(4);
        struct node *fresh = changed(root, LEVELS, index, value);
        is_current = replace(&vector->root, root, fresh);
        settle(fresh, LEVELS, index, is_current);
    }
}

static __device__ void modify_batch(struct vector *vector, const unsigned *indices, const int *values)
{
    __shared__ unsigned taken[BLOCK];
    unsigned me = threadIdx.x, number = blockIdx.x * blockDim.x + me;
    unsigned index = indices[number] % full(LEVELS + 1);
    taken[me] = index;
    BARRIER(1);
    // Of several changes of one element in a block the last counts.
    bool counts = true;
    for (unsigned other = me + 1; other < blockDim.x; ++other)
        counts = counts && taken[other] != index;
    if (counts)
        modify_element(vector, index, values[number]);
}

static __device__ void drop_batch(struct node *const *versions, int *dropped)
{
    int all = unref(versions[blockIdx.x * blockDim.x + threadIdx.x], LEVELS);
    all = __reduce_add_sync(~0u, all);
    if (threadIdx.x % warpSize == 0) {
        if (IS_MUTANT(9))
            *dropped += all;
        else
            atomicAdd(dropped, all);
    }
}

__global__ void modify(struct vector *vector, const unsigned *indices, const int *values)
{
    modify_batch(vector, indices, values);
}

__global__ void drop(struct node *const *versions, int *dropped)
{
    drop_batch(versions, dropped);
}

// Two versions, as a user would build them by hand: a regular and a relaxed node over leaves, one of which they share.
static __device__ struct node front = {2, LEAF, {}, {}, {10, 20}};
static __device__ struct node back = {1, LEAF, {}, {}, {30, 40}};
static __device__ struct node single = {1, LEAF, {}, {}, {50}};
static __device__ struct node regular = {1, REGULAR, {}, {&front, &back}, {}};
static __device__ struct node relaxed = {1, RELAXED, {1, 3}, {&single, &front}, {}};
static __device__ struct vector built[] = {{&regular}, {&relaxed}};
static __device__ struct node *built_versions[] = {&regular, &relaxed};

__global__ void modify_fixed(unsigned which, const unsigned *indices, const int *values)
{
    modify_batch(&built[which % 2], indices, values);
}

__global__ void drop_fixed(int *dropped)
{
    drop_batch(built_versions, dropped);
}
