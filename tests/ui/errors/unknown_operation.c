//@ run: races --op instert
// An operation that is not there is a mistake on the command line.
int counter;

void insert(void)
{
    counter++;
}
//~ EXIT 1
