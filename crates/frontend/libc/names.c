/* What the system knows by name: the working directory and others (POSIX <dirent.h>), terminals, users and groups (<pwd.h>,
 * <grp.h>). Texts have up to three characters, directories two entries.
 *
 * Provides: getcwd get_current_dir_name opendir fdopendir readdir readdir64 closedir rewinddir dirfd ttyname ttyname_r ctermid
 * getlogin getlogin_r getpwnam getpwuid getgrnam getgrgid */

enum { TEXT = 4, ENXIO = 6, EACCES = 13 };

static int fails(const char *name, int error)
{
    int failed = (int)__raddle_input(name, 1) & 1;
    if (failed)
        errno = error;
    return failed;
}

/* A path from the root. */
static char *path(const char *name, char *to)
{
    *to = '/';
    __raddle_text(name, to + 1, TEXT);
    return to;
}

char *getcwd(char *to, size_t room)
{
    char text[1 + TEXT];
    if (fails("getcwd", EACCES))
        return NULL;
    size_t n = strlen(path("getcwd.text", text)) + 1;
    if (to && n > room) {
        errno = room == 0 ? EINVAL : ERANGE;
        return NULL;
    }
    if (!to) {
        if (room > 0 && n > room) {
            errno = ERANGE;
            return NULL;
        }
        to = malloc(room > 0 ? room : n);
        if (!to)
            return NULL;
    }
    return memcpy(to, text, n);
}

char *get_current_dir_name(void) { return getcwd(NULL, 0); }

struct entry {
    unsigned long number;
    long offset;
    unsigned short length;
    unsigned char type;
    char name[256];
};
struct entry64 {
    uint64_t number;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[256];
};
struct directory {
    int descriptor;
    int left;
    struct entry entry;
    struct entry64 entry64;
};

static void begin(struct directory *at)
{
    __raddle_note("directories are explored with up to 2 entries");
    at->left = (int)__raddle_input("opendir.entries", 4);
    __raddle_given((at->left >= 0) & (at->left <= 2));
}

static struct directory *open_as(int descriptor)
{
    struct directory *at = malloc(sizeof *at);
    if (at) {
        at->descriptor = descriptor;
        begin(at);
    }
    return at;
}

struct directory *opendir(const char *name)
{
    /* The name is read. */
    size_t length = strlen(name);
    if (fails("opendir", length == 0 ? ENOENT : ENOTDIR))
        return NULL;
    int descriptor = (int)__raddle_input("opendir.fd", 4);
    __raddle_given((descriptor >= 3) & (descriptor < 1024));
    return open_as(descriptor);
}

struct directory *fdopendir(int descriptor) { return fails("fdopendir", ENOTDIR) ? NULL : open_as(descriptor); }

int closedir(struct directory *at)
{
    free(at);
    return 0;
}

void rewinddir(struct directory *at) { begin(at); }
int dirfd(struct directory *at) { return at->descriptor; }

/* Whether there was another entry; then what every kind of entry has is written. */
static int next(struct directory *at, unsigned char *type, char *name)
{
    if (at->left <= 0)
        return 0;
    at->left--;
    *type = (unsigned char)__raddle_input("readdir.d_type", 1);
    __raddle_text("readdir.d_name", name, TEXT);
    return 1;
}

struct entry *readdir(struct directory *at)
{
    at->entry.number = 1;
    at->entry.offset = 0;
    at->entry.length = sizeof at->entry;
    return next(at, &at->entry.type, at->entry.name) ? &at->entry : NULL;
}

struct entry64 *readdir64(struct directory *at)
{
    at->entry64.number = 1;
    at->entry64.offset = 0;
    at->entry64.length = sizeof at->entry64;
    return next(at, &at->entry64.type, at->entry64.name) ? &at->entry64 : NULL;
}

/* Threads share these, as POSIX lets them. */
char __raddle_ttyname[1 + TEXT], __raddle_getlogin[TEXT], __raddle_ctermid[9];

