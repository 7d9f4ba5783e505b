//@ run: check
//@ known-gap: what a function returned by value ends with its full expression (C11 6.2.4p8), here with the function
struct triple { int a[3]; };

static struct triple make(void)
{
    return (struct triple){{1, 2, 3}};
}

int main(void)
{
    int *p = make().a;
    return p[1] - 2; //~ SAFE
}
