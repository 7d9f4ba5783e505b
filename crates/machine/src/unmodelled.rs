//! What is known of functions that have neither a body nor a model, and what of a state depends on them.
//!
//! Most functions of the C library and of POSIX only ask the system for something, or tell it something. That much is
//! known of them by their names: they take no lock that the program can see, wait for none of its threads, start none,
//! call none of its functions, come back, and write nothing but what their arguments lead to. So what follows such a call
//! depends on it only where it depends on what the call returned or wrote; both are symbols of their own. Of every other
//! function nothing is known, and all that follows depends on it.
//!
//! Guarantee: what is on none of the lists is taken for a function that may do anything.

use crate::{Engine, State};
use std::rc::Rc;

/// Functions of one subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    pub name: &'static str,
    /// Write nothing that the program has.
    pub silent: &'static [&'static str],
    /// May write what their arguments lead to.
    pub writing: &'static [&'static str],
}

impl Family {
    pub fn functions(&self) -> impl Iterator<Item = &'static str> {
        self.silent.iter().chain(self.writing).copied()
    }
}

/// Functions without a model that only ask or tell. Left out with care: what may wait for another thread (`poll`, `accept`,
/// `recv`, `fcntl` for its locks, `ioctl`), take a lock of the program's (`flockfile`), call back (`glob`, `ftw`, `dlopen`,
/// whose library has constructors), start threads or send signals (`timer_create`, `setitimer`, `alarm`), or not come back.
#[rustfmt::skip]
pub const FAMILIES: [Family; 15] = [
    Family {
        name: "files and directories",
        silent: &[
            "faccessat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "umask", "mkdir", "mkdirat",
            "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "unlinkat", "symlink", "symlinkat", "truncate",
            "truncate64", "ftruncate", "ftruncate64", "utime", "utimes", "lutimes", "futimes", "utimensat", "futimens",
            "mknod", "mknodat", "mkfifo", "chdir", "fchdir", "get_current_dir_name", "opendir", "fdopendir", "readdir",
            "readdir64", "closedir", "rewinddir", "seekdir", "telldir", "dirfd", "tempnam", "fsync", "fdatasync", "sync",
            "syncfs", "fallocate", "posix_fallocate", "posix_fadvise", "dup", "dup2", "dup3", "setxattr", "removexattr",
            "getdtablesize", "closefrom", "close_range", "fnmatch",
        ],
        writing: &[
            "stat", "fstat", "lstat", "fstatat", "stat64", "fstat64", "lstat64", "fstatat64", "statx", "statfs", "fstatfs",
            "statfs64", "fstatfs64", "statvfs", "fstatvfs", "readlink", "readlinkat", "realpath", "getcwd", "readdir_r",
            "mkstemp", "mkstemp64", "mkostemp", "mkstemps", "mkdtemp", "tmpnam", "getxattr", "listxattr",
        ],
    },
    Family {
        name: "streams",
        silent: &[
            "fpurge", "__fpurge", "__fbufsize", "__flbf", "ferror_unlocked", "feof_unlocked",
        ],
        writing: &[
            "setbuffer",
        ],
    },
    Family {
        name: "network addresses and sockets",
        silent: &[
            "socket", "bind", "listen", "setsockopt", "inet_addr", "inet_ntoa", "inet_network", "htonl", "htons", "ntohl",
            "ntohs", "if_nametoindex", "freeifaddrs", "gai_strerror", "hstrerror", "freeaddrinfo", "gethostbyname",
            "gethostbyaddr", "gethostbyname2", "getservbyname", "getservbyport", "getprotobyname", "timerfd_create",
            "epoll_create", "epoll_create1", "epoll_ctl", "inotify_init", "inotify_init1", "inotify_add_watch",
            "inotify_rm_watch", "memfd_create",
        ],
        writing: &[
            "socketpair", "getsockopt", "getsockname", "getpeername", "inet_aton", "inet_ntop", "inet_pton", "if_indextoname",
            "getifaddrs", "getaddrinfo", "getnameinfo", "gethostbyname_r", "timerfd_settime", "timerfd_gettime",
        ],
    },
    Family {
        name: "the process and its user",
        silent: &[
            "getppid", "getpgrp", "getpgid", "getsid", "setsid", "setpgid", "getuid", "geteuid", "getgid", "getegid", "setuid",
            "seteuid", "setgid", "setegid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "initgroups",
            "getpriority", "setpriority", "nice", "setrlimit", "setrlimit64", "getauxval", "getlogin", "getpwnam", "getpwuid",
            "getgrnam", "getgrgid", "getspnam", "capset", "personality",
        ],
        writing: &[
            "getresuid", "getresgid", "getgroups", "getrlimit", "getrlimit64", "prlimit", "prlimit64", "getrusage", "prctl",
            "getlogin_r", "cuserid", "getpwnam_r", "getpwuid_r", "getgrnam_r", "getgrgid_r", "capget",
        ],
    },
    Family {
        name: "the system",
        silent: &[
            "sethostname", "gethostid", "getpagesize", "sysconf", "pathconf", "fpathconf", "get_nprocs", "get_nprocs_conf",
            "get_phys_pages", "get_avphys_pages",
        ],
        writing: &[
            "sysinfo", "getloadavg", "uname", "gethostname", "getdomainname", "confstr",
        ],
    },
    Family {
        name: "terminals",
        silent: &[
            "ttyname", "tcgetpgrp", "tcgetsid", "cfgetispeed", "cfgetospeed", "ptsname", "grantpt", "unlockpt", "posix_openpt",
        ],
        writing: &[
            "ttyname_r", "ctermid", "tcgetattr", "cfsetispeed", "cfsetospeed", "cfmakeraw", "cfsetspeed", "ptsname_r",
        ],
    },
    Family {
        name: "memory",
        silent: &[
            "mmap", "mmap64", "munmap", "mprotect", "madvise", "posix_madvise", "mlock", "mlock2", "munlock", "mlockall",
            "munlockall", "msync", "mremap", "malloc_usable_size", "malloc_trim", "mallopt", "mallinfo", "mallinfo2",
            "shm_open", "shm_unlink", "mbind", "set_mempolicy",
        ],
        writing: &[
            "mincore", "get_mempolicy",
        ],
    },
    Family {
        name: "scheduling and clocks",
        silent: &[
            "sched_setparam", "sched_getscheduler", "sched_setscheduler", "sched_get_priority_max", "sched_get_priority_min",
            "sched_setaffinity", "sched_getcpu", "clock_settime", "settimeofday", "stime", "tzset", "timer_getoverrun",
        ],
        writing: &[
            "sched_getparam", "sched_rr_get_interval", "sched_getaffinity", "getcpu", "pthread_getcpuclockid",
            "clock_getcpuclockid", "adjtime", "adjtimex", "ntp_adjtime", "ftime", "times", "getitimer", "timer_gettime",
            "strptime", "getdate_r",
        ],
    },
    Family {
        name: "attributes of threads",
        silent: &[
            "pthread_setschedparam", "pthread_setschedprio", "pthread_getconcurrency", "pthread_setconcurrency",
            "pthread_setname_np", "pthread_setaffinity_np",
        ],
        writing: &[
            "pthread_getattr_np", "pthread_getattr_default_np", "pthread_getschedparam", "pthread_getname_np",
            "pthread_getaffinity_np", "pthread_attr_setaffinity_np", "pthread_attr_getaffinity_np",
        ],
    },
    Family {
        name: "locales and messages",
        silent: &[
            "setlocale", "localeconv", "newlocale", "uselocale", "freelocale", "duplocale", "nl_langinfo", "nl_langinfo_l",
            "bindtextdomain", "textdomain", "bind_textdomain_codeset", "catopen", "catgets", "catclose", "strsignal",
            "psignal", "sigabbrev_np", "warn", "warnx", "vwarn", "vwarnx",
        ],
        writing: &[
            "strfmon",
        ],
    },
    Family {
        name: "logs",
        silent: &[
            "openlog", "syslog", "vsyslog", "closelog", "setlogmask", "__syslog_chk", "__vsyslog_chk",
        ],
        writing: &[],
    },
    Family {
        name: "wide and multibyte characters",
        silent: &[
            "mblen", "mbsinit", "btowc", "wctob", "wcslen", "wcsnlen", "wcscmp", "wcsncmp", "wcscoll", "wcschr", "wcsrchr",
            "wcsstr", "wcsspn", "wcscspn", "wcspbrk", "wmemcmp", "wmemchr", "wcwidth", "wcswidth", "iswalpha", "iswdigit",
            "iswalnum", "iswspace", "iswupper", "iswlower", "iswpunct", "iswprint", "iswctype", "wctype", "towlower",
            "towupper", "towctrans", "wctrans", "iconv_open", "iconv_close",
        ],
        writing: &[
            "mbtowc", "wctomb", "mbstowcs", "wcstombs", "mbrlen", "mbrtowc", "wcrtomb", "mbsrtowcs", "wcsrtombs", "wcscpy",
            "wcsncpy", "wcscat", "wcsncat", "wcstok", "wmemcpy", "wmemmove", "wmemset", "wcstol", "wcstoul", "wcstoll",
            "wcstoull", "wcstod", "swprintf", "vswprintf", "iconv",
        ],
    },
    Family {
        name: "patterns and passwords",
        silent: &[
            "crypt",
        ],
        writing: &[
            "regcomp", "regexec", "regerror", "regfree", "crypt_r",
        ],
    },
    Family {
        name: "random numbers",
        silent: &[
            "arc4random", "arc4random_uniform", "drand48", "lrand48", "mrand48", "srand48",
        ],
        writing: &[
            "getrandom", "getentropy", "arc4random_buf", "erand48", "nrand48", "jrand48", "seed48", "lcong48", "drand48_r",
            "lrand48_r", "srand48_r", "initstate", "setstate", "initstate_r", "setstate_r", "random_r", "srandom_r",
        ],
    },
    Family {
        name: "floating point and the program itself",
        silent: &[
            "feclearexcept", "feraiseexcept", "fetestexcept", "fegetround", "fesetround", "fesetenv", "feupdateenv",
            "fesetexceptflag", "feenableexcept", "fedisableexcept", "dlsym", "dlvsym", "dlerror", "backtrace_symbols",
            "backtrace_symbols_fd", "secure_getenv",
        ],
        writing: &[
            "fegetenv", "feholdexcept", "fegetexceptflag", "dladdr", "dlinfo", "backtrace",
        ],
    },
];

