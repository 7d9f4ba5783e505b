//@ run: check
//@ revisions: few many
//@[few] clang: -DLENGTH=64
//@[many] clang: -DLENGTH=256
// Threads compute something lengthy between two sections: in every order of these the same.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { THREADS = 3, ROUNDS = 3 };

static uint8_t data[THREADS][LENGTH];
static uint32_t total, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t crc(const uint8_t *bytes, int length)
{
    uint32_t c = ~0u;
    for (int i = 0; i < length; i++) {
        c ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? (c >> 1) ^ 0xEDB88320u : c >> 1;
    }
    return ~c;
}

static void *work(void *own)
{
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t c = crc(own, LENGTH - round);
        pthread_mutex_lock(&lock);
        total += c;
        count++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < LENGTH; j++)
            data[i][j] = (uint8_t)(i * 7 + j);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, data[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(count == THREADS * ROUNDS);
    return 0;
}
//~ SAFE paths=1 executions=1680
