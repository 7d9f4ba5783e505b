//@ run: check
//@ revisions: careful careless shared
// Directories, users and the working directory: texts that can be read, or nothing, which `careless` does not look for.
// What `getpwuid` finds is shared by all threads (POSIX XSH, `getpwuid`).
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

static char where[64];

static void *look(void *arg)
{
    struct passwd *user = getpwuid(1000); //~[shared] RACE write/write //~[shared] RACE@field write
    if (user)
        assert(user->pw_uid == 1000); //~[shared] RACE@field read
#ifndef shared
    if (user)
        assert(strlen(user->pw_name) < 4 && user->pw_dir[0] == '/');
#endif
    return arg;
}

int main(void)
{
#ifndef shared
    int entries = 0;
    DIR *directory = opendir("d");
#ifndef careless
    if (!directory)
        return 0;
#endif
    while (readdir(directory)) //~[careless] NULL_DEREFERENCE
        entries++;
    closedir(directory);
    assert(entries <= 2);
    if (getcwd(where, sizeof where))
        assert(where[0] == '/');
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
#ifdef shared
    look(NULL);
#endif
    pthread_join(thread, NULL);
    return 0;
}
//~[careful] INCONCLUSIVE ledger=concretized
