//@ run: check
//@ revisions: block loop conditional jump expression switched array inside again cleaned
// A variable ends with its block, however the block is left, and begins again with it. What names it is inside.
struct pair {
    int a, b;
};

static int sum(const struct pair *pair)
{
    return pair->a + pair->b;
}

static void clear(struct pair *pair)
{
    pair->a = sum(pair);
}

int main(void)
{
    int total = 0;
    const int *kept = &total;
    const struct pair *pair = 0;
#if defined block
    {
        int inner = 1;
        kept = &inner;
    }
    total = *kept; //~[block] USE_AFTER_FREE
#elif defined loop
    for (int i = 0; i < 3; i++) {
        struct pair here = {i, i};
        pair = &here;
        total += sum(pair);
    }
    total += pair->a; //~[loop] USE_AFTER_FREE
#elif defined conditional
    if (total == 0) {
        struct pair here = {1, 2};
        pair = &here;
    } else {
        pair = 0;
    }
    total = pair->b; //~[conditional] USE_AFTER_FREE
#elif defined jump
    for (;;) {
        struct pair here = {1, 2};
        pair = &here;
        if (total++ > 1)
            goto out;
        if (sum(&here) != 3)
            break;
    }
out:
    total = pair->a; //~[jump] USE_AFTER_FREE
#elif defined expression
    pair = ({ struct pair here = {1, 2}; &here; });
    total = pair->a; //~[expression] USE_AFTER_FREE
#elif defined switched
    switch (total) {
    case 0: {
        struct pair here = {1, 2};
        pair = &here;
        break;
    }
    default:
        return 1;
    }
    total = pair->a; //~[switched] USE_AFTER_FREE
#elif defined array
    while (total < 2) {
        int seen[2];
        if (total++ == 0)
            seen[0] = 1;
        if (seen[0] == 1) //~[array] UNINITIALIZED_READ
            continue;
        return 1;
    }
#elif defined inside
    for (int i = 0; i < 3; i++) {
        struct pair here = {i, i};
        for (int j = 0; j < 2; j++) {
            struct pair there = {j, j};
            if (sum(&there) > 1)
                break;
            pair = &here;
            total += sum(pair);
            { total -= sum(pair); }
        }
    }
#elif defined again
    int rounds = 0;
back:;
    struct pair here = {rounds, 1};
    pair = &here;
    total = sum(pair) - rounds - 1;
    if (rounds++ < 2)
        goto back;
    total += pair->b - 1;
#elif defined cleaned
    for (int i = 0; i < 2; i++) {
        struct pair here __attribute__((cleanup(clear))) = {i, 1};
        if (i > 0)
            continue;
        total = sum(&here) - 1;
    }
#endif
    return total;
}
//~[inside] SAFE executions=1
//~[again] SAFE executions=1
//~[cleaned] SAFE executions=1
