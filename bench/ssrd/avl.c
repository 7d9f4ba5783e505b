//@ run: races --op insert --op delete --op search --depth 3 --valid valid
//@ revisions: clean peek_height value_late mark_late put_late late_height root_peek hop holder_reg late_on empty_test
/*
 * A concurrent AVL tree with relaxed balance: a map from int to int.
 *
 * Every node records the heights of its two subtrees as they were when it last looked (Bouge, Gabarro, Messeguer,
 * Schabanel: "Height-relaxed AVL rebalancing", 1998, after Nurmi, Soisalon-Soininen, Wood: "Relaxed AVL trees,
 * main-memory databases and concurrency", 1996). A record may be out of date. An update on its way down refreshes the
 * records that it passes and rotates where one side is too high by them; so the balance comes with later updates.
 *
 * The handle is a holder node that is never removed. The root is its left child.
 *
 *  - node->lock protects all other fields of the node; its key never changes once the node is linked.
 *  - The locks are coupled (Ellis: "Concurrent search and insertion in AVL trees", 1980): a node's lock is taken by
 *    someone who holds the lock of its parent. A search holds one or two locks. An update holds the locks of a parent
 *    and a node and takes that of the child on its way; this is enough for a single rotation, which changes the three
 *    of them. A double rotation locks a grandchild, too.
 *  - A delete only marks a node with two children as absent; it stays as a signpost, and an insert of the key takes it
 *    up again. Other nodes are unlinked, which needs the locks of the parent and the node.
 *  - A node is freed by a thread that holds its parent's lock and held its own until then. Nobody else can have the
 *    node's address at that time: it could be read only under the parent's lock, and everyone keeps that lock until
 *    they have the node's own.
 *
 * The revisions, each with one mistake. The marks count the nodes on the longest path, with the holder, before the
 * two operations. Without a mark, the holder and at most one node are enough for all pairs.
 *
 *  peek_height  an update reads the recorded heights of the next node before it locks that node. [3 nodes] all.
 *  value_late   search reads the mark and the value after it has unlocked the node. [3 nodes] against marking.
 *  mark_late    delete marks a node with two children after it has unlocked it. [3 nodes] all.
 *  put_late     insert of a key that has a node writes the mark and the value after it has unlocked that node.
 *               [rare path] all, [3 nodes] against marking.
 *  late_height  insert unlocks the parent of the fresh node before it records there that this side is no longer empty.
 *               [3 nodes] against reading both heights of that parent from above, against a rotation, and against
 *               itself: a double rotation makes the place that the fresh node took free again for a second insert.
 *  root_peek    search looks whether the root is the node of the key, and if so reads mark and value under the holder's
 *               lock only. [rare path] all, [3 nodes] against marking.
 *  hop          search unlocks a node before it locks the next one, which can be freed between the two.
 *               [3 nodes] when it leaves a freed node for the next one.
 *  holder_reg   insert notes in the holder, too, that the tree has two levels, though it gave back the holder's lock
 *               long ago. [aliasing] right only when the parent of the fresh node is the holder itself. [3 nodes] all.
 *  late_on      insert links the fresh node as an absent one and marks it as present after it has unlocked its parent.
 *               [3 nodes], [rare path] against marking: a rotation has to put two children below the fresh node.
 *  empty_test   delete asks whether the tree is empty before it locks the holder. [3 nodes] against a rotation.
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LEFT, RIGHT };
enum { MAX_HEIGHT = 64 }; /* more than any tree that fits into memory needs */

struct node {
    pthread_mutex_t lock;
    int key;               /* all keys on the left are less, all on the right are greater */
    int value;             /* the key's value, if present */
    bool present;          /* false: the key was removed, the node only shows the way */
    int height[2];         /* the subtrees' heights when last seen: not 0 where there is a child */
    struct node *child[2]; /* left, right */
};

