//@ run: races --op square
// An operation that touches nothing shared cannot race: asking for it is a mistake.
int counter;

int square(int x)
{
    return x * x;
}

void tick(void)
{
    counter++;
}
//~ EXIT 1
