// art with 6 threads: see art.h. The assertion fails at degree 4.

#define N 5
#include "art.h"

static void *last(void *unused)
{
    int seen = look_around();
    if (inputs[N] > N * LEAST) //~ degree true=0 false=0
        assert((seen & TOKEN(N - 1)) == 0); //~ degree true=0 false=4
    return unused;
}

int main(void)
{
    raddle_symbolic(&inputs[1], sizeof inputs[1], "in1");
    raddle_symbolic(&inputs[2], sizeof inputs[2], "in2");
    raddle_symbolic(&inputs[3], sizeof inputs[3], "in3");
    raddle_symbolic(&inputs[4], sizeof inputs[4], "in4");
    raddle_symbolic(&inputs[5], sizeof inputs[5], "in5");

    pthread_t threads[N];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    pthread_create(&threads[3], NULL, fourth, NULL);
    pthread_create(&threads[4], NULL, last, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    pthread_join(threads[3], NULL);
    pthread_join(threads[4], NULL);
    return 0;
}
