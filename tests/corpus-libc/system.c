// What the system is told, and what it says where there is only one answer.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <syslog.h>
#include <unistd.h>

int main(void)
{
    char name[32];
    printf("%d\n", pthread_setname_np(pthread_self(), "worker"));
    printf("%d %s\n", pthread_getname_np(pthread_self(), name, sizeof name), name);
    printf("%d\n", pthread_setname_np(pthread_self(), "a name that is too long"));
    printf("%d\n", pthread_getname_np(pthread_self(), name, 4));
    printf("%d\n", prctl(PR_SET_NAME, "a name that is too long", 0, 0, 0));
    printf("%d %s\n", prctl(PR_GET_NAME, name, 0, 0, 0), name);
    for (int policy = -1; policy < 7; policy++)
        printf("%d %d\n", sched_get_priority_min(policy), sched_get_priority_max(policy));
    cpu_set_t set;
    CPU_ZERO(&set);
    printf("%d\n", CPU_COUNT(&set));
    CPU_SET(3, &set);
    CPU_SET(70, &set);
    printf("%d %d %d\n", CPU_COUNT(&set), CPU_ISSET(3, &set), CPU_ISSET(4, &set));
    CPU_ZERO(&set);
    errno = 0;
    printf("%d %d\n", sched_setaffinity(0, sizeof set, &set), errno == EINVAL);
    struct sched_param wrong = {.sched_priority = 5};
    printf("%d\n", pthread_setschedparam(pthread_self(), SCHED_OTHER, &wrong));
    int old;
    printf("%d\n", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    printf("%d\n", old == PTHREAD_CANCEL_ENABLE);
    printf("%d\n", pthread_setcancelstate(7, &old) == EINVAL);
    printf("%d\n", pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
    printf("%d\n", old == PTHREAD_CANCEL_DEFERRED);
    struct rlimit limit = {2, 1};
    errno = 0;
    printf("%d %d\n", setrlimit(RLIMIT_NOFILE, &limit), errno == EINVAL);
    printf("%d\n", getrlimit(99, &limit));
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max = 0;
    printf("%d\n", setrlimit(RLIMIT_CORE, &limit));
    limit.rlim_cur = 5;
    printf("%d\n", getrlimit(RLIMIT_CORE, &limit));
    printf("%d\n", (int)limit.rlim_cur);
    umask(022);
    printf("%o\n", umask(0777));
    struct rusage usage;
    printf("%d\n", getrusage(RUSAGE_SELF, &usage));
    printf("%d\n", getrusage(5, &usage));
    printf("%x\n", setlogmask(0));
    openlog("raddle", 0, LOG_USER);
    closelog();
    return 0;
}
