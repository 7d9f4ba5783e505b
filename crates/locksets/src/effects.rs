//! What functions without a body do to memory, locks and threads, as far as races go. What is not listed here is not followed.

/// A number of arguments, as bits.
pub(crate) type Arguments = u32;
/// All of them.
pub(crate) const ALL: Arguments = u32::MAX;

/// Whether the argument of this number is one of them.
pub(crate) fn is_among(number: usize, arguments: Arguments) -> bool {
    let bit = u32::try_from(number).ok().and_then(|number| 1u32.checked_shl(number));
    bit.map_or(arguments == ALL, |bit| arguments & bit != 0)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Reads what these arguments point to, and writes what those do; no address is kept or returned.
    Touches {
        reads: Arguments,
        writes: Arguments,
    },
    /// The same, atomically: what synchronises.
    Synchronises(Arguments),
    /// Returns fresh memory.
    Allocates,
    /// Stores the address of fresh memory where its first argument points to.
    AllocatesInto,
    /// Returns its first argument's memory, or fresh memory with its contents; writes all of the former.
    Reallocates,
    /// Writes all of what its argument points to.
    Frees,
    /// Writes what its first argument points to, and returns that.
    Fills,
    /// Copies from its second argument's memory to its first's, which it returns.
    Copies,
    /// Reads what its arguments point to; the one of this number is a format.
    Prints(usize),
    Locks {
        shared: bool,
    },
    Unlocks,
    AtomicBegin,
    AtomicEnd,
    /// Where its start function and that function's argument are.
    Creates {
        function: usize,
        argument: usize,
    },
    Joins,
    /// Calls a function without arguments.
    CallsOnce {
        function: usize,
    },
    /// Returns the id of a thread, nobody knows of which.
    Itself,
    /// Keeps its second argument for the thread.
    Keeps,
    /// Returns what some thread has kept.
    Kept,
    /// The thread ends with this value.
    EndsThread,
    /// Does not return.
    Ends,
    /// What its first argument points to is behind a lock of the library's.
    Guards,
}

impl Effect {
    /// The arguments that have to be addresses, or are called.
    pub(crate) fn addresses(self) -> Arguments {
        match self {
            Effect::Touches { reads, writes } => reads | writes,
            Effect::Synchronises(_) | Effect::Prints(_) => ALL,
            Effect::AllocatesInto
            | Effect::Reallocates
            | Effect::Frees
            | Effect::Fills
            | Effect::Locks { .. }
            | Effect::Unlocks
            | Effect::Guards => 1,
            Effect::Copies => 3,
            Effect::Creates { function, .. } => 1 | 1 << function,
            Effect::Joins => 2,
            Effect::CallsOnce { function } => 1 | 1 << function,
            Effect::Allocates
            | Effect::AtomicBegin
            | Effect::AtomicEnd
            | Effect::Itself
            | Effect::Keeps
            | Effect::Kept
            | Effect::EndsThread
            | Effect::Ends => 0,
        }
    }
}

const NOTHING: Effect = Effect::Touches { reads: 0, writes: 0 };

