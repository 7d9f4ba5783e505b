/* Pipes and counters of events (POSIX pipe, fcntl; Linux pipe2, eventfd).
 *
 * A pipe is a queue of what was written, and a semaphore that counts it; one more when the last that could write is gone.
 * Whoever reads has seen what whoever wrote had done; nothing else is ordered.
 *
 * Provides: pipe pipe2 eventfd eventfd_read eventfd_write fcntl fcntl64 */

typedef struct { long words[4]; } sem_t;
extern int sem_init(sem_t *semaphore, int shared, unsigned value);
extern int sem_wait(sem_t *semaphore);
extern int sem_trywait(sem_t *semaphore);
extern int sem_post(sem_t *semaphore);
extern int raise(int signal);

enum { MESSAGES = 16, LONGEST = 4096, SIGPIPE = 13, O_WRONLY = 1, O_RDWR = 2, O_NONBLOCK = 04000, O_CLOEXEC = 02000000, O_DIRECT = 040000 };

struct message { char *data; size_t size, at; };

struct __raddle_channel {
    sem_t ready;
    int told;
    int readers, writers, single;
    uint64_t counter;
    struct message queue[MESSAGES];
    unsigned first, count;
};

static struct __raddle_channel *channel(unsigned ready)
{
    struct __raddle_channel *made = malloc(sizeof *made);
    if (!made)
        return NULL;
    __raddle_guard(made);
    memset(made, 0, sizeof *made);
    made->readers = made->writers = 1;
    sem_init(&made->ready, 0, ready);
    return made;
}

/* What follows is one step with this. Whoever learns has seen what all had done that told. */
static void tell(struct __raddle_channel *c) { __atomic_fetch_add(&c->told, 1, __ATOMIC_RELEASE); }
static void learn(struct __raddle_channel *c) { __atomic_fetch_add(&c->told, 1, __ATOMIC_ACQUIRE); }

/* Whether there is something, waiting for it where that is wanted. */
static int awaited(struct __raddle_channel *c, int impatient)
{
    if ((impatient ? sem_trywait(&c->ready) : sem_wait(&c->ready)) == 0)
        return 1;
    if (impatient)
        errno = EAGAIN;
    return 0;
}

static long take_bytes(const struct __raddle_file *file, void *to, size_t n)
{
    struct __raddle_channel *c = file->behind;
    size_t given = 0;
    while (given < n) {
        if (!awaited(c, file->impatient || given > 0)) {
            if (given == 0)
                return -1;
            break;
        }
        learn(c);
        /* Nobody writes any more. */
        if (c->count == 0) {
            sem_post(&c->ready);
            break;
        }
        struct message *next = &c->queue[c->first];
        size_t left = next->size - next->at, part = left < n - given ? left : n - given;
        memcpy((char *)to + given, next->data + next->at, part);
        given += part;
        next->at += part;
        if (part == left) {
            free(next->data);
            c->first = (c->first + 1) % MESSAGES;
            c->count--;
        }
        if (part < left)
            sem_post(&c->ready);
    }
    return (long)given;
}

static long put_bytes(const struct __raddle_file *file, const void *from, size_t n)
{
    struct __raddle_channel *c = file->behind;
    if (n == 0)
        return 0;
    if (n > LONGEST)
        __raddle_unsupported("more than 4096 bytes at once in a pipe");
    char *data = malloc(n);
    if (!data) {
        errno = ENOMEM;
        return -1;
    }
    __raddle_guard(data);
    memcpy(data, from, n);
    tell(c);
    if (c->readers == 0) {
        free(data);
        errno = EPIPE;
        raise(SIGPIPE);
        return -1;
    }
    if (c->count == MESSAGES)
        __raddle_unsupported("more than 16 messages in a pipe");
    c->queue[(c->first + c->count++) % MESSAGES] = (struct message){data, n, 0};
    sem_post(&c->ready);
    return (long)n;
}

static void shut_end(const struct __raddle_file *file)
{
    struct __raddle_channel *c = file->behind;
    tell(c);
    if (file->reads)
        c->readers--;
    else if (--c->writers == 0)
        sem_post(&c->ready);
}

static long take_events(const struct __raddle_file *file, void *to, size_t n)
{
    struct __raddle_channel *c = file->behind;
    uint64_t value = 0;
    if (n < sizeof value) {
        errno = EINVAL;
        return -1;
    }
    while (value == 0) {
        if (!awaited(c, file->impatient))
            return -1;
        learn(c);
        /* Another may have taken it with its own. */
        value = c->single ? c->counter > 0 : c->counter;
        c->counter -= value;
    }
    memcpy(to, &value, sizeof value);
    return sizeof value;
}

