// Two threads and a red-black tree with one lock, fixed keys: a test driver for a library of trees, as the paper's
// `rbTree`.
//
// The tree is that of T. H. Cormen, C. E. Leiserson, R. L. Rivest, C. Stein, "Introduction to Algorithms", chapter 13,
// with NULL for its sentinel. Nodes are the caller's; the tree only links them.
//
// The first thread removes 4 and adds 9, and 7 again if the second has removed it; the second removes 7 and 3. A removal or
// an insertion that finds what the other left mends the tree in another way.
//
// There is no mistake in it. What guards against misuse, and the assertions, cannot be covered.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { RED, BLACK };

struct node {
    int key;
    int colour;
    struct node *parent;
    struct node *left;
    struct node *right;
};

struct tree {
    pthread_mutex_t lock;
    struct node *root;
};

static struct tree tree = {PTHREAD_MUTEX_INITIALIZER, NULL};

// Whether `n` is a red node: NULL counts as black.
static int is_red(const struct node *n)
{
    if (n == NULL) //~ degree true=0 false=0
        return 0;
    return n->colour == RED;
}

// Puts `other`, which may be NULL, where `n` was below its parent.
static void replace(struct tree *t, struct node *n, struct node *other)
{
    struct node *parent = n->parent;
    if (parent == NULL) //~ degree true=0 false=0
        t->root = other;
    else if (n == parent->left) //~ degree true=0 false=0
        parent->left = other;
    else
        parent->right = other;
    if (other != NULL) //~ degree true=0 false=0
        other->parent = parent;
}

static void rotate_left(struct tree *t, struct node *n)
{
    struct node *child = n->right;
    assert(child != NULL); //~ degree true=0 false=-
    replace(t, n, child);
    n->right = child->left;
    if (child->left != NULL) //~ degree true=- false=0
        child->left->parent = n;
    child->left = n;
    n->parent = child;
}

static void rotate_right(struct tree *t, struct node *n)
{
    struct node *child = n->left;
    assert(child != NULL); //~ degree true=1 false=-
    replace(t, n, child);
    n->left = child->right;
    if (child->right != NULL) //~ degree true=- false=1
        child->right->parent = n;
    child->right = n;
    n->parent = child;
}

// `n` is red, and so may its parent be. The loop ends: each round goes up.
static void mend_insertion(struct tree *t, struct node *n)
{
    while (is_red(n->parent) != 0) { //~ degree true=0 false=0
        struct node *parent = n->parent;
        struct node *grandparent = parent->parent;
        assert(grandparent != NULL); //~ degree true=0 false=-
        if (parent == grandparent->left) { //~ degree true=0 false=0
            struct node *uncle = grandparent->right;
            if (is_red(uncle) != 0) { //~ degree true=0 false=1
                parent->colour = BLACK;
                uncle->colour = BLACK;
                grandparent->colour = RED;
                n = grandparent;
                continue;
            }
            if (n == parent->right) { //~ degree true=1 false=-
                rotate_left(t, parent);
                n = parent;
                parent = n->parent;
            }
            parent->colour = BLACK;
            grandparent->colour = RED;
            rotate_right(t, grandparent);
        } else {
            struct node *uncle = grandparent->left;
            if (is_red(uncle) != 0) { //~ degree true=3 false=0
                parent->colour = BLACK;
                uncle->colour = BLACK;
                grandparent->colour = RED;
                n = grandparent;
                continue;
            }
            if (n == parent->left) { //~ degree true=- false=0
                rotate_right(t, parent);
                n = parent;
                parent = n->parent;
            }
            parent->colour = BLACK;
            grandparent->colour = RED;
            rotate_left(t, grandparent);
        }
    }
    t->root->colour = BLACK;
}

