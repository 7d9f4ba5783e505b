/* What the compiler's instrumentation and the program call: accesses, locks, memory.
 *
 * Addresses that a thread must not touch end what it does; everything else that the oracle does not know is refused.
 */

#include <string.h>

#include "runtime.h"

#define SITE __builtin_return_address(0)

extern const char data_start[], end[];

/* --- Accesses ------------------------------------------------------------- */

/* An access whose turn it is. */
static void touch(const void *site, uintptr_t address, size_t size, enum kind kind)
{
    if (arena_cell(address) == NOBODY || arena_cell(address + size - 1) == NOBODY)
        give_up();
    order_access(running, site, address, size, kind);
    if (!arena_live(address, size))
        give_up();
}

static void access(const void *site, const volatile void *at, size_t size, enum kind kind)
{
    uintptr_t address = (uintptr_t)at;
    if (running == NOBODY || size == 0 || on_stack(address))
        return;
    if (address - (uintptr_t)data_start < (uintptr_t)end - (uintptr_t)data_start && arena_cell(address) == NOBODY)
        die("the program has global variables, which the oracle does not put back");
    count_access();
    if (order_visible(site))
        await_turn((struct step){ ACCESS, kind, address, size, true });
    touch(site, address, size, kind);
}

#define ACCESSES(size)                                                                                                \
    void __tsan_read##size(void *at) { access(SITE, at, size, READ); }                                                \
    void __tsan_write##size(void *at) { access(SITE, at, size, WRITE); }                                              \
    void __tsan_unaligned_read##size(void *at) { access(SITE, at, size, READ); }                                      \
    void __tsan_unaligned_write##size(void *at) { access(SITE, at, size, WRITE); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    access(SITE, from, size, READ);
    access(SITE, to, size, WRITE);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    access(SITE, from, size, READ);
    access(SITE, to, size, WRITE);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
    access(SITE, to, size, WRITE);
    return memset(to, byte, size);
}

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}

/* --- Memory --------------------------------------------------------------- */

void *__wrap_malloc(size_t size)
{
    return arena_allocate(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *object = arena_allocate(count * size);
    memset(object, 0, count * size);
    access(SITE, object, count * size, WRITE);
    return object;
}

void __wrap_free(void *object)
{
    if (object == NULL)
        return;
    uintptr_t address = (uintptr_t)object;
    size_t size = arena_object(address);
    if (running == NOBODY)
        die("a heap is built of objects that are not freed");
    if (size == 0)
        give_up();
    if (order_visible(SITE))
        await_turn((struct step){ ACCESS, FREE, address, size, true });
    touch(SITE, address, size, FREE);
    arena_free(address);
}

/* --- Locks ---------------------------------------------------------------- */

/* Lets a thread take its step on a lock, a read of the lock's first byte. Returns the lock, which is ready. */
static struct lock *lock_step(const void *site, void *at, int action)
{
    uintptr_t address = (uintptr_t)at;
    count_access();
    if (arena_cell(address) == NOBODY)
        give_up();
    await_turn((struct step){ action, READ, address, 1, order_visible(site) });
    touch(site, address, 1, READ);
    struct lock *lock = arena_lock(address);
    if (!lock->ready)
        give_up();
    return lock;
}

static int acquire(const void *site, void *at, bool shared, bool try)
{
    if (running == NOBODY)
        return 0;
    struct lock *lock = lock_step(site, at, try ? TRY : shared ? LOCK_SHARED : LOCK);
    if (!lock_is_free(lock, shared))
        return 16; /* EBUSY */
    if (shared)
        lock->readers |= (unsigned char)(1u << running);
    else
        lock->writer = (signed char)running;
    order_acquire(running, lock->clock);
    if (!shared)
        order_acquire(running, lock->shared_clock);
    return 0;
}

static int release(const void *site, void *at)
{
    if (running == NOBODY)
        return 0;
    struct lock *lock = lock_step(site, at, UNLOCK);
    unsigned char reader = (unsigned char)(1u << running);
    if (lock->writer == running) {
        order_release(running, lock->clock);
        lock->writer = NOBODY;
    } else if ((lock->readers & reader) != 0) {
        order_release(running, lock->shared_clock);
        lock->readers &= (unsigned char)~reader;
    } else {
        /* With the GNU C library it is free then, whoever is in the section; nothing is ordered by that. */
        lock->writer = NOBODY;
    }
    return 0;
}

/* Initialising and destroying a lock write its first byte. One that is held stays, and the call returns `busy`. */
static int change(const void *site, void *at, bool ready, int busy)
{
    access(site, at, 1, WRITE);
    struct lock *lock = arena_lock((uintptr_t)at);
    if (running != NOBODY && !ready) {
        if (!lock->ready)
            give_up();
        if (!lock_is_free(lock, false))
            return busy;
    }
    *lock = (struct lock){ .ready = ready, .writer = NOBODY };
    return 0;
}

#define LOCKS(type, lock, shared)                                                                                     \
    int __wrap_pthread_##type##_##lock(void *at) { return acquire(SITE, at, shared, false); }                         \
    int __wrap_pthread_##type##_try##lock(void *at) { return acquire(SITE, at, shared, true); }

#define LOCK_TYPE(type, busy)                                                                                         \
    int __wrap_pthread_##type##_destroy(void *at) { return change(SITE, at, false, busy); }                           \
    int __wrap_pthread_##type##_unlock(void *at) { return release(SITE, at); }

enum { BUSY = 16 }; /* EBUSY */
LOCK_TYPE(mutex, BUSY)
LOCK_TYPE(rwlock, 0)
LOCK_TYPE(spin, 0)
LOCKS(mutex, lock, false)
LOCKS(spin, lock, false)
LOCKS(rwlock, rdlock, true)
LOCKS(rwlock, wrlock, false)

int __wrap_pthread_mutex_init(void *at, const void *attributes)
{
    if (attributes != NULL)
        die("a mutex with attributes, which the oracle does not model");
    return change(SITE, at, true, 0);
}

int __wrap_pthread_rwlock_init(void *at, const void *attributes)
{
    if (attributes != NULL)
        die("a read-write lock with attributes, which the oracle does not model");
    return change(SITE, at, true, 0);
}

int __wrap_pthread_spin_init(void *at, int shared)
{
    (void)shared;
    return change(SITE, at, true, 0);
}
