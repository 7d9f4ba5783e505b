//@ run: check
//@ revisions: told early kept closed boundary broken
// What was written into a pipe is read in its order, by whoever waits for it; a reader has seen what the writer had done, and is
// told when nobody is left to write.
#define _GNU_SOURCE
#ifdef broken
#define _FILE_OFFSET_BITS 64 // fcntl is fcntl64 then
#endif
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];
static int data;

static void *writer(void *arg)
{
    int messages[2] = {1, 2};
    data = 7; //~[early] RACE@look write
    assert(write(ends[1], &messages[0], sizeof(int)) == sizeof(int));
#ifdef boundary
    data = 8; //~[boundary] RACE@late write
#endif
    assert(write(ends[1], &messages[1], sizeof(int)) == sizeof(int));
#ifndef kept
    close(ends[1]);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    int got[3] = {0, 0, 0};
    assert(pipe(ends) == 0);
#if defined broken
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    assert(write(ends[1], got, 1) == -1 && errno == EPIPE);
    assert(fcntl(ends[1], F_GETFL) == O_WRONLY);
    assert(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[1], F_GETFL) == (O_WRONLY | O_NONBLOCK));
    assert(pipe2(ends, O_NONBLOCK) == 0);
    assert(read(ends[0], got, 1) == -1 && errno == EAGAIN);
    assert(write(ends[1], "abc", 3) == 3 && read(ends[0], got, 2) == 2 && read(ends[0], got, 9) == 1);
    return 0;
#endif
    pthread_create(&t, 0, writer, 0);
#ifdef early
    int seen = data; //~[early] RACE@look read
    (void)seen;
#endif
    assert(read(ends[0], &got[0], sizeof(int)) == sizeof(int));
#ifdef boundary
    int now = data; //~[boundary] RACE@late read
    assert(now == 7 || now == 8);
#else
    assert(data == 7);
#endif
    assert(got[0] == 1);
    assert(read(ends[0], &got[1], 2 * sizeof(int)) == sizeof(int) && got[1] == 2);
#if defined kept || defined closed
    assert(read(ends[0], &got[2], sizeof(int)) == 0); //~[kept] DEADLOCK
#endif
    pthread_join(t, 0);
    return 0;
}
//~[told] SAFE
//~[closed] SAFE
//~[broken] SAFE executions=1