// Below `parent`, the side of `n`, which may be NULL, has one black node less than the other. The loop ends: each round
// goes up, or is the last but one.
static void mend_removal(struct tree *t, struct node *n, struct node *parent)
{
    while (is_red(n) == 0) { //~ degree true=1 false=-
        if (parent == NULL) //~ degree true=2 false=1
            return;
        if (n == parent->left) { //~ degree true=- false=1
            struct node *sibling = parent->right;
            assert(sibling != NULL); //~ degree true=- false=-
            if (is_red(sibling) != 0) { //~ degree true=- false=-
                sibling->colour = BLACK;
                parent->colour = RED;
                rotate_left(t, parent);
                sibling = parent->right;
            }
            if (is_red(sibling->right) == 0) { //~ degree true=- false=-
                if (is_red(sibling->left) == 0) { //~ degree true=- false=-
                    sibling->colour = RED;
                    n = parent;
                    parent = n->parent;
                    continue;
                }
                sibling->left->colour = BLACK;
                sibling->colour = RED;
                rotate_right(t, sibling);
                sibling = parent->right;
            }
            sibling->colour = parent->colour;
            parent->colour = BLACK;
            sibling->right->colour = BLACK;
            rotate_left(t, parent);
            return;
        }
        struct node *sibling = parent->left;
        assert(sibling != NULL); //~ degree true=1 false=-
        if (is_red(sibling) != 0) { //~ degree true=- false=1
            sibling->colour = BLACK;
            parent->colour = RED;
            rotate_right(t, parent);
            sibling = parent->left;
        }
        if (is_red(sibling->left) == 0) { //~ degree true=1 false=-
            if (is_red(sibling->right) == 0) { //~ degree true=2 false=1
                sibling->colour = RED;
                n = parent;
                parent = n->parent;
                continue;
            }
            sibling->right->colour = BLACK;
            sibling->colour = RED;
            rotate_left(t, sibling);
            sibling = parent->left;
        }
        sibling->colour = parent->colour;
        parent->colour = BLACK;
        sibling->left->colour = BLACK;
        rotate_right(t, parent);
        return;
    }
    n->colour = BLACK;
}

static struct node *find_locked(const struct tree *t, int key)
{
    struct node *n = t->root;
    while (n != NULL) { //~ degree true=0 false=0
        if (key < n->key) //~ degree true=0 false=0
            n = n->left;
        else if (key > n->key) //~ degree true=0 false=0
            n = n->right;
        else
            return n;
    }
    return NULL;
}

static int insert_locked(struct tree *t, struct node *n)
{
    struct node *parent = NULL;
    struct node *at = t->root;
    while (at != NULL) { //~ degree true=0 false=0
        parent = at;
        if (n->key < at->key) //~ degree true=0 false=0
            at = at->left;
        else if (n->key > at->key) //~ degree true=0 false=0
            at = at->right;
        else
            return 0;
    }
    n->colour = RED;
    n->parent = parent;
    n->left = NULL;
    n->right = NULL;
    if (parent == NULL) //~ degree true=0 false=0
        t->root = n;
    else if (n->key < parent->key) //~ degree true=0 false=0
        parent->left = n;
    else
        parent->right = n;
    mend_insertion(t, n);
    return 1;
}

// A node with two children changes places with the next greater one first.
static struct node *remove_locked(struct tree *t, int key)
{
    struct node *n = find_locked(t, key);
    if (n == NULL) //~ degree true=0 false=0
        return NULL;
    struct node *child;
    struct node *parent;
    int colour = n->colour;
    if (n->left == NULL) { //~ degree true=0 false=0
        child = n->right;
        parent = n->parent;
        replace(t, n, child);
    } else if (n->right == NULL) { //~ degree true=- false=0
        child = n->left;
        parent = n->parent;
        replace(t, n, child);
    } else {
        struct node *next = n->right;
        while (next->left != NULL) //~ degree true=0 false=0
            next = next->left;
        assert(next->key > key); //~ degree true=0 false=-
        colour = next->colour;
        child = next->right;
        parent = next;
        if (next != n->right) { //~ degree true=0 false=1
            parent = next->parent;
            replace(t, next, child);
            next->right = n->right;
            next->right->parent = next;
        }
        replace(t, n, next);
        next->left = n->left;
        next->left->parent = next;
        next->colour = n->colour;
    }
    if (colour == BLACK) //~ degree true=1 false=0
        mend_removal(t, child, parent);
    return n;
}

static struct node *last_locked(const struct tree *t)
{
    struct node *n = t->root;
    if (n == NULL) //~ degree true=- false=0
        return NULL;
    while (n->right != NULL) //~ degree true=0 false=0
        n = n->right;
    return n;
}

