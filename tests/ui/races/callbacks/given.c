//@ run: races
//@ revisions: kept bare freed
// A function of a client's reads the numbers and the bytes that it is given. Of a structure it reads nothing.
#include <pthread.h>
#include <stdlib.h>

struct meter {
    pthread_mutex_t lock;
    int count;
    char *name;
    void (*report)(const int *count, double factor, const char *name, struct meter *of);
};

struct meter *meter_new(void (*report)(const int *count, double factor, const char *name, struct meter *of))
{
    struct meter *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->name = malloc(1);
    if (!m->name || pthread_mutex_init(&m->lock, NULL) != 0) {
        free(m->name);
        free(m);
        return NULL;
    }
    m->name[0] = 0;
    m->report = report;
    return m;
}

void meter_add(struct meter *m)
{
    pthread_mutex_lock(&m->lock);
    m->count++; //~[bare] RACE write
    pthread_mutex_unlock(&m->lock);
}

void meter_rename(struct meter *m)
{
    pthread_mutex_lock(&m->lock);
    free(m->name); //~[freed] RACE free
    m->name = calloc(1, 1);
    pthread_mutex_unlock(&m->lock);
}

void meter_report(struct meter *m)
{
    pthread_mutex_lock(&m->lock);
    int count = m->count;
    char *name = m->name;
#if defined kept
    if (m->report)
        m->report(&m->count, 0.5, name, m);
    pthread_mutex_unlock(&m->lock);
#else
    void (*report)(const int *, double, const char *, struct meter *) = m->report;
#ifdef bare
    name = NULL;
#endif
    pthread_mutex_unlock(&m->lock);
#ifdef freed
    if (report)
        report(&count, 0.5, name, m); //~[freed] RACE read
#else
    if (report)
        report(&m->count, 0.5, name, m); //~[bare] RACE read
#endif
#endif
    (void)count;
}
//~[kept] SAFE
