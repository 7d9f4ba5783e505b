// Two threads and a splay tree with one lock, fixed keys: a test driver for a library of trees, as the paper's `splay`.
//
// The tree is that of D. D. Sleator and R. E. Tarjan, "Self-Adjusting Binary Search Trees", JACM 32 (1985), splayed from
// the top down: a search brings the node it ends at to the root, and so changes the tree; what a thread finds there
// depends on what the other searched for. Nodes are the caller's; the tree only links them.
//
// The second thread removes 1 and looks for what is first then. The first looks for 1 and goes on with a tree of its own
// for a while where it is gone.
//
// There is no mistake in it. What guards against misuse, and the assertions, cannot be covered.

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    int key;
    struct node *left;
    struct node *right;
};

struct tree {
    pthread_mutex_t lock;
    struct node *root;
    int count;
};

static struct tree tree = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

// Brings the node of `key` to the root, or one next to where it would be. The loop ends: each round goes down.
static struct node *splay(struct node *top, int key)
{
    struct node header;
    header.left = NULL;
    header.right = NULL;
    struct node *below = &header;    // its right side is what is less than `key`, so far
    struct node *above = &header;    // its left side is what is greater
    if (top == NULL) //~ degree true=0 false=0
        return NULL;
    for (;;) {
        if (key < top->key) { //~ degree true=0 false=0
            struct node *child = top->left;
            if (child == NULL) //~ degree true=1 false=0
                break;
            if (key < child->key) { //~ degree true=0 false=1
                top->left = child->right;
                child->right = top;
                top = child;
                if (top->left == NULL) //~ degree true=0 false=0
                    break;
            }
            above->left = top;
            above = top;
            top = top->left;
        } else if (key > top->key) { //~ degree true=0 false=0
            struct node *child = top->right;
            if (child == NULL) //~ degree true=0 false=0
                break;
            if (key > child->key) { //~ degree true=0 false=0
                top->right = child->left;
                child->left = top;
                top = child;
                if (top->right == NULL) //~ degree true=1 false=0
                    break;
            }
            below->right = top;
            below = top;
            top = top->right;
        } else {
            break;
        }
    }
    below->right = top->left;
    above->left = top->right;
    top->left = header.right;
    top->right = header.left;
    return top;
}

static void check_root(const struct node *root)
{
    const struct node *left = root->left;
    const struct node *right = root->right;
    if (left != NULL) //~ degree true=0 false=0
        assert(left->key < root->key); //~ degree true=0 false=-
    if (right != NULL) //~ degree true=0 false=0
        assert(right->key > root->key); //~ degree true=0 false=-
}

static int insert_locked(struct tree *t, struct node *n)
{
    struct node *root = splay(t->root, n->key);
    if (root == NULL) { //~ degree true=0 false=0
        n->left = NULL;
        n->right = NULL;
        t->root = n;
        t->count++;
        return 1;
    }
    if (n->key < root->key) { //~ degree true=0 false=0
        n->left = root->left;
        n->right = root;
        root->left = NULL;
    } else if (n->key > root->key) { //~ degree true=0 false=1
        n->right = root->right;
        n->left = root;
        root->right = NULL;
    } else {
        t->root = root;
        return 0;
    }
    check_root(n);
    t->root = n;
    t->count++;
    return 1;
}

static struct node *remove_locked(struct tree *t, int key)
{
    struct node *root = splay(t->root, key);
    if (root == NULL) //~ degree true=1 false=0
        return NULL;
    if (root->key != key) { //~ degree true=1 false=0
        t->root = root;
        return NULL;
    }
    if (root->left == NULL) { //~ degree true=0 false=1
        t->root = root->right;
    } else {
        struct node *left = splay(root->left, key);
        assert(left->right == NULL); //~ degree true=1 false=-
        left->right = root->right;
        t->root = left;
    }
    t->count--;
    return root;
}

static struct node *find_locked(struct tree *t, int key)
{
    struct node *root = splay(t->root, key);
    t->root = root;
    if (root == NULL) //~ degree true=1 false=0
        return NULL;
    if (root->key != key) //~ degree true=1 false=0
        return NULL;
    return root;
}

static struct node *first_locked(struct tree *t)
{
    struct node *n = t->root;
    if (n == NULL) //~ degree true=1 false=0
        return NULL;
    while (n->left != NULL) //~ degree true=1 false=0
        n = n->left;
    t->root = splay(t->root, n->key);
    return n;
}

// The node of the least key greater than `key`.
static struct node *next_locked(struct tree *t, int key)
{
    struct node *root = splay(t->root, key);
    t->root = root;
    if (root == NULL) //~ degree true=1 false=0
        return NULL;
    if (root->key > key) //~ degree true=0 false=1
        return root;
    struct node *n = root->right;
    if (n == NULL) //~ degree true=1 false=2
        return NULL;
    while (n->left != NULL) //~ degree true=2 false=2
        n = n->left;
    return n;
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

static struct node *tree_first(struct tree *t)
{
    if (pthread_mutex_lock(&t->lock) != 0) //~ degree true=- false=0
        return NULL;
    struct node *n = first_locked(t);
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

// Of main until it makes the threads, then of the tree.
static struct node nodes[] = {{2, NULL, NULL}, {5, NULL, NULL}, {8, NULL, NULL}, {4, NULL, NULL}, {1, NULL, NULL}};
static struct node nine = {9, NULL, NULL};

// Of one thread only: what did not go as if it were alone.
static int surprises_of_first;
static int surprises_of_second;

// Of the first thread.
static struct tree spare = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
static struct node spare_nodes[] = {{1, NULL, NULL}, {3, NULL, NULL}, {3, NULL, NULL}};

// What the library does with an empty tree, and with a key that is there twice or not at all.
static void fall_back(void)
{
    tree_find(&spare, 1);
    tree_first(&spare);
    tree_next(&spare, 1);
    tree_remove(&spare, 1);
    tree_insert(&spare, &spare_nodes[0]);
    tree_insert(&spare, &spare_nodes[1]);
    tree_insert(&spare, &spare_nodes[2]);
    tree_next(&spare, 3);
    tree_first(&spare);
    tree_remove(&spare, 2);
    tree_find(&spare, 3);
    tree_remove(&spare, 3);
}

static void *first_thread(void *unused)
{
    if (tree_find(&tree, 1) == NULL) { //~ degree true=1 false=0
        surprises_of_first++;
        fall_back();
    }
    tree_insert(&tree, &nine);
    struct node *n = tree_next(&tree, 3);
    if (n == NULL) //~ degree true=- false=0
        surprises_of_first++;
    else if (n->key != 4) //~ degree true=- false=0
        surprises_of_first++;
    return unused;
}

static void *second_thread(void *unused)
{
    if (tree_remove(&tree, 1) == NULL) //~ degree true=- false=0
        surprises_of_second++;
    struct node *n = tree_first(&tree);
    if (n == NULL) //~ degree true=- false=0
        surprises_of_second++;
    else if (n->key != 2) //~ degree true=- false=0
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
