//@ run: races --op insert --op remove_min --op search --depth 3 --valid valid
//@ revisions: clean unlocked_claim release_first lost_top peek_flag gap_in_search gap_in_claim victim_unlocked early_read counter count_with_preds empty_check count_check

// A concurrent priority queue on a skip list, with locks.
//
// The algorithm is that of N. Shavit and I. Lotan, "Skiplist-Based Concurrent Priority Queues", IPDPS 2000, with a
// list of two levels. remove_min has two parts: it claims the first node of the bottom level whose `deleted` flag is
// not set, by setting it, and then takes this node out of the list as one would delete any key. So several threads
// that remove walk past each other's claimed nodes and do not wait for each other's unlinking. Priorities may occur
// several times.
//
// In the paper the flag is set by an atomic swap and an unlinked node goes to a collector. Here the flag has the lock
// of its node, and all walks are hand over hand (a thread locks the next node before it gives back the lock of the
// one that it stands on), so that a node can be freed as soon as it is unlinked: whoever unlinks it holds the lock of
// the node and those of its predecessors, and thus nobody stands on the node, or waits for its lock.
//
// What the locks protect:
//   n->lock       n->next[] and n->deleted; and the life of the nodes that n->next[] points to.
//   head->lock    head->count as well.
//   no lock       prio, item, height: fixed before the node is linked.
// Order of locks: from the head to the right. find() keeps the predecessor on the upper level locked while it walks
// on the bottom level; the two predecessors may be the same node, which is then locked once.
//
// Revisions ([3 nodes]: there are two items or more at the start). A call that locks or unlocks a freed node reads
// it; it races with the call that destroys the lock, which writes it, and with the one that frees the node.
//   unlocked_claim     remove_min gives the lock of a node back before it sets the flag, so that two may claim the
//                      node. [rare path] for all pairs with free()
//   release_first      insert gives the lock on the bottom level back before it links on the upper level: wrong if
//                      both predecessors are the same node. [aliasing]
//   lost_top           find gives back the upper predecessor's lock when it moves on on the bottom level. [3 nodes] if
//                      this predecessor is not the head, and for the pairs of two remove_min.
//   peek_flag          search reads the flag before it locks the node.
//   gap_in_search      search gives a lock back before it takes that of the next node. [rare path]; [3 nodes] for the
//                      pairs of unlocking in the loops.
//   gap_in_claim       remove_min gives a lock back before it takes that of the next node. [rare path]
//   victim_unlocked    remove_min does not lock the node that it unlinks. [rare path]; [3 nodes] for the pairs where
//                      the other operation walks on from that node, or unlinks the one behind it.
//   early_read         remove_min reads the pointers of the node that it unlinks before the locks are taken. [3 nodes]
//                      for the pair of two remove_min.
//   counter            insert counts outside of the head's lock.
//   count_with_preds   remove_min counts while it holds the predecessors' locks: the head is mostly, but not always,
//                      one of them. [rare path]
//   empty_check        remove_min looks whether the queue is empty without the lock.
//   count_check        search looks at the count without the lock.
// Annotated are the races of two concurrent calls on a queue that no other call changes. A third call can bring
// about more (count_with_preds: the line with itself; where a node is freed that is still linked, or two claim the same
// node, whatever comes across it later).

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { BOTTOM, TOP, LEVELS };

struct node {
    int prio;                   // unused in the head
    int item;
    int height;                 // number of levels
    int count;                  // in the head only: number of items, counted after they are linked or unlinked
    bool deleted;               // claimed by a remove_min
    pthread_mutex_t lock;
    struct node *next[LEVELS];  // the last node of a level has NULL
};

static int height_of(int prio, int item)
{
    unsigned bits = (unsigned)prio ^ (unsigned)item >> 1;
    return (bits & 1u) != 0 ? 2 : 1;
}

static struct node *new_node(int prio, int item, int height)
{
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return NULL;
    if (pthread_mutex_init(&n->lock, NULL) != 0) {
        free(n);
        return NULL;
    }
    n->prio = prio;
    n->item = item;
    n->height = height;
    n->count = 0;
    n->deleted = false;
    n->next[BOTTOM] = NULL;
    n->next[TOP] = NULL;
    return n;
}

