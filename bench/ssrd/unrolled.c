//@ run: races --op insert --op delete --op search --depth 3 --valid valid
//@ revisions: clean node_total prev_total value_late put_late peek_count late_link late_init peek_key empty_test hop
/*
 * A concurrent unrolled linked list: a sorted map from int to int.
 *
 * Every node holds up to CAPACITY keys with their values, in ascending order, and all the keys of a node are less than
 * those of the next one (Shao, Reppy, Appel: "Unrolling lists", 1994). Threads walk the list by lock coupling
 * (Bayer, Schkolnick: "Concurrency of operations on B-trees", 1977): a node's lock is taken while the lock of its
 * predecessor is held.
 *
 * The handle is a head node that has no keys. It is never removed.
 *
 *  - node->lock protects all other fields of the node: count, key, value, next; and total, which only the head uses.
 *  - An insert changes only one node, and therefore gives back the predecessor's lock before the change. A full node
 *    is split: the upper half of its keys moves to a fresh node behind it.
 *  - A delete that leaves other keys in the node pulls the next node's keys in when there is room for all of them. A
 *    node that would lose its only key is unlinked as it is; this needs the locks of the predecessor and the node.
 *  - A node is freed by a thread that holds its predecessor's lock and held its own until then. Nobody else can have
 *    the node's address at that time: it could be read only under the predecessor's lock, and everyone keeps that
 *    lock until they have the node's own.
 *  - head->total, the number of keys, is brought up to date at the end of an operation, when no other lock is held.
 *
 * The revisions, each with one mistake. The marks count the nodes, with the head, before the two operations. Without a
 * mark, the head and at most one node are enough for all pairs.
 *
 *  node_total    insert counts the new key while it holds the lock of the node rather than the head's.
 *                [3 nodes] for insert against insert.
 *  prev_total    delete counts an unlinked node's key under the predecessor's lock, as if this always were the head.
 *                [aliasing] [3 nodes] it is not when the second node is unlinked; a split can have made that node, too.
 *  value_late    search reads the value after it has unlocked the node. [3 nodes] against a merge.
 *  put_late      insert of a key that is there replaces its value after it has unlocked the node.
 *                [rare path] all, [3 nodes] against both sides of a merge.
 *  peek_count    delete looks at the next node's count before it locks that node, to save the lock when the node is
 *                full. [3 nodes] all.
 *  late_link     insert links the fresh node of a split after it has unlocked the old node.
 *                [3 nodes] against the merge into a node in front of the old one. [rare path] all (a split).
 *  late_init     insert into the empty list writes the value after it has linked the node and unlocked the head.
 *                [rare path] all.
 *  peek_key      search gives up when the first key of the list is too large, and reads that key under the head's lock
 *                only.
 *  empty_test    delete asks whether the list is empty before it locks the head. [rare path] against the first insert.
 *  hop           search unlocks a node before it locks the next one, which can be freed between the two.
 *                [3 nodes] when it leaves a freed node for the next one.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CAPACITY = 2, HALF = CAPACITY / 2 };

struct node {
    pthread_mutex_t lock;
    int count;           /* number of keys here: 0 in the head, 1 to CAPACITY in other nodes */
    int key[CAPACITY];   /* the first count of them ascend */
    int value[CAPACITY]; /* value[i] belongs to key[i] */
    int total;           /* in the head: number of keys in the whole list */
    struct node *next;
};

/* A node without keys, or NULL when out of memory. */
static struct node *new_node(void)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return NULL;
    pthread_mutex_init(&node->lock, NULL);
    node->count = 0;
    node->total = 0;
    node->next = NULL;
    return node;
}

