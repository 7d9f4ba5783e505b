// Successive over-relaxation, after the multi-threaded benchmark SOR of the Java Grande forum: a grid is relaxed red
// cells first, then black ones, by workers that own some rows each and meet at a barrier after each half of a sweep.
//
// The bug is in the barrier: the last to arrive opens it, and nobody closes it again, so it holds back only the first
// time. Who goes on from the first barrier runs through the second while the other may not have begun its black cells;
// the assertion behind the second one sees it.
//
// A worker that waits looks a few times and then gives up: it returns, as if it were told to stop. Numbers are integers,
// in units of 1/16; the grid is as small as can be. A row is relaxed under a lock, and so is all else that is shared:
// there are no data races, which the original has in plenty.

#include <assert.h>
#include <pthread.h>

enum { WORKERS = 2, ROWS = 6, COLS = 5, ROWS_EACH = 2, ITERATIONS = 1, TRIES = 2 };
enum { RED = 1, BLACK = 2 };
enum { COLD = 0, WARM = 400, HOT = 1600, LEAST_CHANGE = 200 };

struct barrier {
    pthread_mutex_t lock;
    int arrived;
    int open;
};

static struct barrier barrier = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static pthread_mutex_t grid_lock = PTHREAD_MUTEX_INITIALIZER;
static int grid[ROWS][COLS];

static pthread_mutex_t phase_lock = PTHREAD_MUTEX_INITIALIZER;
static int phase[WORKERS];    // the half that a worker has begun: none, RED or BLACK

static int cells_changed[WORKERS];    // of the worker only: black cells that changed by LEAST_CHANGE or more
static int cells_cooled[WORKERS];

static void begin(int id, int colour)
{
    pthread_mutex_lock(&phase_lock);
    phase[id] = colour;
    pthread_mutex_unlock(&phase_lock);
}

static int phase_of(int id)
{
    pthread_mutex_lock(&phase_lock);
    int now = phase[id];
    pthread_mutex_unlock(&phase_lock);
    return now;
}

static int is_open(struct barrier *b)
{
    pthread_mutex_lock(&b->lock);
    int open = b->open;
    pthread_mutex_unlock(&b->lock);
    return open;
}

// Whether all have arrived; 0 if it has waited long enough.
static int barrier_wait(struct barrier *b)
{
    pthread_mutex_lock(&b->lock);
    b->arrived++;
    if (b->arrived == WORKERS) //~ degree true=1 false=0
        b->open = 1;
    pthread_mutex_unlock(&b->lock);
    for (int tries = 0; tries < TRIES; tries++) { //~ degree true=0 false=0
        if (is_open(b) != 0) //~ degree true=1 false=0
            return 1;
    }
    return 0;
}

static int within_limits(int value)
{
    if (value < COLD) //~ degree true=0 false=0
        return COLD;
    if (value > HOT) //~ degree true=0 false=0
        return HOT;
    return value;
}

// omega = 5/4: omega / 4 = 5/16 and 1 - omega = -4/16.
static int relaxed(int row, int col)
{
    int around = grid[row - 1][col] + grid[row + 1][col] + grid[row][col - 1] + grid[row][col + 1];
    int sixteenths = 5 * around - 4 * grid[row][col];
    if (sixteenths < 0) //~ degree true=0 false=0
        sixteenths -= 8;
    else
        sixteenths += 8;
    return within_limits(sixteenths / 16);
}

static void relax_row(int id, int row, int colour)
{
    pthread_mutex_lock(&grid_lock);
    for (int col = 2 - (row + colour) % 2; col < COLS - 1; col += 2) { //~ degree true=0 false=0
        int before = grid[row][col];
        int after = relaxed(row, col);
        grid[row][col] = after;
        if (colour == BLACK) { //~ degree true=1 false=0
            int change = after - before;
            if (change < 0) { //~ degree true=1 false=1
                change = -change;
                cells_cooled[id]++;
            }
            if (change >= LEAST_CHANGE) //~ degree true=1 false=1
                cells_changed[id]++;
        }
    }
    pthread_mutex_unlock(&grid_lock);
}

// Whether the barrier at the end was passed.
static int half_sweep(int id, int colour)
{
    int first = 1 + id * ROWS_EACH;
    begin(id, colour);
    for (int row = first; row < first + ROWS_EACH; row++) //~ degree true=0 false=0
        relax_row(id, row, colour);
    return barrier_wait(&barrier);
}

static void *worker(void *arg)
{
    int id = *(int *)arg;
    int other = WORKERS - 1 - id;
    for (int i = 0; i < ITERATIONS; i++) { //~ degree true=0 false=4
        if (half_sweep(id, RED) == 0) //~ degree true=0 false=1
            return arg;
        int passed = half_sweep(id, BLACK);
        assert(phase_of(other) >= passed * BLACK); //~ degree true=4 false=3
    }
    return arg;
}

static int start_value(int row, int col)
{
    if (row == 0) //~ degree true=0 false=0
        return HOT;
    if (row == ROWS - 1) //~ degree true=0 false=0
        return COLD;
    if (col == 0) //~ degree true=0 false=0
        return HOT;
    if (col == COLS - 1) //~ degree true=0 false=0
        return COLD;
    int red = (row + col) % 2;
    if (row < ROWS / 2) { //~ degree true=0 false=0
        if (red != 0) //~ degree true=0 false=0
            return COLD;
        return HOT;
    }
    if (red != 0) //~ degree true=0 false=0
        return HOT;
    return WARM;
}

int main(void)
{
    for (int row = 0; row < ROWS; row++) { //~ degree true=0 false=0
        for (int col = 0; col < COLS; col++) //~ degree true=0 false=0
            grid[row][col] = start_value(row, col);
    }

    static int ids[WORKERS];
    static pthread_t threads[WORKERS];
    for (int id = 0; id < WORKERS; id++) { //~ degree true=0 false=0
        ids[id] = id;
        pthread_create(&threads[id], NULL, worker, &ids[id]);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