/// The effect of a function that is only declared; none if it is not known.
pub(crate) fn of(name: &str) -> Option<Effect> {
    let touches = |reads, writes| Effect::Touches { reads, writes };
    Some(match name {
        "malloc" | "calloc" | "aligned_alloc" | "memalign" => Effect::Allocates,
        "posix_memalign" => Effect::AllocatesInto,
        "realloc" => Effect::Reallocates,
        "free" => Effect::Frees,
        "memcpy" | "memmove" | "strcpy" => Effect::Copies,
        "memset" => Effect::Fills,
        "memcmp" | "strcmp" | "strncmp" => touches(3, 0),
        "strlen" => touches(1, 0),
        "printf" => Effect::Prints(0),
        "puts" => touches(1, 0),
        "__raddle_write" | "__raddle_print" => touches(ALL, 0),
        "pthread_mutex_lock" | "pthread_spin_lock" | "pthread_rwlock_wrlock" | "mtx_lock" => {
            Effect::Locks { shared: false }
        }
        "pthread_rwlock_rdlock" => Effect::Locks { shared: true },
        "pthread_mutex_unlock" | "pthread_spin_unlock" | "pthread_rwlock_unlock" | "mtx_unlock" => Effect::Unlocks,
        // Whether the lock is taken depends on the result, which nobody looks at here.
        "pthread_mutex_trylock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "pthread_spin_trylock"
        | "pthread_rwlock_timedrdlock"
        | "pthread_rwlock_clockrdlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_clockwrlock"
        | "pthread_rwlock_tryrdlock"
        | "pthread_rwlock_trywrlock"
        | "mtx_timedlock"
        | "mtx_trylock"
        | "sem_wait"
        | "sem_trywait"
        | "sem_post"
        | "pthread_barrier_wait"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast"
        | "cnd_signal"
        | "cnd_broadcast" => Effect::Synchronises(1),
        // The lock is held again when it returns.
        "pthread_cond_wait" | "pthread_cond_timedwait" | "cnd_wait" | "cnd_timedwait" => Effect::Synchronises(3),
        "pthread_mutex_init"
        | "pthread_mutex_destroy"
        | "pthread_spin_init"
        | "pthread_spin_destroy"
        | "pthread_rwlock_init"
        | "pthread_rwlock_destroy"
        | "pthread_cond_init"
        | "pthread_cond_destroy"
        | "sem_init"
        | "sem_destroy"
        | "pthread_barrier_init"
        | "pthread_barrier_destroy"
        | "mtx_init"
        | "mtx_destroy"
        | "cnd_init"
        | "cnd_destroy" => touches(2, 1),
        "sem_getvalue" => touches(0, 2),
        "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_attr_setdetachstate"
        | "pthread_attr_setscope"
        | "pthread_attr_setstacksize"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_destroy"
        | "pthread_mutexattr_settype"
        | "pthread_condattr_init"
        | "pthread_condattr_setclock" => touches(0, 1),
        "__VERIFIER_atomic_begin" => Effect::AtomicBegin,
        "__VERIFIER_atomic_end" => Effect::AtomicEnd,
        "pthread_create" => Effect::Creates { function: 2, argument: 3 },
        "thrd_create" => Effect::Creates { function: 1, argument: 2 },
        "pthread_join" | "thrd_join" => Effect::Joins,
        "pthread_once" | "call_once" => Effect::CallsOnce { function: 1 },
        "pthread_setspecific" | "tss_set" => Effect::Keeps,
        "pthread_getspecific" | "tss_get" => Effect::Kept,
        "pthread_exit" | "thrd_exit" => Effect::EndsThread,
        "exit" | "_exit" | "_Exit" | "abort" | "llvm.trap" | "__assert_fail" | "__assert" | "klee_silent_exit"
        | "reach_error" | "__VERIFIER_error" => Effect::Ends,
        "raddle_symbolic" | "klee_make_symbolic" => touches(0, 1),
        "__raddle_guard" => Effect::Guards,
        "pthread_equal"
        | "pthread_detach"
        | "thrd_equal"
        | "thrd_detach"
        | "thrd_yield"
        | "sched_yield"
        | "usleep"
        | "sleep"
        | "raddle_assume"
        | "klee_assume"
        | "__VERIFIER_assume"
        | "raddle_assert"
        | "__VERIFIER_assert"
        | "klee_int"
        | "klee_range"
        | "__raddle_array"
        | "__raddle_enter"
        | "__raddle_is_guarded"
        | "__raddle_note"
        | "__raddle_input"
        | "__raddle_given"
        | "__raddle_is_known"
        | "__raddle_function"
        | "__raddle_shown"
        | "__raddle_float"
        | "__raddle_number"
        | "__raddle_scale" => NOTHING,
        "nanosleep" | "thrd_sleep" => touches(1, 2),
        "pthread_self" | "thrd_current" => Effect::Itself,
        "__VERIFIER_nondet_memory" => touches(0, 1),
        "pthread_setcancelstate" | "pthread_setcanceltype" => touches(0, 2),
        // An address that comes from nowhere is not followed.
        _ if name.starts_with("__VERIFIER_nondet_") && name != "__VERIFIER_nondet_pointer" => NOTHING,
        _ if name.starts_with("raddle_nondet_") => NOTHING,
        _ => return None,
    })
}

/// Functions that are one atomic section (SV-COMP's rules).
pub(crate) fn is_atomic_section(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && !matches!(name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}
