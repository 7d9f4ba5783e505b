//@ run: check
//@ known-gap: what points to the variable of an earlier round finds that of this round; natively the two share their place
// A round of a loop uses the variable of the round before.
int main(void)
{
    int total = 0;
    const int *before = &total;
    for (int i = 0; i < 3; i++) {
        int here = i;
        total += *before;
        before = &here;
    }
    return total - 3;
}
//~ SAFE executions=1
