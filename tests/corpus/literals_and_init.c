// Compound literals, designated initialisers, string literals of all kinds, and static initialisers with addresses.
#include <stddef.h>
#include <stdio.h>
#include <uchar.h>
#include <wchar.h>
struct point { int x, y; };
struct shape { const char *name; struct point at[2]; struct { float r; union { int i; char c[4]; }; }; const struct point *p; };
static const struct point origin = {.y = 5};
static struct shape shapes[] = {[1] = {"square", {{1, 2}, {.y = 4}}, {2.5f, {.c = "abc"}}, &origin}, {"tail", .p = &shapes[0].at[1]}};
static int matrix[3][4] = {[0] = {1, 2}, [2][3] = 9, {}};
static char text[10] = "hello", *words[] = {"a" "b", text + 1, &text[4]};
static int *inside = &matrix[2][3];
static int (*handlers[])(const char *, ...) = {printf};
static ptrdiff_t distance = offsetof(struct shape, at[1].y);
static long address_difference(void) { return &shapes[2].at[0].x - &shapes[1].at[0].x; }
static int sum(const struct point *p, int n) { int s = 0; while (n--) s += p[n].x * 10 + p[n].y; return s; }
int main(void)
{
    struct point *p = &(struct point){3, 4};
    p->x++;
    printf("%d %d\n", sum(p, 1), sum((struct point[]){{1, 2}, {3, 4}, *p}, 3));
    for (int i = 0; i < 3; i++)
        printf("%s %d %d %g %s %d\n", shapes[i].name ? shapes[i].name : "-", shapes[i].at[0].x, shapes[i].at[1].y,
               shapes[i].r, shapes[i].c, shapes[i].p ? shapes[i].p->y : -1);
    printf("%d %d %s %s %s %td %ld\n", *inside, matrix[0][1], words[0], words[1], words[2], distance, address_difference());
    const wchar_t *w = L"wide\u20ac";
    const char16_t *u = u"\U0001F600";
    const char32_t *v = U"x\u00e9";
    printf("%d %d %x %x %d\n", (int)w[0], (int)w[4], u[0], u[1], (int)v[1]);
    printf("%s", u8"utf8 \u00e9\n");
    handlers[0]("%d\n", (int)sizeof "abc" + '\x41' + '\101' + 'ab');
    return sizeof(struct shape);
}
