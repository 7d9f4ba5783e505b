#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//: part errors
/* Numbers of errors: the program's own headers are not to be needed. */
enum {
    RADDLE_EPERM = 1,
    RADDLE_ENOENT = 2,
    RADDLE_EAGAIN = 11,
    RADDLE_ENOMEM = 12,
    RADDLE_EACCES = 13,
    RADDLE_EBUSY = 16,
    RADDLE_EINVAL = 22,
    RADDLE_ETIMEDOUT = 110,
    RADDLE_THRD_TIMEDOUT = 4
};

extern int *raddle_errno(void) __asm__("__errno_location");

//: core
/* What a thread does, as far as the schedule is concerned. */
enum {
    RADDLE_READ = 1,
    RADDLE_WRITE = 2,
    RADDLE_FREE = 4,
    RADDLE_CALL = 8,       /* a call that synchronises */
    RADDLE_WAKE = 16,      /* the second half of a wait on a condition */
    RADDLE_ONCE_DONE = 32, /* the routine of pthread_once or call_once has returned */
    RADDLE_EXIT = 64,      /* the process ends */
    RADDLE_SYNC = RADDLE_CALL | RADDLE_WAKE | RADDLE_ONCE_DONE | RADDLE_EXIT,
    RADDLE_ATOMIC = 128,
    RADDLE_ENTER = 256     /* a function is entered that is one atomic section */
};

/* The same, as the schedule calls it. */
enum {
    RADDLE_DOES_read = RADDLE_READ,
    RADDLE_DOES_write = RADDLE_WRITE,
    RADDLE_DOES_update = RADDLE_READ | RADDLE_WRITE,
    RADDLE_DOES_free = RADDLE_FREE,
    RADDLE_DOES_call = RADDLE_CALL,
    RADDLE_DOES_wake = RADDLE_WAKE,
    RADDLE_DOES_once_done = RADDLE_ONCE_DONE,
    RADDLE_DOES_enter = RADDLE_ENTER,
    RADDLE_DOES_exit = RADDLE_EXIT,
    RADDLE_DOES_unseen = 0 /* natively it leaves no trace */
};

struct raddle_place {
    const char *file;
    unsigned line, column;
};

/* A step of the schedule. Size and line 0 stand for any; pick is what the environment chose, or -1. */
struct raddle_step {
    int thread;
    unsigned kind, size;
    struct raddle_place at;
    int pick;
    const char *text;
};

/* A place where accesses are steps of the schedule. */
struct raddle_site {
    unsigned kind;
    struct raddle_place at;
};

/* An access that ThreadSanitizer gets to see. Thread -1, size 0 and line 0 stand for any. */
struct raddle_access {
    int thread;
    unsigned kind, size;
    struct raddle_place at;
};

/* A thread of a deadlock. */
struct raddle_blocked {
    int thread;
    struct raddle_place at;
    const char *holds, *waits_for;
};

/* A value that the program asks for. */
struct raddle_input {
    const char *name;
    unsigned size;
    const char *bytes;
};
