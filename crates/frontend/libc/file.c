/* Streams and descriptors (C11 7.21, POSIX <stdio.h>, <unistd.h>, <fcntl.h>) on files in memory.
 *
 * Standard input is empty. A file that the program has not written may be there, with any contents up to a few characters,
 * and stays what it was found to be. What goes to the standard streams is the machine's matter.
 *
 * Provides: stdin stdout stderr fopen freopen fdopen fclose fread fwrite fread_unlocked fwrite_unlocked fgetc getc getchar
 * getc_unlocked getchar_unlocked ungetc fgets fputs fputs_unlocked fputc putc putc_unlocked putchar_unlocked fprintf vfprintf
 * vprintf dprintf vdprintf fflush fseek fseeko ftell ftello rewind feof ferror clearerr fileno setbuf setvbuf setlinebuf
 * remove unlink rename getline getdelim tmpfile open open64 creat read __raddle_used
 * write close lseek lseek64 isatty access stat stat64 lstat lstat64 fstat fstat64 ftruncate ftruncate64 fsync fdatasync fopen64 */

extern void *realloc(void *at, size_t size);

enum { NODES = 32, FILES = __RADDLE_FILES, NAME = 64, EOF = -1 };
enum { O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_TRUNC = 01000, O_APPEND = 02000 };

/* Contents. They live as long as they have a name or are open. */
struct node {
    char name[NAME];
    char *data;
    size_t size, room;
    int opened;
    int absent, directory, pending; /* as the environment has it; what is in it was not asked for yet */
    int unsure; /* there may have been something before what the program has written */
};

/* In input.c. */
extern const struct __raddle_device __raddle_standard_input;

GUARDED struct node __raddle_nodes[NODES];
GUARDED struct __raddle_file __raddle_files[FILES] = {
    {.used = 1, .reads = 1, .device = &__raddle_standard_input}, {.used = 1, .console = 1, .writes = 1}, {.used = 1, .console = 2, .writes = 1}};
typedef struct __raddle_file FILE;
FILE *stdin = &__raddle_files[0], *stdout = &__raddle_files[1], *stderr = &__raddle_files[2];

/* Stands for every stream that a client has opened and handed over in its data: what is written there is not read here. */
GUARDED FILE __raddle_outside = {.used = 1, .console = 2, .writes = 1};

static FILE *stream(FILE *file) { return __raddle_is_guarded(file) ? file : &__raddle_outside; }

/* What streams are is one state to the explorer. */
static void enter(void) { __raddle_enter(__raddle_files); }

/* A stream that is used must not have been closed (C11 7.21.3p4). Another may have its place by then, as it may have its memory. */
static FILE *use(FILE *file)
{
    file = stream(file);
    if (!file->console) {
        enter();
        if (file->life)
            (void)*(volatile char *)file->life;
    }
    return file;
}

