//@ run: check
// check starts from main; without one there is nothing to run.
int square(int x)
{
    return x * x;
}
//~ EXIT 2