/* A node without children, or NULL when out of memory. */
static struct node *new_node(int key, int value, bool present)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return NULL;
    pthread_mutex_init(&node->lock, NULL);
    node->key = key;
    node->value = value;
    node->present = present;
    node->height[LEFT] = 0;
    node->height[RIGHT] = 0;
    node->child[LEFT] = NULL;
    node->child[RIGHT] = NULL;
    return node;
}

/* Frees a node that nobody else can reach. */
static void discard(struct node *node)
{
    pthread_mutex_destroy(&node->lock);
    //~^[hop] RACE@v2d,v1d,v3d write
    //~^^[hop] LOCK_MISUSE
    free(node);
    //~^[value_late] RACE@v3,v5 free
    //~^^[put_late] RACE@v5,v7 free
    //~^^^[late_height] RACE@v8 free
    //~^^^^[hop] RACE@v1,v2,v3,v4,v5,v6,v7 free
    //~^^^^^[late_on] RACE@v6 free
}

struct node *create(void)
{
    return new_node(0, -1, false);
}

/* Frees the tree. No other thread may use it any more. */
void destroy(struct node *h)
{
    if (h == NULL)
        return;
    destroy(h->child[LEFT]);
    destroy(h->child[RIGHT]);
    discard(h);
}

/* The height of a node's subtree by its records. The caller holds node->lock. */
static int height_of(const struct node *node)
{
    int left = node->height[LEFT];
    //~^[peek_height] RACE@v1 read
    //~^^[late_height] RACE@v1 read
    int right = node->height[RIGHT];
    //~^[peek_height] RACE@v2 read
    //~^^[late_height] RACE@v2 read
    return 1 + (left > right ? left : right);
}

/*
 * Half a rotation: the parent goes below its child on the given side. What points to the parent is left to the caller,
 * who holds the locks of both.
 */
static void lift(struct node *parent, int side, struct node *child)
{
    struct node *inner = child->child[!side];
    int high = child->height[!side];
    parent->child[side] = inner;
    parent->height[side] = high; //~[late_height] RACE@v7 write
    int below = height_of(parent);
    child->child[!side] = parent;
    child->height[!side] = below;
}

/*
 * Rotates at node, which is too high on one side: its child there takes its place, or the inner grandchild does if that
 * has the greater height. The caller holds the locks of parent, node (its child on the side which) and child (on the
 * side heavy of node). Returns the node that came up, with its lock; those of node and child are given back otherwise.
 */
static struct node *rotate(struct node *parent, int which, struct node *node, int heavy, struct node *child)
{
    struct node *top = child;
    int outer = child->height[heavy]; //~[late_height] RACE@v5 read
    int inner = child->height[!heavy]; //~[late_height] RACE@v6 read
    if (inner > outer) {
        struct node *grandchild = child->child[!heavy];
        if (grandchild == NULL) {
            child->height[!heavy] = 0;
        } else {
            pthread_mutex_lock(&grandchild->lock);
            lift(child, !heavy, grandchild);
            pthread_mutex_unlock(&child->lock);
            top = grandchild;
        }
    }
    lift(node, heavy, top);
    pthread_mutex_unlock(&node->lock);
    int high = height_of(top);
    parent->child[which] = top; //~[empty_test] RACE@v3 write
    parent->height[which] = high; //~[holder_reg] RACE@v2,v3 write
    return top;
}

/*
 * Goes down to key and refreshes records and balance on the way. Returns the node of key and stores its parent, both
 * locked, and on which side of the parent it is. If key has no node, returns NULL; its place is there and free.
 */
