// Accompanies initial.c.
extern int exported;
int imported[3] = {1, 2};
const char *const name = "ok";

int next(void)
{
    static int counter;
    counter++;
    return exported + counter;
}
