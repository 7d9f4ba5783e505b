//@ run: races
//@ revisions: bare locked
// Structures of up to two words are passed in registers: short numbers side by side in one, floating-point numbers in others.
#include <pthread.h>

struct point { short x, y; int z; };
struct span { int *from; unsigned char length; };
struct speed { float up, down; double across; };
struct flags { unsigned on : 1, level : 5; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, level;
static struct speed last;

#ifdef bare
#define begin()
#define end()
#else
#define begin() pthread_mutex_lock(&lock)
#define end() pthread_mutex_unlock(&lock)
#endif

void add(struct point p)
{
    begin();
    if (p.x == 3 && p.y == -4 && p.z == 70000)
        total = 1; //~[bare] RACE write/write
    end();
}

int count(struct span s, struct point p)
{
    int found = 0;
    begin();
    for (int i = 0; i < s.length && i < 2; i++)
        if (s.from[i] == p.z) //~[bare] RACE@element read
            found++;
    end();
    return found;
}

void clear(struct span s)
{
    begin();
    if (s.length == 2)
        s.from[1] = 0; //~[bare] RACE@element write //~[bare] RACE write/write
    end();
}

void note(struct speed s, struct flags f)
{
    begin();
    last.down = s.down; //~[bare] RACE write/write
    last.across = s.across; //~[bare] RACE write/write
    if (f.on && f.level == 17)
        level = 1; //~[bare] RACE write/write
    end();
}
//~[locked] SAFE