// The node of the least key greater than `key`.
static struct node *next_locked(const struct tree *t, int key)
{
    struct node *n = t->root;
    struct node *next = NULL;
    while (n != NULL) { //~ degree true=0 false=0
        if (key < n->key) { //~ degree true=1 false=0
            next = n;
            n = n->left;
        } else {
            n = n->right;
        }
    }
    return next;
}

// Whether `n` is in the tree now; 0 too if its key was there.
static int tree_insert(struct tree *t, struct node *n)
{
    if (n == NULL) //~ degree true=- false=0
        return 0;
    if (pthread_mutex_lock(&t->lock) != 0) //~ degree true=- false=0
        return 0;
    int inserted = insert_locked(t, n);
    pthread_mutex_unlock(&t->lock);
    return inserted;
}

static struct node *tree_remove(struct tree *t, int key)
{
    if (pthread_mutex_lock(&t->lock) != 0) //~ degree true=- false=0
        return NULL;
    struct node *n = remove_locked(t, key);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static struct node *tree_find(struct tree *t, int key)
{
    if (pthread_mutex_lock(&t->lock) != 0) //~ degree true=- false=0
        return NULL;
    struct node *n = find_locked(t, key);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static struct node *tree_last(struct tree *t)
{
    if (pthread_mutex_lock(&t->lock) != 0) //~ degree true=- false=0
        return NULL;
    struct node *n = last_locked(t);
    pthread_mutex_unlock(&t->lock);
    return n;
}

static struct node *tree_next(struct tree *t, int key)
{
    if (pthread_mutex_lock(&t->lock) != 0) //~ degree true=- false=0
        return NULL;
    struct node *n = next_locked(t, key);
    pthread_mutex_unlock(&t->lock);
    return n;
}

#define NODE(key) {key, RED, NULL, NULL, NULL}

// Of main until it makes the threads, then of the tree.
static struct node nodes[] = {NODE(2), NODE(4), NODE(10), NODE(3), NODE(7)};
static struct node seven_again = NODE(7);
static struct node nine = NODE(9);

// Of one thread only: what did not go as if it were alone.
static int surprises_of_first;
static int surprises_of_second;

static void *first_thread(void *unused)
{
    if (tree_remove(&tree, 4) == NULL) //~ degree true=- false=0
        surprises_of_first++;
    if (tree_insert(&tree, &seven_again) != 0) { //~ degree true=1 false=0
        surprises_of_first++;
        struct node *n = tree_find(&tree, 3);
        if (n == NULL) //~ degree true=3 false=1
            surprises_of_first++;
        else if (n->key != 3) //~ degree true=- false=1
            surprises_of_first++;
        n = tree_next(&tree, 7);
        if (n == NULL) //~ degree true=- false=1
            surprises_of_first++;
        else if (n->key != 10) //~ degree true=- false=1
            surprises_of_first++;
    }
    if (tree_insert(&tree, &nine) == 0) //~ degree true=- false=0
        surprises_of_first++;
    if (tree_remove(&tree, 11) != NULL) //~ degree true=- false=0
        surprises_of_first++;
    return unused;
}

static void *second_thread(void *unused)
{
    if (tree_find(&tree, 4) == NULL) //~ degree true=2 false=0
        surprises_of_second++;
    struct node *n = tree_last(&tree);
    if (n == NULL) //~ degree true=- false=0
        surprises_of_second++;
    else if (n->key != 10) //~ degree true=- false=0
        surprises_of_second++;
    if (tree_next(&tree, 12) != NULL) //~ degree true=- false=0
        surprises_of_second++;
    n = tree_remove(&tree, 7);
    if (n == NULL) //~ degree true=- false=0
        surprises_of_second++;
    else if (n == &seven_again) //~ degree true=- false=0
        surprises_of_second++;
    if (tree_remove(&tree, 3) == NULL) //~ degree true=- false=0
        surprises_of_second++;
    return unused;
}

int main(void)
{
    tree_insert(&tree, &nodes[0]);
    tree_insert(&tree, &nodes[1]);
    tree_insert(&tree, &nodes[2]);
    tree_insert(&tree, &nodes[3]);
    tree_insert(&tree, &nodes[4]);
    pthread_t first, second;
    pthread_create(&first, NULL, first_thread, NULL);
    pthread_create(&second, NULL, second_thread, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
