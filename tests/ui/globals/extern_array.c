//@ run: check
// How long an array of another file is, only that file knows.
extern int elsewhere[];

int main(void)
{
    return elsewhere[3] & 1;
}
//~ INCONCLUSIVE ledger=unsupported