static void free_node(struct node *n)
{
    pthread_mutex_destroy(&n->lock);
    //~^[victim_unlocked] RACE@dd,gd,hd,xd,wd,nd,qd,td write
    //~^^[gap_in_claim] RACE@g4d,g1d write
    //~^^^[unlocked_claim] RACE@u8d,u10d write
    //~^^^^[gap_in_search] RACE@s3d,s1d,s5d,s6d write
    //~^^^^^[unlocked_claim] RACE write/write
    //~^^^^^^[unlocked_claim] RACE@u0 write
    //~^^^^^^^[unlocked_claim,gap_in_search,gap_in_claim,victim_unlocked] LOCK_MISUSE
    free(n); //~[unlocked_claim] RACE@u0 free
    //~^[unlocked_claim] RACE@u3,u4,u5,u6,u7,u8,u9,u10 free
    //~^^[unlocked_claim] RACE free/free
    //~^^^[release_first] RACE@r3,r10,r17 free
    //~^^^^[lost_top] RACE@t7,t8,t10 free
    //~^^^^^[gap_in_search] RACE@s1,s2,s3,s4,s5,s6 free
    //~^^^^^^[gap_in_claim] RACE@g1,g2,g3,g4 free
    //~^^^^^^^[victim_unlocked] RACE@d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x free
}

struct node *create(void)
{
    return new_node(INT_MIN, 0, LEVELS);
}

void destroy(struct node *h)
{
    while (h != NULL) {
        struct node *n = h->next[BOTTOM];
        free_node(h);
        h = n;
    }
}

// Whether n is in front of all nodes of priority `prio` or, if that is given, of `victim`, a node of this priority.
static bool precedes(const struct node *n, int prio, const struct node *victim)
{
    int other = n->prio; //~[lost_top] RACE@t10 read
    return other < prio || (other == prio && victim != NULL && n != victim);
}

// Locks, on both levels, the last node that precedes (see there). The nodes may be one and the same.
static void find(struct node *h, int prio, const struct node *victim, struct node *pred[LEVELS])
{
    const struct node *top = NULL;
    if (victim != NULL && victim->height > TOP) //~[unlocked_claim] RACE@u7 read
        top = victim;
    struct node *p = h;
    pthread_mutex_lock(&p->lock);
    struct node *n = p->next[TOP]; //~[release_first] RACE@r4 read
    //~^[lost_top] RACE@t1,t9 read
    while (n != NULL && precedes(n, prio, top)) {
        pthread_mutex_lock(&n->lock);
        pthread_mutex_unlock(&p->lock); //~[victim_unlocked] RACE@d,dd read
        p = n;
        n = p->next[TOP]; //~[release_first] RACE@r5,r11 read
        //~^[lost_top] RACE@t2,t11 read
        //~^^[victim_unlocked] RACE@e read
    }
    pred[TOP] = p;

    n = p->next[BOTTOM]; //~[lost_top] RACE@t15 read
    //~^[victim_unlocked] RACE@f read
    while (n != NULL && precedes(n, prio, victim)) {
        pthread_mutex_lock(&n->lock);
#ifndef lost_top
        if (p != pred[TOP])
#endif
        pthread_mutex_unlock(&p->lock);
        p = n;
        n = p->next[BOTTOM];
    }
    pred[BOTTOM] = p;
}

// Gives back the locks that find() has taken.
static void release(struct node *pred[LEVELS])
{
#ifndef lost_top
    if (pred[TOP] != pred[BOTTOM])
        pthread_mutex_unlock(&pred[TOP]->lock); //~[victim_unlocked] RACE@g,gd read
#endif
    pthread_mutex_unlock(&pred[BOTTOM]->lock); //~[victim_unlocked] RACE@h,hd read
}

