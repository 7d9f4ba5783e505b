//@ run: races
// A pointer that only its order against an array's bounds is asked of: the heap has it lead into the array.
struct slot {
    int used;
};

struct slot pool[2];
static int x;

void touch(struct slot *p)
{
    if (p >= pool && p < pool + 2)
        x = 1; //~ RACE@x write
    //~^ RACE@x write
}