static long put_events(const struct __raddle_file *file, const void *from, size_t n)
{
    struct __raddle_channel *c = file->behind;
    uint64_t value = 0;
    if (n >= sizeof value)
        memcpy(&value, from, sizeof value);
    if (n < sizeof value || value == UINT64_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (value == 0)
        return sizeof value;
    if (c->single && value > MESSAGES)
        __raddle_unsupported("more than 16 events at once for an eventfd that counts down");
    tell(c);
    if (c->counter > UINT64_MAX - 1 - value)
        __raddle_unsupported("an eventfd whose counter is full");
    c->counter += value;
    for (uint64_t i = 0; i < (c->single ? value : 1); i++)
        sem_post(&c->ready);
    return sizeof value;
}

static void shut_events(const struct __raddle_file *file) { (void)file; }

static const struct __raddle_device bytes = {take_bytes, put_bytes, shut_end};
static const struct __raddle_device events = {take_events, put_events, shut_events};

static int unused(int from)
{
    while (from < __RADDLE_FILES && __raddle_files[from].used)
        from++;
    return from;
}

static int fails(int error)
{
    errno = error;
    return -1;
}

int pipe2(int ends[2], int flags)
{
    if (flags & ~(O_NONBLOCK | O_CLOEXEC | O_DIRECT))
        return fails(EINVAL);
    struct __raddle_channel *made = channel(0);
    if (!made)
        return fails(EMFILE);
    __raddle_enter(__raddle_files);
    int reads = unused(3), writes = unused(reads + 1);
    if (writes >= __RADDLE_FILES) {
        free(made);
        return fails(EMFILE);
    }
    struct __raddle_file end = {.used = 1, .impatient = (flags & O_NONBLOCK) != 0, .device = &bytes, .behind = made};
    __raddle_files[reads] = end;
    __raddle_files[reads].reads = 1;
    __raddle_files[writes] = end;
    __raddle_files[writes].writes = 1;
    ends[0] = reads;
    ends[1] = writes;
    return 0;
}

int pipe(int ends[2]) { return pipe2(ends, 0); }

int eventfd(unsigned value, int flags)
{
    if (flags & ~(O_NONBLOCK | O_CLOEXEC | 1))
        return fails(EINVAL);
    int single = flags & 1;
    struct __raddle_channel *made = channel(single ? value : value > 0);
    if (!made)
        return fails(EMFILE);
    made->single = single;
    made->counter = value;
    __raddle_enter(__raddle_files);
    int number = unused(3);
    if (number >= __RADDLE_FILES) {
        free(made);
        return fails(EMFILE);
    }
    __raddle_files[number] = (struct __raddle_file){.used = 1, .reads = 1, .writes = 1, .device = &events, .behind = made};
    __raddle_files[number].impatient = (flags & O_NONBLOCK) != 0;
    return number;
}

extern long read(int number, void *to, size_t n);
extern long write(int number, const void *from, size_t n);
int eventfd_read(int number, uint64_t *value) { return read(number, value, sizeof *value) == sizeof *value ? 0 : -1; }
int eventfd_write(int number, uint64_t value) { return write(number, &value, sizeof value) == sizeof value ? 0 : -1; }

/* Of descriptors that are none of these, and for other commands, the answer is the environment's. What comes behind the command
 * is looked at only where it must be there. */
static int control(int number, int command, va_list *list)
{
    enum { GETFD = 1, SETFD, GETFL, SETFL };
    __raddle_enter(__raddle_files);
    if (number >= 0 && number < __RADDLE_FILES && __raddle_files[number].used) {
        struct __raddle_file *file = &__raddle_files[number];
        switch (command) {
        case GETFD:
        case SETFD: return 0;
        case GETFL: return (file->reads && file->writes ? O_RDWR : file->writes ? O_WRONLY : 0) | (file->impatient ? O_NONBLOCK : 0);
        case SETFL: file->impatient = (va_arg(*list, int) & O_NONBLOCK) != 0; return 0;
        default: break;
        }
    }
    int answer = (int)__raddle_input("fcntl", sizeof(int));
    __raddle_given(answer >= -1);
    return answer;
}

int fcntl(int number, int command, ...)
{
    va_list list;
    va_start(list, command);
    int answer = control(number, command, &list);
    va_end(list);
    return answer;
}

int fcntl64(int number, int command, ...)
{
    va_list list;
    va_start(list, command);
    int answer = control(number, command, &list);
    va_end(list);
    return answer;
}
