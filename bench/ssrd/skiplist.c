//@ run: races --op insert --op search --op delete --depth 3 --valid valid
//@ revisions: clean early_unlock unlink_late same_pred search_tail unlocked_descent early_garbage_test head_alias counter unlocked_hint hint_check shrink_peek value_late late_value stale_after free_deleted

// A concurrent skip list with locks.
//
// The algorithm is that of W. Pugh, "Concurrent Maintenance of Skip Lists", University of Maryland, CS-TR-2222, 1990.
// An operation first descends without holding a lock from one step to the next, and notes for each level the last
// node with a smaller key. What it found may be out of date when it is used: get_lock() starts from there, locks, and
// moves on to the right as long as necessary. A key is inserted from the bottom level up, deleted from the top level
// down, and only one predecessor is locked at a time. The pointers of a deleted node are reversed: they lead back to
// the node that preceded it, so that an operation that still stands on the deleted node finds its way back into the
// list. A deleted node is not freed, because other operations may stand on it: as in the paper it is left to a
// collector.
//
// Two things differ from the paper: a node has one lock for all of its levels, and the pointers are ordinary ones, so
// that a step of the descent takes the lock of the node for the time of the read.
//
// What the locks protect:
//   x->lock            x->next[], on all levels. A node that is being inserted or deleted is locked all that time.
//   x->lock            the value of x->next[0] as well: the value of a key belongs to the lock of the predecessor.
//   head->lock         head->level and head->count.
//   no lock            key, and level in all nodes but the head: fixed before the node is linked for the first time.
// Order of locks: a thread that holds the lock of a node takes only locks of nodes with smaller keys (the node that
// it inserts or deletes first, then one predecessor or the head).
//
// Revisions ([3 nodes]: the list has two keys or more at the start; of some revisions this is so for a part of the
// pairs):
//   early_unlock       insert gives the predecessor's lock back before it links the node on the bottom level.
//   unlink_late        delete gives the predecessor's lock back before it changes the predecessor's pointer. [3
//                      nodes] for the pairs with another delete (its test, its unlinking, its reversal and shrink).
//   same_pred          insert takes the predecessor for locked if it is the same node as on the level below, although
//                      it has given that lock back. [aliasing]
//   search_tail        search takes its last step, and reads the value, without a lock (as in the paper).
//   unlocked_descent   the descent reads the first pointer on each level without the lock.
//   early_garbage_test delete tests whether the node is already deleted before it locks it. [3 nodes] for the pair
//                      with the unlinking of the next node. [rare path] for the key of a node that has just been
//                      inserted.
//   head_alias         insert takes the head for locked, when it updates count and level, if the head was the last
//                      predecessor. [aliasing]
//   counter            insert counts outside of the head's lock.
//   unlocked_hint      the descent reads the head's level without the lock.
//   hint_check         insert compares the head's level before it takes the lock.
//   shrink_peek        delete looks for empty top levels before it takes the head's lock. [3 nodes] for the pairs
//                      with another delete.
//   value_late         insert, for a key that is there, changes the value after giving the lock back. [rare path]
//   late_value         insert sets the value of the new node after it is linked.
//   stale_after        insert reads the predecessor's pointer on the upper levels before it locks the predecessor.
//   free_deleted       delete frees the node at once, while others may stand on it. [rare path] (A call that locks or
//                      unlocks the freed node reads it, one that destroys the lock writes it.)
// Annotated are the races of two concurrent calls on a list that no other call changes. A third call can bring
// about more (early_unlock: the second read in get_lock; free_deleted: uses of the freed memory by a later insert).

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { LEVELS = 4 };

struct node {
    int key;                    // the head has INT_MIN, which is no key
    int value;
    int level;                  // number of levels of the node; in the head: of levels that are not empty, at least 1
    int count;                  // in the head only: number of keys
    pthread_mutex_t lock;
    struct node *next[LEVELS];  // the last node of a level has NULL
};

// Number of levels for a key: each further level for half of the keys.
static int level_of(int key)
{
    unsigned bits = (unsigned)key ^ (unsigned)key >> 3;
    int level = 1;
    while (level < LEVELS && (bits & 1u) != 0) {
        bits >>= 1;
        level++;
    }
    return level;
}

static struct node *new_node(int key, int value, int level)
{
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return NULL;
    if (pthread_mutex_init(&n->lock, NULL) != 0) { //~[unlocked_descent] RACE@d6 write
        free(n);
        return NULL;
    }
    n->key = key; //~[search_tail] RACE@s4 write
    //~^[unlocked_descent] RACE@d5 write
    //~^^[early_garbage_test] RACE@g4 write
    n->value = value; //~[search_tail] RACE@s5 write
    n->level = level;
    n->count = 0;
    for (int i = 0; i < LEVELS; i++)
        n->next[i] = NULL;
    return n;
}