static FILE *as_stream(FILE *file)
{
    if (file && !file->life) {
        file->life = malloc(1);
        if (file->life)
            __raddle_guard(file->life);
    }
    return file;
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static struct node *find(const char *name)
{
    for (int i = 0; i < NODES; i++)
        if (__raddle_nodes[i].name[0] && same(__raddle_nodes[i].name, name))
            return &__raddle_nodes[i];
    return NULL;
}

/* The bound of --array. */
extern size_t __raddle_array(void);
enum { PER_ELEMENT = 4, MOST = 64 };

/* What the environment has by this name: asked for once. NULL if there is no room for one more. */
static struct node *make(const char *name, size_t length);
static struct node *look(const char *name)
{
    static const char prefix[] = "file:";
    struct node *node = find(name);
    if (node)
        return node->absent ? NULL : node;
    size_t length = strlen(name), own = sizeof prefix - 1;
    char input[NAME + 16];
    node = make(name, length);
    if (!node)
        __raddle_unsupported("more than 32 files");
    memcpy(input, prefix, own);
    memcpy(input + own, name, length + 1);
    /* The lowest bit: there is something; the next: it is a directory; the others: its size. */
    size_t most = __raddle_array() * PER_ELEMENT;
    most = most < MOST ? most : MOST - 1;
    unsigned bits = (unsigned char)__raddle_input(input, 1);
    node->absent = !(bits & 1);
    if (node->absent)
        return NULL;
    node->directory = (bits >> 1) & 1;
    if (node->directory)
        return node;
    __raddle_given((bits >> 2) <= most);
    node->size = bits >> 2;
    node->pending = 1;
    return node;
}

/* What is in a file of the environment's, when somebody wants to know. */
static void unfold(struct node *node)
{
    static const char prefix[] = "file:";
    size_t own = sizeof prefix - 1, most = __raddle_array() * PER_ELEMENT;
    char input[NAME + 16];
    if (!node->pending)
        return;
    node->pending = 0;
    most = most < MOST ? most : MOST - 1;
    memcpy(input, prefix, own);
    memcpy(input + own, node->name, strlen(node->name) + 1);
    __raddle_note("a file that the program has not written is explored with up to 4 characters for each of --array");
    char *data = malloc(most + 8);
    __raddle_guard(data);
    for (size_t at = 0; at < most; at += 8) {
        int64_t part = __raddle_input(input, 8);
        memcpy(data + at, &part, 8);
    }
    node->data = data;
    node->room = most;
}

static struct node *make(const char *name, size_t length)
{
    for (int i = 0; i < NODES; i++) {
        struct node *node = &__raddle_nodes[i];
        if (!node->name[0] && !node->opened) {
            memcpy(node->name, name, length + 1);
            node->size = 0;
            node->absent = node->directory = node->unsure = node->pending = 0;
            return node;
        }
    }
    return NULL;
}

static FILE *opened(const char *name, int flags)
{
    size_t length = strlen(name);
    char copy[NAME];
    if (length == 0 || length >= NAME) {
        errno = ENOENT;
        return NULL;
    }
    memcpy(copy, name, length + 1);
    enter();
    /* What was there before shows only where it is not overwritten, and somebody reads it. */
    int creates = (flags & O_CREAT) != 0, reads = !(flags & O_WRONLY);
    int matters = !creates || (flags & O_EXCL) || (reads && !(flags & O_TRUNC));
    struct node *node = matters ? look(copy) : find(copy);
    if (node && node->absent)
        node = NULL;
    if (!node && !creates) {
        errno = ENOENT;
        return NULL;
    }
    if (node && creates && (flags & O_EXCL)) {
        errno = EEXIST;
        return NULL;
    }
    if (node && node->directory && (flags & (O_WRONLY | O_RDWR))) {
        errno = EISDIR;
        return NULL;
    }
    if (!node && (node = find(copy)))
        node->absent = 0;
    if (!node) {
        node = make(copy, length);
        if (node)
            node->unsure = !matters && !(flags & O_TRUNC);
    }
    FILE *file = NULL;
    for (int i = 3; i < FILES && !file; i++)
        if (!__raddle_files[i].used)
            file = &__raddle_files[i];
    if (!node || !file) {
        errno = EMFILE;
        return NULL;
    }
    if (flags & O_TRUNC)
        node->size = 0, node->unsure = node->pending = 0;
    unfold(node);
    node->opened++;
    *file = (FILE){.used = 1, .node = node};
    file->writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    file->reads = !(flags & O_WRONLY);
    file->appends = (flags & O_APPEND) != 0;
    return file;
}

static int flags_of(const char *mode)
{
    int update = 0, exclusive = 0;
    for (const char *p = mode + 1; *p; p++) {
        update |= *p == '+';
        exclusive |= *p == 'x';
    }
    int access = update ? O_RDWR : O_WRONLY;
    switch (*mode) {
    case 'r': return update ? O_RDWR : 0;
    case 'w': return access | O_CREAT | O_TRUNC | (exclusive ? O_EXCL : 0);
    case 'a': return access | O_CREAT | O_APPEND;
    default: return -1;
    }
}

FILE *fopen(const char *name, const char *mode)
{
    int flags = flags_of(mode);
    if (flags < 0) {
        errno = EINVAL;
        return NULL;
    }
    return as_stream(opened(name, flags));
}

FILE *tmpfile(void)
{
    static const char name[] = "(a temporary file)";
    FILE *file = opened(name, O_RDWR | O_CREAT | O_TRUNC);
    if (file)
        file->node->name[0] = 0;
    return as_stream(file);
}

static int number_of(FILE *file) { return (int)(file - __raddle_files); }

static FILE *numbered(int number)
{
    if (number < 0 || number >= FILES || !__raddle_files[number].used) {
        errno = EBADF;
        return NULL;
    }
    return &__raddle_files[number];
}

FILE *fdopen(int number, const char *mode)
{
    (void)mode;
    enter();
    return as_stream(numbered(number));
}

static int closed(FILE *file)
{
    if (file == &__raddle_outside)
        return 0;
    struct node *node = file->node;
    FILE was = *file;
    file->used = 0;
    if (was.device)
        was.device->shut(&was);
    if (node && --node->opened == 0 && !node->name[0])
        node->size = 0;
    return 0;
}

int fclose(FILE *file)
{
    file = use(file);
    int result = file->used ? closed(file) : EOF;
    free(file->life);
    return result;
}

int close(int number)
{
    enter();
    FILE *file = numbered(number);
    return file ? closed(file) : -1;
}

FILE *freopen(const char *name, const char *mode, FILE *file)
{
    int flags = flags_of(mode);
    if (!name || flags < 0 || !__raddle_is_guarded(file)) {
        errno = EINVAL;
        return NULL;
    }
    FILE *other = opened(name, flags);
    if (!other)
        return NULL;
    char *life = use(file)->life;
    if (file->node)
        closed(file);
    *file = *other;
    file->life = life;
    other->used = 0;
    return as_stream(file);
}

/* What comes depends on what was there before the program wrote. */
static void unsure(struct node *node)
{
    if (node && node->unsure)
        __raddle_note("what was in a file before the program added to it is not explored");
}

static long put_in(FILE *file, const void *from, size_t n)
{
    if (!file->used || !file->writes) {
        errno = EBADF;
        file->failed = 1;
        return -1;
    }
    if (file->console) {
        __raddle_write(file->console, from, n);
        return (long)n;
    }
    if (file->device) {
        FILE now = *file;
        return now.device->put(&now, from, n);
    }
    struct node *node = file->node;
    size_t at = file->appends ? node->size : file->at, end = at + n;
    if (end > node->room) {
        size_t room = end < 128 ? 128 : end * 2;
        char *data = realloc(node->data, room);
        __raddle_guard(data);
        node->data = data;
        node->room = room;
    }
    if (at > node->size)
        memset(node->data + node->size, 0, at - node->size);
    node->size = end > node->size ? end : node->size;
    file->at = end;
    if (n > 0)
        memcpy(node->data + at, from, n);
    return (long)n;
}

static long take_from(FILE *file, void *to, size_t n)
{
    if (file == &__raddle_outside)
        __raddle_unsupported("reading from a stream that was opened elsewhere");
    if (!file->used || !file->reads) {
        errno = EBADF;
        file->failed = 1;
        return -1;
    }
    if (file->node && file->node->directory) {
        errno = EISDIR;
        file->failed = 1;
        return -1;
    }
    unsure(file->node);
    size_t given = 0;
    if (file->back && n > 0) {
        *(char *)to = (char)(file->back - 1);
        file->back = 0;
        given = 1;
    }
    if (file->device && given < n) {
        FILE now = *file;
        long more = now.device->take(&now, (char *)to + given, n - given);
        file->ended |= more == 0;
        file->failed |= more < 0;
        return more < 0 && !given ? -1 : (long)given + (more > 0 ? more : 0);
    }
    struct node *node = file->node;
    size_t left = node && file->at < node->size ? node->size - file->at : 0;
    size_t more = n - given < left ? n - given : left;
    const char *from = node ? node->data + file->at : NULL;
    file->at += more;
    if (given + more < n)
        file->ended = 1;
    if (more > 0)
        memcpy((char *)to + given, from, more);
    return (long)(given + more);
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    file = use(file);
    long n = size && count ? put_in(file, from, size * count) : 0;
    return n > 0 ? (size_t)n / size : 0;
}
size_t fwrite_unlocked(const void *from, size_t size, size_t count, FILE *file) { return fwrite(from, size, count, file); }

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    file = use(file);
    long n = size && count ? take_from(file, to, size * count) : 0;
    size_t given = n > 0 ? (size_t)n : 0;
    while (file->device && n > 0 && given < size * count) {
        n = take_from(file, (char *)to + given, size * count - given);
        given += n > 0 ? (size_t)n : 0;
    }
    return size ? given / size : 0;
}
size_t fread_unlocked(void *to, size_t size, size_t count, FILE *file) { return fread(to, size, count, file); }