/// Whether nothing depends on a call of a function but what it returns and writes.
pub fn is_harmless(function: &str) -> bool {
    FAMILIES.iter().any(|family| family.functions().any(|name| name == function))
}

/// Whether such a function may write what its arguments lead to.
pub(crate) fn may_write(function: &str) -> bool {
    !FAMILIES.iter().any(|family| family.silent.contains(&function))
}

/// A system call by its number that only asks or tells, as the functions of [`FAMILIES`] do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SystemCall {
    /// In Linux for x86-64 and for i386.
    numbers: [u64; 2],
    /// It writes nothing that the program has.
    pub(crate) silent: bool,
}

const fn asks(x86_64: u64, i386: u64) -> SystemCall {
    SystemCall { numbers: [x86_64, i386], silent: true }
}

const fn writes(x86_64: u64, i386: u64) -> SystemCall {
    SystemCall { numbers: [x86_64, i386], silent: false }
}

/// `getpid`, `getppid`, `gettid`, `getpriority`, `setpriority`, `ioprio_set`, `ioprio_get`, `membarrier` (its fences order
/// nothing more where executions are sequentially consistent), `close_range`, `memfd_create`, `eventfd2`, `epoll_create1`;
/// `getcpu`, `getrandom`, `prctl`, `sched_setaffinity`, `sched_getaffinity`, `pipe2`.
const SYSTEM_CALLS: [SystemCall; 18] = [
    asks(39, 20),
    asks(110, 64),
    asks(186, 224),
    asks(140, 96),
    asks(141, 97),
    asks(251, 289),
    asks(252, 290),
    asks(324, 375),
    asks(436, 436),
    asks(319, 356),
    asks(290, 328),
    asks(291, 329),
    writes(309, 318),
    writes(318, 355),
    writes(157, 172),
    writes(203, 241),
    writes(204, 242),
    writes(293, 331),
];