static void free_node(struct node *n)
{
    pthread_mutex_destroy(&n->lock);
    //~^[free_deleted] RACE@f2d,f4d,f5d,f7d,f10d,f12d write
    free(n); //~[free_deleted] RACE@f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12 free
}

struct node *create(void)
{
    return new_node(INT_MIN, 0, 1);
}

void destroy(struct node *h)
{
    while (h != NULL) {
        struct node *n = h->next[0];
        free_node(h);
        h = n;
    }
}

// The node after x on level i.
static struct node *next_of(struct node *x, int i)
{
    pthread_mutex_lock(&x->lock); //~[free_deleted] RACE@f2,f2d read
    //~^[unlocked_descent] RACE@d6 read
    struct node *y = x->next[i]; //~[early_unlock] RACE@e1 read
    //~^[unlink_late] RACE@u1 read
    //~^^[same_pred] RACE@p4 read
    //~^^^[free_deleted] RACE@f3 read
    pthread_mutex_unlock(&x->lock); //~[free_deleted] RACE@f4,f4d read
    return y;
}

// Sets pred[i], for every level i, to the last node with a key below `key`: as no lock is held, this is a hint.
static void descend(struct node *h, int key, struct node *pred[LEVELS])
{
#ifdef unlocked_hint
    int top = h->level; //~[unlocked_hint] RACE@t1,t2 read
#else
    pthread_mutex_lock(&h->lock);
    int top = h->level; //~[head_alias] RACE@h6 read
    pthread_mutex_unlock(&h->lock);
#endif
    struct node *x = h;
    for (int i = LEVELS - 1; i >= 0; i--) {
        if (i < top) {
#ifdef unlocked_descent
            struct node *y = x->next[i]; //~[unlocked_descent] RACE@d1,d2,d3,d4 read
#else
            struct node *y = next_of(x, i);
#endif
            while (y != NULL && y->key < key) { //~[unlocked_descent] RACE@d5 read
            //~^[free_deleted] RACE@f1 read
                x = y;
                y = next_of(x, i);
            }
        }
        pred[i] = x;
    }
}

// Returns the last node on level i with a key below `key`, locked. Starts from x, which may be deleted by now.
static struct node *get_lock(struct node *x, int key, int i)
{
    pthread_mutex_lock(&x->lock); //~[free_deleted] RACE@f5,f5d read
    struct node *y = x->next[i]; //~[early_unlock] RACE@e2 read
    //~^[unlink_late] RACE@u2 read
    //~^^[same_pred] RACE@p5 read
    //~^^^[free_deleted] RACE@f6 read
    while (y != NULL && y->key < key) {
        pthread_mutex_unlock(&x->lock); //~[free_deleted] RACE@f7,f7d read
        x = y;
        pthread_mutex_lock(&x->lock);
        y = x->next[i];
    }
    return x;
}

