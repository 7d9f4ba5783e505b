// A B-tree whose blocks work together on one node, a lane for each slot, after "Engineering a high-performance GPU B-Tree" (PPoPP 2019).
//
// A slot is a key and, in inner nodes, the subtree of the keys from there up to the next slot's. Inner nodes are sorted. Leaves take keys in
// any order, and are sorted when they are split. A full node is split on the way down, so its parent has room. Each block takes the tree's
// latch for what it does; its lanes come to a barrier between what they read of a node and what they write there.
//
// `insert`: each block inserts one key of the batch. `mixed`: block 0 does, the others look one up. `NAME_fixed`: on one tree.
#include "variants.h"

#ifndef WIDTH
#define WIDTH 4
#endif
#define HALF (WIDTH / 2)
#define NONE (-1)
// More levels no tree has.
#ifndef HEIGHT
#define HEIGHT 2
#endif

struct node {
    int count;
    int leaf;
    int keys[WIDTH];
    struct node *child[WIDTH];
};

struct tree {
    unsigned latch;
    struct node *root;
};

static __device__ void acquire(struct tree *tree)
{
    if (threadIdx.x == 0) {
        if (IS_MUTANT(11)) {
            while (tree->latch != 0) {
            }
            tree->latch = 1;
        } else if (!IS_MUTANT(13)) {
            while (atomicCAS(&tree->latch, 0u, 1u) != 0) {
            }
        }
        FENCE(7);
    }
    BARRIER(1);
}

static __device__ void release(struct tree *tree)
{
    BARRIER(2);
    if (threadIdx.x == 0) {
        FENCE(9);
        if (IS_MUTANT(12))
            tree->latch = 0;
        else
            atomicExch(&tree->latch, 0u);
    }
}

// Sorts the keys of a full leaf by odd-even transposition.
static __device__ void sort(struct node *leaf)
{
    int lane = threadIdx.x;
    for (int phase = 0; phase < WIDTH; ++phase) {
#if RACE == 1
        if (lane % 2 == 0) {
            int low = leaf->keys[lane], high = leaf->keys[lane + 1];
            if (high < low) {
                leaf->keys[lane] = high;
                leaf->keys[lane + 1] = low; //~ 1 write
            }
        } else if (lane + 1 < WIDTH) {
            int low = leaf->keys[lane], high = leaf->keys[lane + 1];
            if (high < low) {
                leaf->keys[lane] = high; //~ 1 write
                leaf->keys[lane + 1] = low;
            }
        }
#else
        if ((RACE == 2 || lane % 2 == phase % 2) && lane + 1 < WIDTH) {
            int low = leaf->keys[lane], high = leaf->keys[lane + 1]; //~ 3 read
            if (high < low) {
                leaf->keys[lane] = high; //~ 2 write
                leaf->keys[lane + 1] = low; //~ 2 write //~ 3 write
            }
        }
#endif
#if RACE == 3
        __syncwarp();
#else
        BARRIER(3);
#endif
    }
}

// In how many slots keys are that are not greater: all lanes get it.
static __device__ int find(const struct node *node, int count, int key)
{
    int lane = threadIdx.x;
    return __syncthreads_count(lane < count && node->keys[lane] <= key);
}

// The upper half of a full node goes to a new one.
static __device__ void node_split(struct node *full, struct node *fresh)
{
    int lane = threadIdx.x;
    if (lane >= HALF) {
#if RACE == 6
        int last = full->count - 1; //~ 6 read
        fresh->keys[lane - HALF] = lane <= last ? full->keys[lane] : NONE;
#else
        fresh->keys[lane - HALF] = full->keys[lane]; //~ 5 write
#endif
        fresh->child[lane - HALF] = full->child[lane];
    } else {
        fresh->keys[RACE == 5 ? lane : lane + HALF] = NONE; //~ 5 write
        if (lane == 0) {
            fresh->count = HALF;
            fresh->leaf = full->leaf;
            full->count = HALF; //~ 6 write
        }
    }
}

