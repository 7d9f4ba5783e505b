//@ run: check
//@ revisions: number both_numbers then_character compared word line end ended failed length hexadecimal floating race fixed twice many raw
// Standard input is anything: each number that scanf reads, each character, or nothing.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *other(void *arg)
{
#ifdef fixed
    pthread_mutex_lock(&m);
#endif
    shared = 1; //~[race] RACE@read write
#ifdef fixed
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void)
{
    int x = 0, y = 0;
    (void)other, (void)m, (void)x, (void)y;
#if defined number
    if (scanf("%d", &x) == 1)
        assert(x != -123456789); //~[number] ASSERTION
#elif defined both_numbers
    if (scanf("%d %d", &x, &y) == 2)
        assert(x + 1 != y || x != 77); //~[both_numbers] ASSERTION
#elif defined then_character
    if (scanf("%d", &x) == 1 && x == 12)
        assert(getchar() != ','); //~[then_character] ASSERTION
#elif defined compared
    // The digits of one number do not go on.
    if (scanf("%d", &x) == 1) {
        int c = getchar();
        assert(c < '0' || c > '9');
    }
#elif defined word
    char text[8];
    if (scanf("%3s", text) == 1)
        assert(strcmp(text, "ab") != 0); //~[word] ASSERTION
#elif defined line
    char text[4];
    if (fgets(text, sizeof text, stdin))
        assert(strcmp(text, "q\n") != 0); //~[line] ASSERTION
#elif defined end
    assert(getchar() != EOF); //~[end] ASSERTION
#elif defined ended
    // Who has seen the end sees it again.
    if (getchar() == EOF)
        assert(getchar() == EOF && scanf("%d", &x) == EOF);
#elif defined failed
    // What is no number stays there.
    if (scanf("%d", &x) == 0) {
        assert(scanf("%d", &x) == 0);
        int c = getchar();
        assert(c != EOF && c != ' ');
    }
#elif defined length
    if (scanf("%2d", &x) == 1)
        assert(x <= 99 && x >= -9);
#elif defined hexadecimal
    unsigned char byte;
    if (scanf("%hhx", &byte) == 1)
        assert(byte != 0xc3); //~[hexadecimal] ASSERTION
#elif defined floating
    double d;
    if (scanf("%lf", &d) == 1)
        assert(d != 2.5); //~[floating] ASSERTION
#elif defined race || defined fixed
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
#ifdef fixed
    pthread_mutex_lock(&m);
#endif
    scanf("%d", &shared); //~[race] RACE@read write
#ifdef fixed
    pthread_mutex_unlock(&m);
#endif
    pthread_join(thread, NULL);
#elif defined twice
    // In the order in which it is there.
    int a = getchar(), b = getchar();
    if (a != EOF)
        ungetc(a, stdin);
    assert(a == EOF || getchar() == a);
    assert(a != 'a' || b != 'b'); //~[twice] ASSERTION
#elif defined many
    while (getchar() != EOF)
        x++;
    assert(x < 100);
#elif defined raw
    char bytes[2];
    if (read(0, bytes, 2) == 2)
        assert(bytes[0] != 'x' || bytes[1] != 'y'); //~[raw] ASSERTION
#endif
    return 0;
}
//~[compared,ended,failed,length,fixed] SAFE
//~[many] INCONCLUSIVE ledger=concretized