impl SystemCall {
    pub(crate) fn of(number: u64, pointer: ir::PointerSize) -> Option<Self> {
        let target = usize::from(pointer == ir::PointerSize::Four);
        SYSTEM_CALLS.into_iter().find(|call| call.numbers[target] == number)
    }
}

impl Engine {
    /// The function without a body and a model that something at this point of an execution depends on: that it comes
    /// here, what it accesses, or in which order. None where it would be the same whatever such functions have done.
    pub fn depends_on(&self, state: &State) -> Option<Rc<str>> {
        // All that steers a path, or makes an address of a term, is in the path condition.
        let asked = || {
            let variables = state.path.terms().iter().flat_map(|&term| self.terms.vars(term));
            variables.filter_map(|variable| self.foreign.get(variable)).min().cloned()
        };
        state.havocked.clone().or_else(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_function_is_on_one_list_only() {
        let mut seen = BTreeSet::new();
        for family in FAMILIES {
            for function in family.functions() {
                assert!(seen.insert(function), "{function} is listed twice");
            }
        }
    }

    #[test]
    fn what_may_lock_wait_or_end_is_on_no_list() {
        #[rustfmt::skip]
        let others = [
            "poll", "select", "epoll_wait", "accept", "connect", "recv", "send", "read", "fcntl", "flock", "lockf", "ioctl", "flockfile",
            "wait", "waitpid", "sigwait", "pause", "system", "popen", "exit", "abort", "err", "kill", "raise", "alarm", "setitimer",
            "timer_create", "dlopen", "glob", "ftw", "nftw", "scandir", "lfind", "twalk", "sem_wait", "mq_receive", "msgrcv", "semop",
            "pthread_create", "thrd_create", "aio_read", "lock_all",
        ];
        assert_eq!(others.iter().find(|name| is_harmless(name)), None);
    }
}