long write(int number, const void *from, size_t n)
{
    if (number != 1 && number != 2)
        enter();
    FILE *file = numbered(number);
    return file ? put_in(file, from, n) : -1;
}

long read(int number, void *to, size_t n)
{
    enter();
    FILE *file = numbered(number);
    return file ? take_from(file, to, n) : -1;
}

static int character(FILE *file)
{
    file = stream(file);
    unsigned char c;
    return take_from(file, &c, 1) == 1 ? c : EOF;
}

int fgetc(FILE *file) { return character(use(file)); }
int getc(FILE *file) { return character(use(file)); }
int getc_unlocked(FILE *file) { return character(use(file)); }
int getchar(void) { return character(use(stdin)); }
int getchar_unlocked(void) { return character(use(stdin)); }

int ungetc(int c, FILE *file)
{
    file = use(file);
    if (c == EOF || file->back)
        return EOF;
    file->back = (unsigned char)c + 1;
    file->ended = 0;
    return (unsigned char)c;
}

char *fgets(char *to, int n, FILE *file)
{
    file = use(file);
    int i = 0;
    while (i < n - 1) {
        int c = character(file);
        if (c == EOF)
            break;
        to[i++] = (char)c;
        if (c == '\n')
            break;
    }
    if (i == 0)
        return NULL;
    to[i] = 0;
    return to;
}