// Puts an item into the queue, in front of those of the same priority. Returns false if there is no memory.
bool insert(struct node *h, int prio, int item)
{
    int height = height_of(prio, item);
    struct node *n = new_node(prio, item, height);
    if (n == NULL)
        return false;
    struct node *pred[LEVELS];
    find(h, prio, NULL, pred);
    struct node *after = pred[BOTTOM]->next[BOTTOM]; //~[lost_top] RACE@t17 read
    //~^[victim_unlocked] RACE@i read
    n->next[BOTTOM] = after; //~[lost_top] RACE@t15,t16,t17,t18 write
    pred[BOTTOM]->next[BOTTOM] = n; //~[lost_top] RACE@t18 write
    //~^[victim_unlocked] RACE@a,j write
    //~^^[early_read] RACE@e1 write
    //~^^^[empty_check] RACE@m1 write
#ifdef release_first
    pthread_mutex_unlock(&pred[BOTTOM]->lock);
#endif
    if (height > TOP) {
        after = pred[TOP]->next[TOP]; //~[release_first] RACE@r1,r2,r3,r13 read
        //~^[lost_top] RACE@t5,t8,t13 read
        //~^^[victim_unlocked] RACE@k read
        n->next[TOP] = after; //~[release_first] RACE@r11,r12,r13,r14,r15,r16,r17 write
        //~^[lost_top] RACE@t11,t12,t13,t14 write
        pred[TOP]->next[TOP] = n; //~[release_first] RACE write/write
        //~^[release_first] RACE@r1,r4,r5,r6,r7,r8,r9,r10,r14 write
        //~^^[lost_top] RACE write/write
        //~^^^[lost_top] RACE@t1,t2,t3,t4,t5,t6,t7,t14 write
        //~^^^^[victim_unlocked] RACE@b,l write
        //~^^^^^[early_read] RACE@e2 write
    }
#ifdef release_first
    if (pred[TOP] != pred[BOTTOM])
        pthread_mutex_unlock(&pred[TOP]->lock);
#else
    release(pred);
#endif

#ifdef counter
    h->count++; //~[counter] RACE read/write
    //~^[counter] RACE write/write
    //~^^[counter] RACE@c1 read
    //~^^^[counter] RACE@c2,c3 write
#else
    pthread_mutex_lock(&h->lock);
    h->count++; //~[count_with_preds] RACE@n1,n3 write
    //~^[count_with_preds] RACE@n2 read
    //~^^[count_check] RACE@k1 write
    pthread_mutex_unlock(&h->lock);
#endif
    return true;
}

// Marks the first node that is not yet marked, and returns it, or NULL if there is none. It is then the caller's task
// to unlink it; until then it stays where it is.
static struct node *claim(struct node *h)
{
#ifdef empty_check
    if (h->next[BOTTOM] == NULL) //~[empty_check] RACE@m1,m2 read
        return NULL;
#endif
    struct node *p = h;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        struct node *n = p->next[BOTTOM]; //~[gap_in_claim] RACE@g3 read
        //~^[victim_unlocked] RACE@v read
#ifdef gap_in_claim
        pthread_mutex_unlock(&p->lock); //~[gap_in_claim] RACE@g4,g4d read
        if (n == NULL)
            return NULL;
        pthread_mutex_lock(&n->lock); //~[gap_in_claim] RACE@g1,g1d read
        //~^[gap_in_claim] LOCK_MISUSE
#else
        if (n == NULL) {
            pthread_mutex_unlock(&p->lock); //~[victim_unlocked] RACE@x,xd read
            return NULL;
        }
        pthread_mutex_lock(&n->lock);
        pthread_mutex_unlock(&p->lock); //~[victim_unlocked] RACE@w,wd read
#endif
        bool taken = n->deleted; //~[unlocked_claim] RACE@u1 read
        //~^[gap_in_claim] RACE@g2 read
        //~^^[victim_unlocked] RACE@u read
        if (!taken) {
#ifdef unlocked_claim
            pthread_mutex_unlock(&n->lock);
            n->deleted = true; //~[unlocked_claim] RACE write/write
            //~^[unlocked_claim] RACE@u1,u2,u3 write
#else
            n->deleted = true; //~[peek_flag] RACE@p1 write
            pthread_mutex_unlock(&n->lock);
#endif
            return n;
        }
        p = n;
    }
}

// Takes a node, which the caller has claimed, out of the list and frees it.
static void take_out(struct node *h, struct node *victim)
{
#ifdef early_read
    struct node *after[LEVELS] = { NULL, NULL };
    for (int i = 0; i < victim->height; i++)
        after[i] = victim->next[i]; //~[early_read] RACE@e1,e2,e3 read
#endif
    int prio = victim->prio; //~[unlocked_claim] RACE@u5 read
    int height = victim->height; //~[unlocked_claim] RACE@u6 read
    struct node *pred[LEVELS];
    find(h, prio, victim, pred);
#ifndef victim_unlocked
    pthread_mutex_lock(&victim->lock); //~[unlocked_claim] RACE@u8,u8d read
    //~^[unlocked_claim] LOCK_MISUSE
    //~^^[unlocked_claim] USE_AFTER_FREE
#endif
    for (int i = 0; i < height; i++) {
#ifdef early_read
        pred[i]->next[i] = after[i]; //~[early_read] RACE@e3 write
#else
        struct node *after = victim->next[i]; //~[unlocked_claim] RACE@u9 read
        //~^[release_first] RACE@r9,r16 read
        //~^^[lost_top] RACE@t6 read
        //~^^^[victim_unlocked] RACE@a,b,c read
        pred[i]->next[i] = after; //~[release_first] RACE@r2,r8,r15 write
        //~^[lost_top] RACE@t9 write
        //~^^[victim_unlocked] RACE@c,m write
        //~^^^[empty_check] RACE@m2 write
#endif
    }
#ifndef victim_unlocked
    pthread_mutex_unlock(&victim->lock); //~[unlocked_claim] RACE@u10,u10d read
#endif
#ifdef count_with_preds
    h->count--; //~[count_with_preds] RACE@n1 read
    //~^[count_with_preds] RACE@n2,n3 write
#endif
    release(pred);
    free_node(victim);
}

