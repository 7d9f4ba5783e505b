//@ run: races
//@ revisions: bare locked
// Under `races` a library function is part of the operation that calls it, and none of its own.
#include <pthread.h>
#include <string.h>

struct user {
    pthread_mutex_t mutex;
    char name[4];
};

void rename_user(struct user *u)
{
#ifdef locked
    pthread_mutex_lock(&u->mutex);
#endif
    strncpy(u->name, "bob", 4); //~[bare] RACE write/write
    //~^[bare] RACE@read write
#ifdef locked
    pthread_mutex_unlock(&u->mutex);
#endif
}

int length(struct user *u)
{
#ifdef locked
    pthread_mutex_lock(&u->mutex);
#endif
    int n = (int)strnlen(u->name, sizeof u->name); //~[bare] RACE@read read
#ifdef locked
    pthread_mutex_unlock(&u->mutex);
#endif
    return n;
}
//~[locked] SAFE