// Puts a key in a slot; those from there on move up by one.
static __device__ void node_insert(struct node *node, int count, int place, int key, struct node *child)
{
    int lane = threadIdx.x, moved = NONE;
    struct node *below = NULL;
    bool moves = place <= lane && lane < count;
    if (moves) {
        moved = node->keys[lane]; //~ 9 read
        below = node->child[lane];
    }
#if RACE == 9
    __syncwarp();
#else
    BARRIER(4);
#endif
    if (moves) {
#if RACE == 7
        if (lane > node->count) //~ 7 read
            below = NULL;
#endif
        node->keys[lane + 1] = moved; //~ 9 write
        node->child[lane + 1] = below;
    } else if (lane == count) {
        node->keys[place] = key; //~ 10 write
        node->child[place] = child;
        node->count = count + 1; //~ 7 write
    }
#if RACE == 8
    node->count = count + 1; //~ 8 write
#endif
}

// The parent of a node that has been split learns of the new one; a root gets a parent.
static __device__ void split_parent(struct tree *tree, struct node *parent, struct node *full, struct node *fresh)
{
    __shared__ struct node *above;
    if (RACE == 4 ? threadIdx.x % warpSize == 0 : threadIdx.x == 0) {
        above = parent;
        if (parent == NULL) {
            above = (struct node *)malloc(sizeof *above);
            above->count = 1;
            above->leaf = 0;
            above->keys[0] = full->keys[0];
            above->child[0] = full;
            tree->root = above; //~ 4 write
        }
    }
    BARRIER(5);
    int count = above->count, key = fresh->keys[0];
    int place = find(above, count, key);
    node_insert(above, count, place, key, fresh);
}

static __device__ void insert_key(struct tree *tree, int key)
{
    __shared__ struct node *fresh;
    acquire(tree);
    struct node *parent = NULL, *at = tree->root;
    int count = at->count, leaf = at->leaf;
    for (int level = 1; level <= HEIGHT; ++level) {
        if (count == WIDTH) {
            if (threadIdx.x == 0)
                fresh = (struct node *)malloc(sizeof *fresh);
            if (leaf)
                sort(at);
            BARRIER(6);
            node_split(at, fresh);
            split_parent(tree, parent, at, fresh);
            if (key >= fresh->keys[0])
                at = fresh;
            count = HALF;
        }
        if (leaf) {
            node_insert(at, count, count, key, NULL);
            break;
        }
        int place = find(at, count, key);
        parent = at;
        at = at->child[place > 0 ? place - 1 : 0];
        count = at->count;
        leaf = at->leaf;
    }
    release(tree);
}

static __device__ void search_node(struct tree *tree, int key, int *found)
{
    if (RACE != 10)
        acquire(tree);
    struct node *at = tree->root;
    for (int level = 1; level < HEIGHT && !at->leaf; ++level) {
        int place = find(at, at->count, key);
        at = at->child[place > 0 ? place - 1 : 0];
    }
    int lane = threadIdx.x;
    int here = __syncthreads_or(lane < at->count && at->keys[lane] == key); //~ 10 read
    if (lane == 0)
        found[blockIdx.x] = here;
    if (RACE != 10)
        release(tree);
}

static __device__ void mixed_batch(struct tree *tree, const int *batch, int *found)
{
    if (blockIdx.x == 0)
        insert_key(tree, batch[0]);
    else
        search_node(tree, batch[blockIdx.x], found);
}

__global__ void insert(struct tree *tree, const int *batch)
{
    insert_key(tree, batch[blockIdx.x]);
}

__global__ void mixed(struct tree *tree, const int *batch, int *found)
{
    mixed_batch(tree, batch, found);
}

// One tree, as a user would build it by hand: an inner node, and two leaves that are half full.
static __device__ struct node left = {HALF, 1, {10, 20}, {}};
static __device__ struct node right = {HALF, 1, {30, 40}, {}};
static __device__ struct node top = {2, 0, {10, 30}, {&left, &right}};
static __device__ struct tree built = {0, &top};

__global__ void insert_fixed(const int *batch)
{
    insert_key(&built, batch[blockIdx.x]);
}

__global__ void mixed_fixed(const int *batch, int *found)
{
    mixed_batch(&built, batch, found);
}