/* Frees a node that nobody else can reach. */
static void discard(struct node *node)
{
    pthread_mutex_destroy(&node->lock);
    //~^[hop] RACE@v2d,v1d,v3d write
    //~^^[hop] LOCK_MISUSE
    free(node);
    //~^[value_late] RACE@v6 free
    //~^^[put_late] RACE@v10 free
    //~^^^[late_link] RACE@v9 free
    //~^^^^[late_init] RACE@v5 free
    //~^^^^^[hop] RACE@v1,v2,v3,v4,v5,v6,v7,v8 free
}

struct node *create(void)
{
    return new_node();
}

/* Frees the list. No other thread may use it any more. */
void destroy(struct node *h)
{
    while (h != NULL) {
        struct node *next = h->next;
        discard(h);
        h = next;
    }
}

/* Adds to the number of keys. The caller holds no lock. */
static void add_total(struct node *h, int change)
{
    pthread_mutex_lock(&h->lock);
    h->total += change;
    //~^[node_total] RACE@v1,v3 write
    //~^^[node_total] RACE@v2 read
    //~^^^[prev_total] RACE@v1,v3 write
    //~^^^^[prev_total] RACE@v2 read
    pthread_mutex_unlock(&h->lock);
}

/*
 * The place of key in a node: the index of the first key that is not less than it, or count.
 * *found says whether key is there. The caller holds node->lock.
 */
static int locate(const struct node *node, int key, bool *found)
{
    int count = node->count; //~[hop] RACE@v4 read
    int at = 0;
    *found = false;
    while (at < count) {
        int here = node->key[at]; //~[hop] RACE@v5 read
        if (here >= key) {
            *found = here == key;
            break;
        }
        at++;
    }
    return at;
}

/*
 * Finds the node for key: the first one whose last key is not less than key, or the last node of the list.
 * Returns it locked, or NULL when the list is empty; *before is its predecessor, locked too.
 */
static struct node *find(struct node *h, int key, struct node **before)
{
    struct node *prev = h;
    pthread_mutex_lock(&prev->lock);
    struct node *cur = prev->next;
    if (cur != NULL)
        pthread_mutex_lock(&cur->lock);
    while (cur != NULL) {
        int count = cur->count;
        int last = cur->key[count - 1];
        if (last >= key)
            break;
        struct node *next = cur->next; //~[late_link] RACE@v1 read
        if (next == NULL)
            break;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&prev->lock);
        prev = cur;
        cur = next;
    }
    *before = prev;
    return cur;
}

/* Puts key and value at an index of a node with room. The caller holds node->lock, or the node is not linked yet. */
static void put_at(struct node *node, int at, int key, int value)
{
    int count = node->count;
    for (int i = count; i > at; i--) {
        node->key[i] = node->key[i - 1];
        node->value[i] = node->value[i - 1];
        //~^[value_late] RACE@v1 write
        //~^^[put_late] RACE@v2 read
        //~^^^[put_late] RACE@v3 write
        //~^^^^[late_init] RACE@v3 read
    }
    node->key[at] = key; //~[peek_key] RACE@v1 write
    node->value[at] = value;
    //~^[value_late] RACE@v2 write
    //~^^[put_late] RACE@v4 write
    //~^^^[late_init] RACE@v4 write
    node->count = count + 1; //~[peek_count] RACE@v1 write
}

/* Removes the key at an index of a node that has others. The caller holds node->lock. */
static void take_at(struct node *node, int at)
{
    int count = node->count - 1;
    for (int i = at; i < count; i++) {
        node->key[i] = node->key[i + 1]; //~[peek_key] RACE@v2 write
        node->value[i] = node->value[i + 1];
        //~^[value_late] RACE@v3 write
        //~^^[put_late] RACE@v5 read
        //~^^^[put_late] RACE@v6 write
    }
    node->count = count; //~[peek_count] RACE@v2 write
}

/* Moves the upper half of a full node to a fresh one that is to follow it. The caller holds node->lock. */
static void split(struct node *node, struct node *fresh)
{
    for (int i = HALF; i < CAPACITY; i++) {
        fresh->key[i - HALF] = node->key[i];
        fresh->value[i - HALF] = node->value[i]; //~[put_late] RACE@v7 read
    }
    fresh->count = CAPACITY - HALF;
    fresh->next = node->next; //~[late_link] RACE@v2 read
    node->count = HALF; //~[peek_count] RACE@v3 write
}