long getdelim(char **to, size_t *room, int last, FILE *file)
{
    file = use(file);
    size_t n = 0;
    int c;
    while ((c = character(file)) != EOF) {
        if (!*to || n + 2 > *room) {
            *room = n + 2 < 120 ? 120 : 2 * (n + 2);
            *to = realloc(*to, *room);
        }
        (*to)[n++] = (char)c;
        if (c == last)
            break;
    }
    if (n == 0)
        return -1;
    (*to)[n] = 0;
    return (long)n;
}
long getline(char **to, size_t *room, FILE *file) { return getdelim(to, room, '\n', file); }

static int put_text(const char *s, FILE *file)
{
    size_t n = strlen(s);
    file = use(file);
    return put_in(file, s, n) < 0 ? EOF : 1;
}
int fputs(const char *s, FILE *file) { return put_text(s, file); }
int fputs_unlocked(const char *s, FILE *file) { return put_text(s, file); }

static int put_character(int c, FILE *file)
{
    char byte = (char)c;
    file = use(file);
    return put_in(file, &byte, 1) < 0 ? EOF : (unsigned char)c;
}
int fputc(int c, FILE *file) { return put_character(c, file); }
int putc(int c, FILE *file) { return put_character(c, file); }
int putc_unlocked(int c, FILE *file) { return put_character(c, file); }
int putchar_unlocked(int c) { return put_character(c, stdout); }

static int print(FILE *file, const char *format, va_list *arguments)
{
    extern int vasprintf(char **to, const char *format, va_list arguments);
    file = stream(file);
    if (file->console)
        return __raddle_print(file->console, format, arguments);
    char *text;
    int n = vasprintf(&text, format, *arguments);
    use(file);
    long put = put_in(file, text, (size_t)n);
    free(text);
    return put < 0 ? EOF : n;
}