static struct node *descend(struct node *h, int key, struct node **above, int *where)
{
    struct node *parent = h;
    int which = LEFT;
    pthread_mutex_lock(&parent->lock);
    struct node *node = parent->child[LEFT];
    if (node != NULL)
        pthread_mutex_lock(&node->lock);
    while (node != NULL) {
        int here = node->key;
        if (here == key)
            break;
        int side = key < here ? LEFT : RIGHT;
        struct node *child = node->child[side];
        int near = 0;
#ifdef peek_height
        if (child != NULL) {
            near = height_of(child);
            pthread_mutex_lock(&child->lock);
        }
#else
        if (child != NULL) {
            pthread_mutex_lock(&child->lock);
            near = height_of(child);
        }
#endif
        node->height[side] = near; //~[late_height] RACE@v3 write
        int far = node->height[!side]; //~[late_height] RACE@v4 read
        if (near > far + 1) {
            node = rotate(parent, which, node, side, child);
        } else {
            pthread_mutex_unlock(&parent->lock);
            parent = node;
            which = side;
            node = child;
        }
    }
    *above = parent;
    *where = which;
    return node;
}

/* Gives a locked node its value and returns whether it had none. The lock is given back. */
static bool put(struct node *node, int value)
{
    bool added = !node->present;
    //~^[mark_late] RACE@v2 read
    //~^^[put_late] RACE@v2 read
    //~^^^[late_on] RACE@v2 read
#ifdef put_late
    pthread_mutex_unlock(&node->lock);
    node->present = true;
    //~^[put_late] RACE write/write
    //~^^[put_late] RACE@v1,v2,v3,v4,v5 write
    node->value = value;
    //~^[put_late] RACE write/write
    //~^^[put_late] RACE@v6,v7 write
#else
    node->present = true;
    //~^[value_late] RACE@v1 write
    //~^^[mark_late] RACE@v3 write
    //~^^^[root_peek] RACE@v1 write
    //~^^^^[late_on] RACE@v3 write
    node->value = value;
    //~^[value_late] RACE@v4 write
    //~^^[root_peek] RACE@v3 write
    pthread_mutex_unlock(&node->lock);
#endif
    return added;
}

/*
 * Maps key to value. Returns true when the key is new; a key that was there has its value replaced.
 * Out of memory: returns false and changes nothing.
 */
bool insert(struct node *h, int key, int value)
{
    struct node *parent;
    int side;
    struct node *node = descend(h, key, &parent, &side);
    if (node != NULL) {
        pthread_mutex_unlock(&parent->lock);
        return put(node, value);
    }
#ifdef late_on
    struct node *fresh = new_node(key, value, false);
#else
    struct node *fresh = new_node(key, value, true);
#endif
    if (fresh == NULL) {
        pthread_mutex_unlock(&parent->lock);
        return false;
    }
    parent->child[side] = fresh; //~[empty_test] RACE@v1 write
#ifdef late_height
    pthread_mutex_unlock(&parent->lock);
    parent->height[side] = 1;
    //~^[late_height] RACE write/write
    //~^^[late_height] RACE@v1,v2,v3,v4,v5,v6,v7,v8 write
#else
    parent->height[side] = 1; //~[peek_height] RACE@v1,v2 write
#ifdef holder_reg
    int levels = h->height[LEFT]; //~[holder_reg] RACE@v1,v2 read
    if (levels < 2)
        h->height[LEFT] = 2;
        //~^[holder_reg] RACE write/write
        //~^^[holder_reg] RACE@v1,v3 write
#endif
    pthread_mutex_unlock(&parent->lock);
#endif
#ifdef late_on
    fresh->present = true; //~[late_on] RACE@v1,v2,v3,v4,v5,v6 write
#endif
    return true;
}

