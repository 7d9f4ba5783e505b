// The Bluetooth driver of KISS (Qadeer, Wu, "KISS: Keep It Simple and Sequential", PLDI 2004, figure 2), simplified
// there from a driver of Windows.
//
// A thread asks the driver to do some I/O while another one stops the device. `pending_io` counts the requests under
// way, and one more for the device itself; who takes it to 0 sets `stopping_event`, for which the stopper waits before
// it gives the resources back and sets `stopped`. The bug: a request looks at `stopping_flag`, then counts itself. Where
// the device is stopped in between, the request works with a device that is gone.
//
// KISS's `assume(stopping_event)` is a look at the event, after which the stopper gives up. Every access is under a lock
// of its own, as the original's are atomic: there are no data races. Inputs are the kind of the request and the mode of
// the stopper, with what the two do in each case; that part is ours.

#include <assert.h>
#include <pthread.h>

#include "raddle.h"

enum { NOTHING = 0, LARGE = 64 };         // requests: bytes to transfer
enum { KEEP_POWER = 1, SURPRISE = 2 };    // how to stop

struct device {
    int pending_io;
    int stopping_flag;
    int stopping_event;
    int stopped;
    int transferred;    // bytes
    int refused;        // requests refused, 1 each, and 16 for a large one
    int late;           // how the device was when the last request was refused: 1 stopping, 2 stopped
    int power;
    int given_up;       // 1, or 2 for a surprise removal
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device device = {1, 0, 0, 0, 0, 0, 0, 1, 0};
static int request;
static int mode;

static int get(const int *at)
{
    pthread_mutex_lock(&lock);
    int value = *at;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int *at, int value)
{
    pthread_mutex_lock(&lock);
    *at = value;
    pthread_mutex_unlock(&lock);
}

static int add(int *at, int value)
{
    pthread_mutex_lock(&lock);
    int sum = *at + value;
    *at = sum;
    pthread_mutex_unlock(&lock);
    return sum;
}

static int io_increment(struct device *e)
{
    if (get(&e->stopping_flag) != 0) //~ degree true=1 false=0
        return -1;
    add(&e->pending_io, 1);
    return 0;
}

static void io_decrement(struct device *e)
{
    int pending_io = add(&e->pending_io, -1);
    if (pending_io == 0) //~ degree true=0 false=0
        set(&e->stopping_event, 1);
}

// BCSP_PnpAdd.
static void *adder(void *arg)
{
    struct device *e = arg;
    if (request <= NOTHING) //~ degree true=0 false=0
        return NULL;
    int status = io_increment(e);
    if (status == 0) { //~ degree true=0 false=1
        if (request > LARGE) //~ degree true=0 false=0
            set(&e->transferred, LARGE);
        else
            set(&e->transferred, request);
        assert(get(&e->stopped) == 0); //~ degree true=0 false=2
        io_decrement(e);
    } else {
        if (request > LARGE) //~ degree true=1 false=1
            set(&e->refused, 16);
        else
            set(&e->refused, 1);
        if (get(&e->stopped) == 0) //~ degree true=1 false=2
            set(&e->late, 1);
        else
            set(&e->late, 2);
    }
    return NULL;
}

// BCSP_PnpStop.
static void *stopper(void *arg)
{
    struct device *e = arg;
    set(&e->stopping_flag, 1);
    io_decrement(e);
    if (get(&e->stopping_event) == 0) { //~ degree true=1 false=0
        if (mode >= SURPRISE) //~ degree true=1 false=1
            set(&e->given_up, 2);
        else
            set(&e->given_up, 1);
        return NULL;
    }
    if (mode != KEEP_POWER) //~ degree true=0 false=0
        set(&e->power, 0);
    set(&e->stopped, 1);
    return NULL;
}

int main(void)
{
    raddle_symbolic(&request, sizeof request, "request");
    raddle_symbolic(&mode, sizeof mode, "mode");
    if (mode < 0) //~ degree true=0 false=0
        return 0;

    pthread_t add_thread, stop_thread;
    pthread_create(&stop_thread, NULL, stopper, &device);
    pthread_create(&add_thread, NULL, adder, &device);
    pthread_join(add_thread, NULL);
    pthread_join(stop_thread, NULL);
    return 0;
}
