//@ run: check
//@ revisions: block branch loop thread inside argument function
// A compound literal lives as long as the block that it stands in (C11 6.5.2.5p5).
#include <pthread.h>

struct pair { int a, b; };

static int sum(const struct pair *p)
{
    return p->a + p->b; //~[branch] USE_AFTER_FREE
}

static void *look(void *arg)
{
    return ((struct pair *)arg)->a ? arg : 0; //~[thread] USE_AFTER_FREE
}

int main(int argc, char **argv)
{
#if defined block
    int *p;
    { p = (int[]){1, 2, 3}; }
    return p[1] - 2; //~[block] USE_AFTER_FREE
#elif defined branch
    struct pair *p = 0;
    if (argc) {
        p = &(struct pair){1, 2};
    }
    return sum(p);
#elif defined loop
    struct pair *p = 0;
    for (int i = 0; i < 1; i++) {
        p = &(struct pair){i, 2};
    }
    return p->b; //~[loop] USE_AFTER_FREE
#elif defined thread
    pthread_t one;
    if (argc) {
        pthread_create(&one, 0, look, &(struct pair){1, 2});
    }
    pthread_join(one, 0);
    return 0;
#elif defined inside
    for (int i = 0; i < 3; i++) {
        struct pair *p = &(struct pair){i, 2};
        if (sum(p) != i + 2)
            return 1; //~[inside] SAFE
    }
    return 0;
#elif defined argument
    while (sum(&(struct pair){argc, 2}) > 5)
        argc--;
    if (sum(&(struct pair){1, 2}) == 3)
        return sum(&(struct pair){3, 4}); //~[argument] SAFE
    return 0;
#else
    struct pair *p = &(struct pair){1, 2};
    if (argc) {
        p->a = 3;
    }
    return sum(p); //~[function] SAFE
#endif
}
