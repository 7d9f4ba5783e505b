// Streams and descriptors on files that the program itself writes; nothing of them is left behind.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "raddle-corpus-file.tmp"

int main(void)
{
    char line[16], *all = NULL;
    size_t room = 0;
    FILE *f = fopen(NAME, "w");
    printf("%d %d\n", fprintf(f, "%d %s\n", 12, "twelve"), fputs("second line, which is long\n", f) >= 0);
    printf("%d %d %zu\n", fputc('x', f), putc('\n', f), fwrite("abcdef", 2, 3, f));
    printf("%ld %d %d\n", ftell(f), ferror(f), fclose(f));
    f = fopen(NAME, "r");
    while (fgets(line, sizeof line, f))
        printf("<%s>", line);
    printf("%d %d\n", feof(f), fgetc(f));
    rewind(f);
    printf("%d %c %c\n", feof(f), fgetc(f), getc(f));
    printf("%d\n", ungetc('Q', f));
    printf("%c %ld\n", fgetc(f), ftell(f));
    printf("%d %ld\n", fseek(f, -3, SEEK_END), ftell(f));
    printf("%zu %.3s %d\n", fread(line, 1, sizeof line, f), line, feof(f));
    printf("%d\n", fputs("no", f));
    printf("%d\n", ferror(f) != 0);
    clearerr(f);
    rewind(f);
    while (getline(&all, &room, f) > 0)
        printf("{%s}", all);
    free(all);
    fclose(f);
    f = fopen(NAME, "a+");
    fputs("end", f);
    fseek(f, 0, SEEK_SET);
    printf("%zu %.5s\n", fread(line, 1, 5, f), line);
    fclose(f);
    int fd = open(NAME, O_RDWR);
    printf("%d %ld\n", fd > 2, lseek(fd, 0, SEEK_END));
    printf("%zd %ld\n", write(fd, "!!", 2), lseek(fd, 1, SEEK_SET));
    printf("%zd %.4s\n", read(fd, line, 4), line);
    printf("%d %d\n", isatty(fd), close(fd));
    printf("%zd %d\n", write(fd, "x", 1), errno == EBADF);
    printf("%d\n", open(NAME, O_CREAT | O_EXCL | O_WRONLY, 0600));
    printf("%d %d %d\n", errno == EEXIST, remove(NAME), access(NAME, F_OK));
    printf("%d %d\n", fopen(NAME, "r") == NULL, errno == ENOENT);
    printf("%d %d\n", fopen(NAME, "q") == NULL, errno == EINVAL);
    fputs("to standard output\n", stdout);
    fwrite("bytes\n", 1, 6, stdout);
    fprintf(stderr, "not compared\n");
    return 0;
}