// Removes the first item and returns it, or -1 if the queue is empty.
int remove_min(struct node *h)
{
    struct node *n = claim(h);
    if (n == NULL)
        return -1;
    int item = n->item; //~[unlocked_claim] RACE@u4 read
    take_out(h, n);
#ifndef count_with_preds
    pthread_mutex_lock(&h->lock);
    h->count--; //~[counter] RACE@c1,c3 write
    //~^[counter] RACE@c2 read
    //~^^[count_check] RACE@k2 write
    pthread_mutex_unlock(&h->lock);
#endif
    return item;
}

// Whether there is an item of this priority.
bool search(struct node *h, int prio)
{
#ifdef count_check
    if (h->count == 0) //~[count_check] RACE@k1,k2 read
        return false;
#endif
    struct node *p = h;
    struct node *n = NULL;
    pthread_mutex_lock(&p->lock);
    for (int i = TOP; i >= BOTTOM; i--) {
        n = p->next[i]; //~[release_first] RACE@r6 read
        //~^[lost_top] RACE@t3,t16 read
        //~^^[gap_in_search] RACE@s4 read
        //~^^^[victim_unlocked] RACE@p read
        while (n != NULL && n->prio < prio) {
#ifdef gap_in_search
            pthread_mutex_unlock(&p->lock); //~[gap_in_search] RACE@s3,s3d read
            pthread_mutex_lock(&n->lock); //~[gap_in_search] RACE@s1,s1d read
            //~^[gap_in_search] LOCK_MISUSE
#else
            pthread_mutex_lock(&n->lock);
            pthread_mutex_unlock(&p->lock); //~[victim_unlocked] RACE@n,nd read
#endif
            p = n;
            n = p->next[i]; //~[release_first] RACE@r7,r12 read
            //~^[lost_top] RACE@t4,t12 read
            //~^^[gap_in_search] RACE@s2 read
            //~^^^[victim_unlocked] RACE@o read
        }
    }
    bool found = false;
    while (!found && n != NULL && n->prio == prio) {
#ifdef peek_flag
        found = !n->deleted; //~[peek_flag] RACE@p1 read
#endif
        pthread_mutex_lock(&n->lock);
        pthread_mutex_unlock(&p->lock); //~[gap_in_search] RACE@s5,s5d read
        //~^[victim_unlocked] RACE@q,qd read
        p = n;
#ifndef peek_flag
        found = !n->deleted; //~[unlocked_claim] RACE@u2 read
        //~^[victim_unlocked] RACE@r read
#endif
        n = n->next[BOTTOM]; //~[victim_unlocked] RACE@s read
    }
    pthread_mutex_unlock(&p->lock); //~[gap_in_search] RACE@s6,s6d read
    //~^[victim_unlocked] RACE@t,td read
    return found;
}

// Whether no operation is under way and the queue is as it should be. Gives up (false) after 8 nodes.
bool valid(const struct node *h)
{
    if (h == NULL)
        return false;
    const struct node *top = h->next[TOP];
    int last = INT_MIN;
    int count = 0;
    for (const struct node *n = h->next[BOTTOM]; n != NULL; n = n->next[BOTTOM]) {
        if (count == 8 || n->deleted || n->prio < last || n->height < 1 || n->height > LEVELS)
            return false;
        last = n->prio;
        if (n->height > TOP) {
            if (top != n)
                return false;
            top = n->next[TOP];
        } else if (n->next[TOP] != NULL) {
            return false;
        }
        count++;
    }
    return top == NULL && h->count == count;
}

//~[clean] SAFE
