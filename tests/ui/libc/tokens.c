//@ run: check
//@ revisions: shared apart
//@[shared] tsan-silent: ThreadSanitizer does not see the variable that strtok keeps its place in
// strtok keeps its place between calls in one variable for all threads; strtok_r keeps it where the caller says.
#include <pthread.h>
#include <string.h>

static void *split(void *text)
{
#ifdef shared
    char *first = strtok(text, ","); //~[shared] RACE write/write
#else
    char *rest, *first = strtok_r(text, ",", &rest);
#endif
    return first;
}

int main(void)
{
    static char one[] = "a,b", two[] = "c,d";
    pthread_t a, b;
    pthread_create(&a, NULL, split, one);
    pthread_create(&b, NULL, split, two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[apart] SAFE executions=1
