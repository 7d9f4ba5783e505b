/* Named semaphores (POSIX <semaphore.h>). One that the program has not created does not exist.
 *
 * Provides: sem_open sem_close sem_unlink */

typedef struct { long words[4]; } sem_t;
extern int sem_init(sem_t *semaphore, int shared, unsigned value);
extern int sem_destroy(sem_t *semaphore);

enum { SEMAPHORES = 8, LONGEST = 64, O_CREAT = 0100, O_EXCL = 0200 };
#define SEM_VALUE_MAX 0x7fffffffu

/* Used while it has a name or is open. All that open it get one object; what is closed for good is gone. */
struct __raddle_semaphore {
    char name[LONGEST];
    sem_t *object;
    int opened;
};
GUARDED struct __raddle_semaphore __raddle_semaphores[SEMAPHORES];

static struct __raddle_semaphore *find(const char *name)
{
    for (int i = 0; i < SEMAPHORES; i++) {
        const char *a = __raddle_semaphores[i].name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b && a != __raddle_semaphores[i].name)
            return &__raddle_semaphores[i];
    }
    return NULL;
}

/* The name without slashes in front; as long as names may be, with no other slash. */
static int is_name(const char *name, char *copy)
{
    size_t length = 0;
    while (*name == '/')
        name++;
    for (; name[length]; length++) {
        if (name[length] == '/')
            return 0;
        if (length == LONGEST - 1)
            __raddle_unsupported("a semaphore's name of more than 63 characters");
        copy[length] = name[length];
    }
    copy[length] = 0;
    return length > 0;
}

static sem_t *fails(int error)
{
    errno = error;
    return NULL;
}

sem_t *sem_open(const char *name, int flags, ...)
{
    char copy[LONGEST];
    sem_t *fresh = NULL;
    if (!is_name(name, copy))
        return fails(EINVAL);
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        (void)va_arg(list, unsigned);
        unsigned value = va_arg(list, unsigned);
        va_end(list);
        if (value > SEM_VALUE_MAX)
            return fails(EINVAL);
        /* Complete before anybody can find it. What sets it up is ordered before what uses it. */
        fresh = malloc(sizeof *fresh);
        if (!fresh)
            return NULL;
        __raddle_guard(fresh);
        sem_init(fresh, 0, value);
    }
    __raddle_enter(__raddle_semaphores);
    struct __raddle_semaphore *known = find(copy);
    if (known && (flags & O_CREAT) && (flags & O_EXCL)) {
        sem_destroy(fresh);
        free(fresh);
        return fails(EEXIST);
    }
    if (known) {
        if (!known->object)
            __raddle_unsupported("a named semaphore that is opened again after it was closed");
        sem_t *object = known->object;
        known->opened++;
        if (fresh) {
            sem_destroy(fresh);
            free(fresh);
        }
        return object;
    }
    if (!fresh) {
        __raddle_note("named semaphores that the program has not created are taken not to exist");
        return fails(ENOENT);
    }
    for (int i = 0; i < SEMAPHORES; i++) {
        struct __raddle_semaphore *s = &__raddle_semaphores[i];
        if (!s->name[0] && !s->opened) {
            memcpy(s->name, copy, LONGEST);
            s->object = fresh;
            s->opened = 1;
            return fresh;
        }
    }
    __raddle_unsupported("more than 8 named semaphores");
}

int sem_close(sem_t *semaphore)
{
    __raddle_enter(__raddle_semaphores);
    for (int i = 0; i < SEMAPHORES; i++) {
        struct __raddle_semaphore *s = &__raddle_semaphores[i];
        if (s->opened && s->object == semaphore) {
            if (--s->opened == 0) {
                s->object = NULL;
                sem_destroy(semaphore);
                free(semaphore);
            }
            return 0;
        }
    }
    errno = EINVAL;
    return -1;
}

int sem_unlink(const char *name)
{
    char copy[LONGEST];
    if (is_name(name, copy)) {
        __raddle_enter(__raddle_semaphores);
        struct __raddle_semaphore *known = find(copy);
        if (known) {
            known->name[0] = 0;
            return 0;
        }
    }
    errno = ENOENT;
    return -1;
}