/* Removes key. Returns whether it was there. */
bool delete(struct node *h, int key)
{
#ifdef empty_test
    if (h->child[LEFT] == NULL) //~[empty_test] RACE@v1,v2,v3 read
        return false;
#endif
    struct node *parent;
    int side;
    struct node *node = descend(h, key, &parent, &side);
    if (node == NULL) {
        pthread_mutex_unlock(&parent->lock);
        return false;
    }
    bool was = node->present;
    //~^[mark_late] RACE@v4 read
    //~^^[put_late] RACE@v3 read
    //~^^^[late_on] RACE@v4 read
    struct node *left = node->child[LEFT];
    struct node *right = node->child[RIGHT];
    if (left != NULL && right != NULL) {
        pthread_mutex_unlock(&parent->lock);
#ifdef mark_late
        pthread_mutex_unlock(&node->lock);
        node->present = false;
        //~^[mark_late] RACE write/write
        //~^^[mark_late] RACE@v1,v2,v3,v4 write
#else
        node->present = false;
        //~^[value_late] RACE@v2 write
        //~^^[put_late] RACE@v4 write
        //~^^^[root_peek] RACE@v2 write
        //~^^^^[late_on] RACE@v5 write
        pthread_mutex_unlock(&node->lock);
#endif
    } else {
        /* The parent's record of the height stays as it is until an update comes by. */
        parent->child[side] = left != NULL ? left : right; //~[empty_test] RACE@v2 write
        pthread_mutex_unlock(&node->lock);
        discard(node);
        pthread_mutex_unlock(&parent->lock);
    }
    return was;
}

/* The value of key, or -1. */
int search(struct node *h, int key)
{
    int result = -1;
    struct node *parent = h;
    pthread_mutex_lock(&parent->lock);
    struct node *node = parent->child[LEFT];
#ifdef root_peek
    if (node != NULL && node->key == key) {
        if (node->present) //~[root_peek] RACE@v1,v2 read
            result = node->value; //~[root_peek] RACE@v3 read
        node = NULL;
    }
#endif
    while (node != NULL) {
#ifdef hop
        pthread_mutex_unlock(&parent->lock); //~[hop] RACE@v2,v2d read
        pthread_mutex_lock(&node->lock); //~[hop] RACE@v1,v1d read
        //~^[hop] LOCK_MISUSE
#else
        pthread_mutex_lock(&node->lock);
        pthread_mutex_unlock(&parent->lock);
#endif
        parent = node;
        int here = parent->key; //~[hop] RACE@v4 read
        if (here == key)
            break;
        node = parent->child[key < here ? LEFT : RIGHT]; //~[hop] RACE@v5 read
    }
    /* The lock of parent is held. It is the node of key, unless node is NULL. */
#ifdef value_late
    pthread_mutex_unlock(&parent->lock);
    if (node != NULL && node->present) //~[value_late] RACE@v1,v2,v3 read
        result = node->value; //~[value_late] RACE@v4,v5 read
#else
    if (node != NULL && node->present)
    //~^[mark_late] RACE@v1 read
    //~^^[put_late] RACE@v1 read
    //~^^^[hop] RACE@v6 read
    //~^^^^[late_on] RACE@v1 read
        result = node->value;
        //~^[put_late] RACE@v6 read
        //~^^[hop] RACE@v7 read
    pthread_mutex_unlock(&parent->lock); //~[hop] RACE@v3,v3d read
#endif
    return result;
}

/* Whether the keys of a subtree (its uppermost levels) are between low and high and in order, and the records sane. */
static bool valid_subtree(const struct node *node, long low, long high, int levels)
{
    if (node == NULL || levels == 0)
        return true;
    if (node->key <= low || node->key >= high)
        return false;
    for (int side = LEFT; side <= RIGHT; side++) {
        if (node->height[side] < 0 || node->height[side] > MAX_HEIGHT)
            return false;
        if (node->child[side] != NULL && node->height[side] == 0)
            return false;
    }
    return valid_subtree(node->child[LEFT], low, node->key, levels - 1) &&
           valid_subtree(node->child[RIGHT], node->key, high, levels - 1);
}

/* Whether the tree (its five uppermost levels) is well-formed. No other thread may change it meanwhile. */
bool valid(const struct node *h)
{
    if (h == NULL || h->child[RIGHT] != NULL || h->present)
        return false;
    if (h->height[LEFT] < 0 || h->height[LEFT] > MAX_HEIGHT || (h->child[LEFT] != NULL && h->height[LEFT] == 0))
        return false;
    return valid_subtree(h->child[LEFT], LONG_MIN, LONG_MAX, 5);
}

//~[clean] SAFE
