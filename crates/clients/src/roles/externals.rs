//! What functions without a body do to the object that they are passed first: those of POSIX and C11 that make, end and use
//! synchronisation objects, and those that allocate and free.

/// What such a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum External {
    Allocates,
    Frees,
    Initialises,
    Destroys,
    Locks,
    /// For what another thread does.
    Waits,
    /// Gives a lock back, or tells those who wait.
    Releases,
    /// Hands what it gets to a thread: what that reads is not read here.
    StartsThread,
}

/// Whether the function of this name uses what it is passed as what that is, and hands it to nobody.
pub(crate) fn is_about_it(name: &str) -> bool {
    !matches!(external(name), None | Some(External::StartsThread))
}

/// What the function of this name does; none: something else.
pub(super) fn external(name: &str) -> Option<External> {
    Some(match name {
        "malloc" | "calloc" | "aligned_alloc" | "memalign" | "valloc" | "strdup" | "strndup" | "realloc" => {
            External::Allocates
        }
        "free" => External::Frees,
        "pthread_mutex_init"
        | "pthread_rwlock_init"
        | "pthread_spin_init"
        | "pthread_cond_init"
        | "pthread_barrier_init"
        | "sem_init"
        | "mtx_init"
        | "cnd_init" => External::Initialises,
        "pthread_mutex_destroy"
        | "pthread_rwlock_destroy"
        | "pthread_spin_destroy"
        | "pthread_cond_destroy"
        | "pthread_barrier_destroy"
        | "sem_destroy"
        | "mtx_destroy"
        | "cnd_destroy" => External::Destroys,
        "pthread_mutex_lock"
        | "pthread_mutex_trylock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_tryrdlock"
        | "pthread_rwlock_trywrlock"
        | "pthread_rwlock_timedrdlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_clockrdlock"
        | "pthread_rwlock_clockwrlock"
        | "pthread_spin_lock"
        | "pthread_spin_trylock"
        | "mtx_lock"
        | "mtx_trylock"
        | "mtx_timedlock" => External::Locks,
        "pthread_cond_wait"
        | "pthread_cond_timedwait"
        | "pthread_cond_clockwait"
        | "pthread_barrier_wait"
        | "sem_wait"
        | "sem_trywait"
        | "sem_timedwait"
        | "sem_clockwait"
        | "cnd_wait"
        | "cnd_timedwait" => External::Waits,
        "pthread_mutex_unlock"
        | "pthread_rwlock_unlock"
        | "pthread_spin_unlock"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "sem_post"
        | "mtx_unlock"
        | "cnd_signal"
        | "cnd_broadcast" => External::Releases,
        "pthread_create" | "thrd_create" => External::StartsThread,
        _ => return None,
    })
}
