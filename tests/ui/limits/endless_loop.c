//@ run: check --max-time 1
// Time runs out inside of a loop that nobody else can notice, and in which no state comes back.
int main(void)
{
    unsigned long long sum = 0;
    for (unsigned long long i = 0; i < (1ull << 62); i++)
        sum += i;
    return sum != 0;
}
//~ INCONCLUSIVE ledger=time
