//@ run: check --max-time 1
// Time runs out inside of a loop that nobody else can notice.
int main(void)
{
    for (;;)
        ;
}
//~ INCONCLUSIVE ledger=time
