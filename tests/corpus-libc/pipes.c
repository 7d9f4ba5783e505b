// Pipes and counters of events, in one thread.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void show(const char *what, long result) { printf("%s %ld %d\n", what, result, result < 0 ? errno : 0); }

int main(void)
{
    int ends[2];
    char got[32] = {0};
    uint64_t value = 7;
    show("pipe", pipe(ends));
    show("write", write(ends[1], "hello ", 6));
    show("write", write(ends[1], "world", 5));
    show("nothing", write(ends[1], "", 0));
    show("read", read(ends[0], got, 3));
    printf("%s\n", got);
    show("read", read(ends[0], got, 4));
    show("read", read(ends[0], got + 4, 20));
    printf("%s\n", got);
    show("wrong end", write(ends[0], "x", 1));
    show("wrong end", read(ends[1], got, 1));
    show("flags", fcntl(ends[0], F_GETFL) & O_ACCMODE);
    show("set", fcntl(ends[0], F_SETFL, O_NONBLOCK));
    show("flags", fcntl(ends[0], F_GETFL) & (O_ACCMODE | O_NONBLOCK));
    show("flags", fcntl(ends[1], F_GETFL) & (O_ACCMODE | O_NONBLOCK));
    show("empty", read(ends[0], got, 1));
    show("write", write(ends[1], "ab", 2));
    show("close", close(ends[1]));
    show("last", read(ends[0], got, 9));
    show("end", read(ends[0], got, 9));
    show("end", read(ends[0], got, 9));
    show("close", close(ends[0]));
    show("closed", read(ends[0], got, 9));

    show("pipe2", pipe2(ends, O_NONBLOCK | O_CLOEXEC));
    show("flags", pipe2(ends, 1 << 30));
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    show("broken", write(ends[1], "x", 1));
    close(ends[1]);

    show("pipe", pipe(ends));
    FILE *in = fdopen(ends[0], "r");
    write(ends[1], "one\ntw", 6);
    write(ends[1], "o\nthree", 7);
    close(ends[1]);
    while (fgets(got, sizeof got, in))
        printf("<%s>", got);
    printf("%d\n", feof(in) != 0);
    fclose(in);

    int events = eventfd(2, EFD_NONBLOCK);
    show("add", eventfd_write(events, 5));
    show("all", eventfd_read(events, &value));
    printf("%llu\n", (unsigned long long)value);
    show("none", eventfd_read(events, &value));
    show("short", read(events, got, 4));
    value = 0;
    show("zero", write(events, &value, sizeof value));
    show("none", eventfd_read(events, &value));
    close(events);
    events = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
    show("add", eventfd_write(events, 2));
    for (int i = 0; i < 3; i++)
        show("one", eventfd_read(events, &value));
    printf("%llu\n", (unsigned long long)value);
    close(events);
    return 0;
}