int vfprintf(FILE *file, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int n = print(file, format, &copy);
    va_end(copy);
    return n;
}

int vprintf(const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int n = print(stdout, format, &copy);
    va_end(copy);
    return n;
}

int fprintf(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = print(file, format, &arguments);
    va_end(arguments);
    return n;
}

int vdprintf(int number, const char *format, va_list arguments)
{
    FILE *file = numbered(number);
    return file ? vfprintf(file, format, arguments) : -1;
}

int dprintf(int number, const char *format, ...)
{
    va_list arguments;
    FILE *file = numbered(number);
    if (!file)
        return -1;
    va_start(arguments, format);
    int n = print(file, format, &arguments);
    va_end(arguments);
    return n;
}

/* For those who read it otherwise. */
FILE *__raddle_used(FILE *file) { return use(file); }

int fflush(FILE *file)
{
    if (file)
        use(file);
    return 0;
}

static long long moved(FILE *file, long long offset, int from)
{
    file = use(file);
    if (!file->node) {
        errno = ESPIPE;
        return -1;
    }
    if (from != 0)
        unsure(file->node);
    long long base = from == 0 ? 0 : from == 1 ? (long)file->at - (file->back != 0) : (long)file->node->size;
    if (from < 0 || from > 2 || base + offset < 0) {
        errno = EINVAL;
        return -1;
    }
    file->at = (size_t)(base + offset);
    file->back = 0;
    file->ended = 0;
    return base + offset;
}

int fseek(FILE *file, long offset, int from) { return moved(file, offset, from) < 0 ? -1 : 0; }
int fseeko(FILE *file, long offset, int from) { return moved(file, offset, from) < 0 ? -1 : 0; }

static long position(FILE *file)
{
    file = use(file);
    if (!file->node) {
        errno = ESPIPE;
        return -1;
    }
    return (long)file->at - (file->back != 0);
}
long ftell(FILE *file) { return position(file); }
long ftello(FILE *file) { return position(file); }

void rewind(FILE *file)
{
    file = stream(file);
    moved(file, 0, 0);
    file->failed = 0;
}

long lseek(int number, long offset, int from)
{
    enter();
    FILE *file = numbered(number);
    return file ? (long)moved(file, offset, from) : -1;
}
long long lseek64(int number, long long offset, int from)
{
    enter();
    FILE *file = numbered(number);
    return file ? moved(file, offset, from) : -1;
}

int feof(FILE *file) { return use(file)->ended; }
int ferror(FILE *file) { return use(file)->failed; }
void clearerr(FILE *file) { file = use(file), file->ended = file->failed = 0; }
int fileno(FILE *file) { return file == use(file) ? number_of(file) : FILES; }
void setbuf(FILE *file, char *buffer) { use(file), (void)buffer; }
int setvbuf(FILE *file, char *buffer, int mode, size_t n) { return use(file), (void)buffer, (void)mode, (void)n, 0; }
void setlinebuf(FILE *file) { use(file); }

/* A name that leads nowhere any more. */
static void gone(const char *name)
{
    struct node *none = make(name, strlen(name));
    if (none)
        none->absent = 1;
}

static int removed(const char *name)
{
    enter();
    struct node *node = look(name);
    if (!node) {
        errno = ENOENT;
        return -1;
    }
    char old[NAME];
    memcpy(old, node->name, NAME);
    node->name[0] = 0;
    gone(old);
    return 0;
}
int remove(const char *name) { return removed(name); }
int unlink(const char *name) { return removed(name); }

static int opened_number(const char *name, int flags)
{
    FILE *file = opened(name, flags);
    return file ? number_of(file) : -1;
}
int open(const char *name, int flags, ...) { return opened_number(name, flags); }
int open64(const char *name, int flags, ...) { return opened_number(name, flags); }
int creat(const char *name, unsigned mode) { return (void)mode, opened_number(name, O_WRONLY | O_CREAT | O_TRUNC); }

FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

