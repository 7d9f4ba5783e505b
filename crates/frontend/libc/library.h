/* What the parts of raddle's C library share. They know no header of the system's: types are those of the System V ABI
 * for x86-64, constants those of the GNU C library. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Under a lock of the library's own: POSIX has the function that uses it thread-safe. */
#define GUARDED __attribute__((section("raddle.guarded")))

/* Modelled by the machine. */
extern void *memcpy(void *to, const void *from, size_t n);
extern void *memmove(void *to, const void *from, size_t n);
extern void *memset(void *at, int byte, size_t n);
extern size_t strlen(const char *s);
extern void *malloc(size_t size);
extern void free(void *at);
extern void raddle_symbolic(void *at, size_t size, const char *name);
extern void raddle_assume(int condition);

extern int *__errno_location(void);
#define errno (*__errno_location())
enum { ENOENT = 2, EBADF = 9, ENOMEM = 12, EEXIST = 17, ENOTDIR = 20, EINVAL = 22, EMFILE = 24, ENOTTY = 25, ESPIPE = 29, ERANGE = 34 };