/* Moves the keys of the next node, if they all fit, into this one and frees it. The caller holds node->lock. */
static void merge_next(struct node *node)
{
    struct node *next = node->next; //~[late_link] RACE@v3 read
    if (next == NULL)
        return;
#ifdef peek_count
    if (next->count == CAPACITY) //~[peek_count] RACE@v1,v2,v3 read
        return;
#endif
    pthread_mutex_lock(&next->lock);
    int have = node->count;
    int more = next->count;
    if (have + more > CAPACITY) {
        pthread_mutex_unlock(&next->lock);
        return;
    }
    for (int i = 0; i < more; i++) {
        node->key[have + i] = next->key[i];
        node->value[have + i] = next->value[i];
        //~^[value_late] RACE@v5 write
        //~^^[put_late] RACE@v8 read
        //~^^^[put_late] RACE@v9 write
    }
    node->count = have + more;
    struct node *rest = next->next; //~[late_link] RACE@v4 read
    node->next = rest; //~[late_link] RACE@v5 write
    pthread_mutex_unlock(&next->lock);
    discard(next);
}

/* The insert into an empty list. The caller holds h->lock, which is given back. */
static bool insert_first(struct node *h, int key, int value)
{
    struct node *fresh = new_node();
    if (fresh == NULL) {
        pthread_mutex_unlock(&h->lock);
        return false;
    }
#ifdef late_init
    put_at(fresh, 0, key, 0);
    h->next = fresh;
    pthread_mutex_unlock(&h->lock);
    fresh->value[0] = value; //~[late_init] RACE@v1,v2,v3,v4,v5 write
#else
    put_at(fresh, 0, key, value);
    h->next = fresh; //~[empty_test] RACE@v1 write
    pthread_mutex_unlock(&h->lock);
#endif
    add_total(h, 1);
    return true;
}

/*
 * Maps key to value. Returns true when the key is new; a key that was there has its value replaced.
 * Out of memory: returns false and changes nothing.
 */
bool insert(struct node *h, int key, int value)
{
    struct node *prev;
    struct node *cur = find(h, key, &prev);
    if (cur == NULL)
        return insert_first(h, key, value);
    pthread_mutex_unlock(&prev->lock);

    bool found;
    int at = locate(cur, key, &found);
    if (found) {
#ifdef put_late
        pthread_mutex_unlock(&cur->lock);
        cur->value[at] = value;
        //~^[put_late] RACE write/write
        //~^^[put_late] RACE@v1,v2,v3,v4,v5,v6,v7,v8,v9,v10 write
#else
        cur->value[at] = value;
        //~^[value_late] RACE@v4 write
        //~^^[late_init] RACE@v2 write
        pthread_mutex_unlock(&cur->lock);
#endif
        return false;
    }

    struct node *fresh = NULL;
    int count = cur->count;
    if (count < CAPACITY) {
        put_at(cur, at, key, value);
    } else {
        fresh = new_node();
        if (fresh == NULL) {
            pthread_mutex_unlock(&cur->lock);
            return false;
        }
        split(cur, fresh);
        if (at <= HALF)
            put_at(cur, at, key, value);
        else
            put_at(fresh, at - HALF, key, value);
    }
#ifndef late_link
    if (fresh != NULL)
        cur->next = fresh;
#endif
#ifdef node_total
    h->total += 1;
    //~^[node_total] RACE read/write
    //~^^[node_total] RACE write/write
    //~^^^[node_total] RACE@v1 read
    //~^^^^[node_total] RACE@v2,v3 write
#endif
    pthread_mutex_unlock(&cur->lock);
#ifdef late_link
    if (fresh != NULL)
        cur->next = fresh;
        //~^[late_link] RACE write/write
        //~^^[late_link] RACE@v1,v2,v3,v4,v5,v6,v7,v8,v9 write
#endif
#ifndef node_total
    add_total(h, 1);
#endif
    return true;
}