/* Whether the standard streams are terminals: asked for once. */
GUARDED int __raddle_terminals[3];
int isatty(int number)
{
    enter();
    FILE *file = numbered(number);
    if (!file)
        return 0;
    if (number < 3 && !file->node) {
        int *known = &__raddle_terminals[number];
        if (!*known)
            *known = 2 | ((int)__raddle_input("isatty", 4) & 1);
        if (*known & 1)
            return 1;
    }
    errno = ENOTTY;
    return 0;
}

static struct node *named(const char *name)
{
    size_t length = strlen(name);
    char copy[NAME];
    if (length == 0 || length >= NAME) {
        errno = ENOENT;
        return NULL;
    }
    memcpy(copy, name, length + 1);
    enter();
    struct node *node = look(copy);
    if (!node)
        errno = ENOENT;
    return node;
}

int access(const char *name, int mode) { return (void)mode, named(name) ? 0 : -1; }

int rename(const char *from, const char *to)
{
    size_t length = strlen(to);
    char copy[NAME];
    struct node *node = named(from);
    if (!node || length == 0 || length >= NAME) {
        errno = ENOENT;
        return -1;
    }
    memcpy(copy, to, length + 1);
    struct node *before = find(copy);
    if (before == node)
        return 0;
    if (before)
        before->name[0] = 0;
    char old[NAME];
    memcpy(old, node->name, NAME);
    memcpy(node->name, copy, length + 1);
    gone(old);
    return 0;
}

int ftruncate(int number, long size)
{
    enter();
    FILE *file = numbered(number);
    if (!file || !file->node || !file->writes || size < 0) {
        errno = file ? EINVAL : EBADF;
        return -1;
    }
    struct node *node = file->node;
    node->unsure = 0;
    if ((size_t)size <= node->size) {
        node->size = (size_t)size;
        return 0;
    }
    FILE end = {.used = 1, .writes = 1, .node = node, .at = (size_t)size};
    put_in(&end, "", 0);
    return 0;
}
int ftruncate64(int number, long long size) { return ftruncate(number, (long)size); }

/* What was written is there. */
int fsync(int number) { return enter(), numbered(number) ? 0 : -1; }
int fdatasync(int number) { return fsync(number); }

/* The System V ABI's for x86-64. */
struct stat {
    unsigned long device, inode, links;
    unsigned mode, user, group, unused;
    unsigned long special;
    long size, block, blocks;
    struct { long seconds, part; } accessed, written, changed;
    long reserved[3];
};
enum { REGULAR = 0100000, DIRECTORY = 0040000, CHARACTERS = 0020000 };

static int describe(const struct node *node, unsigned inode, struct stat *at)
{
    if (sizeof(long) == 4)
        __raddle_unsupported("stat in a program for 32 bits");
    memset(at, 0, sizeof *at);
    at->device = at->links = 1;
    at->inode = inode;
    at->mode = !node ? CHARACTERS | 0620 : node->directory ? DIRECTORY | 0755 : REGULAR | 0644;
    at->size = node && !node->directory ? (long)node->size : 0;
    at->block = 4096;
    at->blocks = (at->size + 511) / 512;
    int64_t time = __raddle_input("stat.st_mtime", sizeof(long));
    __raddle_given((time >= 0) & (time <= 253402300799));
    at->accessed.seconds = at->written.seconds = at->changed.seconds = (long)time;
    return 0;
}

int stat(const char *name, struct stat *at)
{
    struct node *node = named(name);
    if (!node)
        return -1;
    unsure(node);
    unfold(node);
    return describe(node, (unsigned)(node - __raddle_nodes) + 2, at);
}
int stat64(const char *name, struct stat *at) { return stat(name, at); }
int lstat(const char *name, struct stat *at) { return stat(name, at); }
int lstat64(const char *name, struct stat *at) { return stat(name, at); }

int fstat(int number, struct stat *at)
{
    enter();
    FILE *file = numbered(number);
    if (!file)
        return -1;
    unsure(file->node);
    return describe(file->node, file->node ? (unsigned)(file->node - __raddle_nodes) + 2 : 1, at);
}
int fstat64(int number, struct stat *at) { return fstat(number, at); }
