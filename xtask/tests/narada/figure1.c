#include "figure1.h"
#include <pthread.h>
#include <stdlib.h>
struct lib { pthread_mutex_t m; struct counter *c; };
struct lib *lib_new(void) { struct lib *l = calloc(1, sizeof *l); pthread_mutex_init(&l->m, NULL); l->c = counter_new(); return l; }
static void inc(struct counter *c) { c->count++; }
void lib_update(struct lib *l) { pthread_mutex_lock(&l->m); inc(l->c); pthread_mutex_unlock(&l->m); }
void lib_set(struct lib *l, struct counter *c) { pthread_mutex_lock(&l->m); l->c = c; pthread_mutex_unlock(&l->m); }
struct counter *counter_new(void) { return calloc(1, sizeof(struct counter)); }