// Sets the value of a key. Returns true if the key is new (false as well if there is no memory for it).
bool insert(struct node *h, int key, int value)
{
    if (key == INT_MIN)
        return false;
#ifdef late_value
    struct node *n = new_node(key, -1, level_of(key));
#else
    struct node *n = new_node(key, value, level_of(key));
#endif
    if (n == NULL)
        return false;
    struct node *pred[LEVELS];
    descend(h, key, pred);

    // Locked until it is on all of its levels, so that nobody deletes it before.
    pthread_mutex_lock(&n->lock);
    struct node *x = get_lock(pred[0], key, 0);
    struct node *y = x->next[0]; //~[early_unlock] RACE@e3 read
    //~^[unlink_late] RACE@u3 read
    if (y != NULL && y->key == key) {
#ifdef value_late
        pthread_mutex_unlock(&x->lock);
        y->value = value; //~[value_late] RACE write/write
        //~^[value_late] RACE@v1 write
#else
        y->value = value; //~[search_tail] RACE@s6 write
        //~^[late_value] RACE@l2 write
        pthread_mutex_unlock(&x->lock);
#endif
        pthread_mutex_unlock(&n->lock);
        free_node(n);
        return false;
    }
    n->next[0] = y;
#ifdef early_unlock
    pthread_mutex_unlock(&x->lock);
    x->next[0] = n; //~[early_unlock] RACE write/write
    //~^[early_unlock] RACE@e1,e2,e3,e4,e5,e6,e7,e8 write
#else
    x->next[0] = n; //~[unlink_late] RACE@u4 write
    //~^[search_tail] RACE@s1 write
    //~^^[unlocked_descent] RACE@d1 write
    //~^^^[early_garbage_test] RACE@g1 write
    pthread_mutex_unlock(&x->lock);
#endif
#ifdef late_value
    n->value = value; //~[late_value] RACE@l1,l2 write
#endif

    for (int i = 1; i < n->level; i++) {
#ifdef stale_after
        struct node *after = pred[i]->next[i]; //~[stale_after] RACE@a1,a2,a3 read
#endif
#ifdef same_pred
        bool same = pred[i] == x;
        if (!same)
            x = get_lock(pred[i], key, i);
#else
        x = get_lock(pred[i], key, i);
#endif
#ifndef stale_after
        struct node *after = x->next[i]; //~[unlink_late] RACE@u5 read
        //~^[same_pred] RACE@p1,p2,p3 read
#endif
        n->next[i] = after;
        x->next[i] = n; //~[unlink_late] RACE@u6 write
        //~^[same_pred] RACE write/write
        //~^^[same_pred] RACE@p1,p4,p5,p6,p7,p8,p9 write
        //~^^^[unlocked_descent] RACE@d2 write
        //~^^^^[shrink_peek] RACE@m3 write
        //~^^^^^[stale_after] RACE@a1 write
#ifdef same_pred
        if (same)
            continue;
#endif
        pthread_mutex_unlock(&x->lock);
    }

#ifdef counter
    h->count++; //~[counter] RACE read/write
    //~^[counter] RACE write/write
    //~^^[counter] RACE@c1 read
    //~^^^[counter] RACE@c2,c3 write
#endif
#ifdef hint_check
    bool higher = h->level < n->level; //~[hint_check] RACE@k1,k2 read
#endif
#ifdef head_alias
    if (x != h)
        pthread_mutex_lock(&h->lock);
#else
    pthread_mutex_lock(&h->lock);
#endif
#ifndef counter
    h->count++; //~[head_alias] RACE read/write
    //~^[head_alias] RACE write/write
    //~^^[head_alias] RACE@h1 read
    //~^^^[head_alias] RACE@h2,h3 write
#endif
#ifndef hint_check
    bool higher = h->level < n->level; //~[head_alias] RACE@h4,h5 read
#endif
    if (higher)
        h->level = n->level; //~[head_alias] RACE write/write
        //~^[head_alias] RACE@h4,h6,h7,h8 write
        //~^^[unlocked_hint] RACE@t1 write
        //~^^^[hint_check] RACE@k1 write
        //~^^^^[shrink_peek] RACE@m1 write
#ifdef head_alias
    if (x != h)
        pthread_mutex_unlock(&h->lock);
#else
    pthread_mutex_unlock(&h->lock);
#endif
    pthread_mutex_unlock(&n->lock);
    return true;
}

// Returns the value of a key, or -1 if the key is not there.
int search(struct node *h, int key)
{
    struct node *pred[LEVELS];
    descend(h, key, pred);

    int value = -1;
#ifdef search_tail
    struct node *y = pred[0]->next[0]; //~[search_tail] RACE@s1,s2,s3 read
    if (y != NULL && y->key == key) //~[search_tail] RACE@s4 read
        value = y->value; //~[search_tail] RACE@s5,s6 read
#else
    struct node *x = get_lock(pred[0], key, 0);
    struct node *y = x->next[0]; //~[early_unlock] RACE@e4 read
    //~^[unlink_late] RACE@u7 read
    if (y != NULL && y->key == key)
        value = y->value; //~[value_late] RACE@v1 read
        //~^[late_value] RACE@l1 read
    pthread_mutex_unlock(&x->lock);
#endif
    return value;
}

// After a key was deleted: corrects the head's count and its level.
static void shrink(struct node *h)
{
#ifndef shrink_peek
    pthread_mutex_lock(&h->lock);
#endif
    int top = h->level; //~[head_alias] RACE@h7 read
    //~^[shrink_peek] RACE@m1,m2 read
    while (top > 1 && h->next[top - 1] == NULL) //~[unlink_late] RACE@u11 read
    //~^[same_pred] RACE@p9 read
    //~^^[shrink_peek] RACE@m3,m4 read
        top--;
#ifdef shrink_peek
    pthread_mutex_lock(&h->lock);
#endif
    h->level = top; //~[head_alias] RACE@h5,h8 write
    //~^[unlocked_hint] RACE@t2 write
    //~^^[hint_check] RACE@k2 write
    //~^^^[shrink_peek] RACE@m2 write
    h->count--; //~[head_alias] RACE@h1,h3 write
    //~^[head_alias] RACE@h2 read
    //~^^[counter] RACE@c1,c3 write
    //~^^^[counter] RACE@c2 read
    pthread_mutex_unlock(&h->lock);
}

