// art with 3 threads: see art.h. The assertion fails at degree 1.

#define N 2
#include "art.h"

static void *last(void *unused)
{
    int seen = look_around();
    if (inputs[N] > N * LEAST) //~ degree true=0 false=0
        assert((seen & TOKEN(N - 1)) == 0); //~ degree true=0 false=1
    return unused;
}

int main(void)
{
    raddle_symbolic(&inputs[1], sizeof inputs[1], "in1");
    raddle_symbolic(&inputs[2], sizeof inputs[2], "in2");

    pthread_t threads[N];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, last, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