/* Removes key. Returns whether it was there. */
bool delete(struct node *h, int key)
{
#ifdef empty_test
    if (h->next == NULL) //~[empty_test] RACE@v1,v2 read
        return false;
#endif
    struct node *prev;
    struct node *cur = find(h, key, &prev);
    bool found = false;
    int at = 0;
    if (cur != NULL)
        at = locate(cur, key, &found);
    if (!found) {
        if (cur != NULL)
            pthread_mutex_unlock(&cur->lock);
        pthread_mutex_unlock(&prev->lock);
        return false;
    }

    int count = cur->count;
    if (count > 1) {
        pthread_mutex_unlock(&prev->lock);
        take_at(cur, at);
        merge_next(cur);
        pthread_mutex_unlock(&cur->lock);
    } else {
        struct node *rest = cur->next; //~[late_link] RACE@v6 read
        prev->next = rest;
        //~^[late_link] RACE@v7 write
        //~^^[empty_test] RACE@v2 write
        pthread_mutex_unlock(&cur->lock);
        discard(cur);
#ifdef prev_total
        h->total -= 1;
        //~^[prev_total] RACE@v1 read
        //~^^[prev_total] RACE@v2,v3 write
        pthread_mutex_unlock(&prev->lock);
        return true;
#else
        pthread_mutex_unlock(&prev->lock);
#endif
    }
    add_total(h, -1);
    return true;
}

/* The value of key, or -1. */
int search(struct node *h, int key)
{
    int result = -1;
    bool found = false;
    int at = 0;
    struct node *cur = h;
    pthread_mutex_lock(&cur->lock);
    struct node *next = cur->next;
#ifdef peek_key
    if (next != NULL && next->key[0] > key) //~[peek_key] RACE@v1,v2 read
        next = NULL;
#endif
    while (next != NULL) {
#ifdef hop
        pthread_mutex_unlock(&cur->lock); //~[hop] RACE@v2,v2d read
        pthread_mutex_lock(&next->lock); //~[hop] RACE@v1,v1d read
        //~^[hop] LOCK_MISUSE
#else
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&cur->lock);
#endif
        cur = next;
        at = locate(cur, key, &found);
        int count = cur->count; //~[hop] RACE@v6 read
        if (at < count)
            break;
        next = cur->next;
        //~^[late_link] RACE@v8 read
        //~^^[hop] RACE@v7 read
    }
#ifdef value_late
    pthread_mutex_unlock(&cur->lock);
    if (found)
        result = cur->value[at]; //~[value_late] RACE@v1,v2,v3,v4,v5,v6 read
#else
    if (found)
        result = cur->value[at];
        //~^[put_late] RACE@v1 read
        //~^^[late_init] RACE@v1 read
        //~^^^[hop] RACE@v8 read
    pthread_mutex_unlock(&cur->lock); //~[hop] RACE@v3,v3d read
#endif
    return result;
}

/* Whether the list (its first eight nodes, if it is longer) is well-formed. No other thread may change it meanwhile. */
bool valid(const struct node *h)
{
    if (h == NULL || h->count != 0)
        return false;
    bool first = true;
    int last = 0;
    int keys = 0;
    const struct node *node = h->next;
    for (int nodes = 0; nodes < 8; nodes++) {
        if (node == NULL)
            return h->total == keys;
        if (node->count < 1 || node->count > CAPACITY)
            return false;
        for (int i = 0; i < node->count; i++) {
            if (!first && node->key[i] <= last)
                return false;
            first = false;
            last = node->key[i];
        }
        keys += node->count;
        node = node->next;
    }
    return true;
}

//~[clean] SAFE
