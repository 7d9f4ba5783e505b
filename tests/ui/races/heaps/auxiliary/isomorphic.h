#include <pthread.h>

struct pair {
    long key, value;
};

struct map {
    struct pair *pairs;
    unsigned long size;
    pthread_mutex_t lock;
};

long find(struct map *m, long key);

/* Nobody calls it. Its structure comes first and is laid out like `struct pair`: LLVM takes the two for one. */
struct span {
    long begin, end;
};

static inline long length(void)
{
    struct span s;
    s.begin = s.end = 1;
    return s.end - s.begin;
}