char *ttyname(int descriptor)
{
    (void)descriptor;
    return fails("ttyname", ENOTTY) ? NULL : path("ttyname.text", __raddle_ttyname);
}

char *getlogin(void)
{
    if (fails("getlogin", ENXIO))
        return NULL;
    __raddle_text("getlogin.text", __raddle_getlogin, sizeof __raddle_getlogin);
    return __raddle_getlogin;
}

static int copied(const char *text, char *to, size_t room)
{
    size_t n = strlen(text) + 1;
    if (n > room)
        return ERANGE;
    memcpy(to, text, n);
    return 0;
}

int ttyname_r(int descriptor, char *to, size_t room)
{
    char text[1 + TEXT];
    (void)descriptor;
    return fails("ttyname", ENOTTY) ? ENOTTY : copied(path("ttyname.text", text), to, room);
}

int getlogin_r(char *to, size_t room)
{
    char text[TEXT];
    if (fails("getlogin", ENXIO))
        return ENXIO;
    __raddle_text("getlogin.text", text, sizeof text);
    return copied(text, to, room);
}

char *ctermid(char *to)
{
    return memcpy(to ? to : __raddle_ctermid, "/dev/tty", 9);
}

struct user {
    char *name, *password;
    unsigned number, group;
    char *about, *home, *shell;
};
struct group {
    char *name, *password;
    unsigned number;
    char **members;
};

/* Whether the system knows a user or a group of this name. One of a longer name is unknown here. */
static int knows(const char *question, const char *name, char *to)
{
    size_t length = strlen(name);
    if (length >= TEXT)
        __raddle_note("users and groups with names of more than 3 characters are taken to be unknown");
    if (length >= TEXT || fails(question, 0))
        return 0;
    memcpy(to, name, length + 1);
    return 1;
}

/* What the last call found, as POSIX lets it be. */
struct found_user {
    struct user user;
    char name[TEXT], home[1 + TEXT];
} __raddle_user;

static struct user *found_user(unsigned number)
{
    __raddle_user.user.name = __raddle_user.name;
    __raddle_user.user.password = "x";
    __raddle_user.user.number = number;
    __raddle_user.user.group = (unsigned)__raddle_input("passwd.pw_gid", 4);
    __raddle_user.user.about = "";
    __raddle_user.user.home = path("passwd.pw_dir", __raddle_user.home);
    __raddle_user.user.shell = "/bin/sh";
    return &__raddle_user.user;
}

struct user *getpwuid(unsigned number)
{
    if (fails("getpwuid", 0))
        return NULL;
    __raddle_text("passwd.pw_name", __raddle_user.name, sizeof __raddle_user.name);
    return found_user(number);
}

struct user *getpwnam(const char *name)
{
    if (!knows("getpwnam", name, __raddle_user.name))
        return NULL;
    return found_user((unsigned)__raddle_input("passwd.pw_uid", 4));
}

struct found_group {
    struct group group;
    char name[TEXT];
    char *members[1];
} __raddle_group;

static struct group *found_group(unsigned number)
{
    __raddle_note("groups are explored without members");
    __raddle_group.group.name = __raddle_group.name;
    __raddle_group.group.password = "x";
    __raddle_group.group.number = number;
    __raddle_group.group.members = __raddle_group.members;
    __raddle_group.members[0] = NULL;
    return &__raddle_group.group;
}

struct group *getgrgid(unsigned number)
{
    if (fails("getgrgid", 0))
        return NULL;
    __raddle_text("group.gr_name", __raddle_group.name, sizeof __raddle_group.name);
    return found_group(number);
}

struct group *getgrnam(const char *name)
{
    if (!knows("getgrnam", name, __raddle_group.name))
        return NULL;
    return found_group((unsigned)__raddle_input("group.gr_gid", 4));
}