// Deletes a key. Returns true if it was there.
bool delete(struct node *h, int key)
{
    if (key == INT_MIN)
        return false;
    struct node *pred[LEVELS];
    descend(h, key, pred);

    // Find the node with the key and lock it until it is off all of its levels. A node whose pointer leads back has
    // been deleted by somebody else, and the key perhaps inserted anew: then go back with it and look once more.
    struct node *y = pred[0];
    for (;;) {
        y = next_of(y, 0);
        if (y == NULL)
            return false;
        if (y->key > key) //~[free_deleted] RACE@f8 read
            return false;
        if (y->key < key) //~[free_deleted] RACE@f9 read
            continue;
#ifdef early_garbage_test
        struct node *after = y->next[0]; //~[early_garbage_test] RACE@g1,g2,g3 read
        bool garbage = after != NULL && after->key < key; //~[early_garbage_test] RACE@g4 read
        pthread_mutex_lock(&y->lock);
#else
        pthread_mutex_lock(&y->lock); //~[free_deleted] RACE@f10,f10d read
        struct node *after = y->next[0]; //~[early_unlock] RACE@e5 read
        //~^[unlink_late] RACE@u8 read
        //~^^[free_deleted] RACE@f11 read
        bool garbage = after != NULL && after->key < key;
#endif
        if (!garbage)
            break;
        pthread_mutex_unlock(&y->lock); //~[free_deleted] RACE@f12,f12d read
    }

    for (int i = y->level - 1; i >= 0; i--) {
        struct node *x = get_lock(pred[i], key, i);
        struct node *after = y->next[i]; //~[early_unlock] RACE@e6 read
        //~^[unlink_late] RACE@u9 read
        //~^^[same_pred] RACE@p6 read
#ifdef unlink_late
        pthread_mutex_unlock(&x->lock);
        x->next[i] = after; //~[unlink_late] RACE write/write
        //~^[unlink_late] RACE@u1,u2,u3,u4,u5,u6,u7,u8,u9,u10,u11 write
        y->next[i] = x; //~[unlink_late] RACE@u10 write
#else
        x->next[i] = after; //~[early_unlock] RACE@e7 write
        //~^[same_pred] RACE@p2,p7 write
        //~^^[search_tail] RACE@s2 write
        //~^^^[unlocked_descent] RACE@d3 write
        //~^^^^[early_garbage_test] RACE@g2 write
        //~^^^^^[shrink_peek] RACE@m4 write
        //~^^^^^^[stale_after] RACE@a2 write
        y->next[i] = x; //~[early_unlock] RACE@e8 write
        //~^[same_pred] RACE@p3,p8 write
        //~^^[search_tail] RACE@s3 write
        //~^^^[unlocked_descent] RACE@d4 write
        //~^^^^[early_garbage_test] RACE@g3 write
        //~^^^^^[stale_after] RACE@a3 write
        pthread_mutex_unlock(&x->lock);
#endif
    }
    shrink(h);
    pthread_mutex_unlock(&y->lock);
#ifdef free_deleted
    free_node(y);
#endif
    return true;
}

// Whether the list on level i consists of the nodes of the bottom list that have a level above i.
static bool valid_level(const struct node *h, int i)
{
    const struct node *upper = h->next[i];
    const struct node *n = h->next[0];
    for (int steps = 0; n != NULL; steps++) {
        if (steps == 8)
            return false;
        if (n->level > i) {
            if (upper != n)
                return false;
            upper = upper->next[i];
        }
        n = n->next[0];
    }
    return upper == NULL;
}

// Whether no operation is under way and the list is as it should be. Gives up (false) after 8 nodes.
bool valid(const struct node *h)
{
    if (h == NULL || h->key != INT_MIN)
        return false;
    int top = 1;
    int count = 0;
    int last = INT_MIN;
    for (const struct node *n = h->next[0]; n != NULL; n = n->next[0]) {
        if (count == 8 || n->key <= last || n->level < 1 || n->level > LEVELS)
            return false;
        last = n->key;
        if (n->level > top)
            top = n->level;
        for (int i = n->level; i < LEVELS; i++)
            if (n->next[i] != NULL)
                return false;
        count++;
    }
    for (int i = 1; i < LEVELS; i++)
        if (!valid_level(h, i))
            return false;
    return h->level == top && h->count == count;
}

//~[clean] SAFE
