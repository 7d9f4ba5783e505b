//@ run: check
//@ revisions: used computed
// Computing with an uninitialised number is silent, as for integers; deciding by it counts.
int main(void)
{
    double x;
    double y = -x + 1.5;
#ifdef used
    if (y > 0) //~[used] UNINITIALIZED_READ
        return 1;
#endif
    return 0;
}
//~[computed] SAFE executions=1
