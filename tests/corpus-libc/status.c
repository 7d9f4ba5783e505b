// needs: 64 bits
// What the program has written is there, with its size.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status;
    const char *name = "raddle-status-of-a-file.tmp", *other = "raddle-status-of-another.tmp";
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    printf("%d\n", (int)write(file, "hello world", 11));
    printf("%d\n", fstat(file, &status));
    printf("%d %d %d\n", (int)status.st_size, S_ISREG(status.st_mode), S_ISDIR(status.st_mode));
    printf("%d\n", ftruncate(file, 5));
    printf("%d\n", stat(name, &status));
    printf("%d\n", (int)status.st_size);
    printf("%d\n", ftruncate(file, 8));
    printf("%d\n", (int)lseek(file, 0, SEEK_SET));
    char text[16] = "";
    printf("%d", (int)read(file, text, sizeof text));
    for (int i = 0; i < 8; i++)
        printf(" %d", text[i]);
    printf("\n%d %d\n", fsync(file), close(file));
    printf("%d\n", rename(name, other));
    errno = 0;
    printf("%d %d\n", access(name, F_OK), errno == ENOENT);
    printf("%d\n", access(other, R_OK));
    printf("%d\n", unlink(other));
    errno = 0;
    printf("%d %d\n", stat(other, &status), errno == ENOENT);
    printf("%d %d\n", fstat(77, &status), errno == EBADF);
    return 0;
}
