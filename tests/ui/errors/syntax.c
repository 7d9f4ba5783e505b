//@ run: check
// A syntax error: the compiler's own message, at its place.
int main(void)
{
    int x = 1 //~ ERROR expected ';'
    return x;
}
//~ EXIT 2
