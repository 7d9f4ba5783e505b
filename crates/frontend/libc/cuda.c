/* CUDA's runtime, as far as hosts use it (CUDA Runtime API, 'Modules'; CUDA C++ Programming Guide, 'Asynchronous Concurrent Execution').
 *
 * One device, on which operations of a stream come one after the other. What one stream does the host and other streams come after only
 * where they wait for it; the legacy default stream and those that block wait for each other. That order is kept by the machine, by the
 * number of a stream; operations themselves are carried out one by one, each when the host asks for it or next waits.
 *
 * Provides: __cudaPushCallConfiguration __cudaPopCallConfiguration cudaLaunchKernel cudaLaunchCooperativeKernel
 * __raddle_cuda_function_attribute __raddle_cuda_function_cache __raddle_cuda_malloc __raddle_cuda_managed __raddle_cuda_pinned
 * cudaFree cudaFreeHost cudaHostRegister cudaHostUnregister cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync
 * __raddle_cuda_symbol cudaMemPrefetchAsync cudaMemGetInfo
 * cudaDeviceSetLimit cudaDeviceSetCacheConfig cudaDeviceSynchronize cudaThreadSynchronize cudaDeviceReset cudaThreadExit cudaSetDevice cudaSetDeviceFlags cudaGetDevice cudaGetDeviceCount
 * cudaDeviceGetAttribute cudaProfilerStart cudaProfilerStop
 * cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy cudaStreamSynchronize cudaStreamQuery
 * cudaStreamWaitEvent cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy cudaEventRecord cudaEventSynchronize cudaEventQuery
 * cudaEventElapsedTime cudaGetLastError cudaPeekAtLastError cudaGetErrorString cudaGetErrorName
 * cudaDriverGetVersion cudaRuntimeGetVersion __raddle_gpu_vprintf */

struct dim3 { unsigned x, y, z; };
/* What a stream is stays where its handle is gone: what it was given is done all the same. `asked`: the last answer was that it is not
 * ready. */
struct stream { unsigned long number; int waits, asked; struct stream *next; };
struct CUstream_st { struct stream *of; };
struct CUevent_st { unsigned long number; int recorded, asked; };
typedef struct CUstream_st *stream_t;
typedef struct CUevent_st *event_t;

enum {
    SUCCESS = 0, INVALID_VALUE = 1, MEMORY_ALLOCATION = 2, INVALID_CONFIGURATION = 9, INVALID_SYMBOL = 13, INVALID_COPY_DIRECTION = 21,
    INVALID_FUNCTION = 98, INVALID_DEVICE = 101, INVALID_HANDLE = 400, NOT_READY = 600
};
/* Whose memory it is. The numbers are the machine's. */
enum { HOST, DEVICE, MANAGED, PINNED, DEVICE_HEAP };
enum { TO_HOST_FROM_HOST, TO_DEVICE, TO_HOST, WITHIN_DEVICE, BY_ADDRESS };

/* Modelled by the machine. Numbers of streams and events are those of what is ordered; this one is the calling thread. */
#define CALLER (~0ul)
/* Who waits for the end of what runs: the caller for all that a stream was given, or for everything; or nobody but the next operation, which
 * devices may begin meanwhile: others there are, or none as there is one stream. */
#define EVERYTHING (~0ul)
#define NEXT (~0ul - 1)
#define NEXT_OF_ONE (~0ul - 2)
enum { DEFAULT = 0, FIRST = 1 };
extern int __raddle_cuda_home(const void *at);
extern void __raddle_cuda_place(void *block, int home);
extern void __raddle_cuda_reach(int everything);
extern int __raddle_cuda_launch(const void *kernel, const struct dim3 *grid, const struct dim3 *block, void **arguments, size_t shared,
                                unsigned long stream, int is_cooperative, size_t most_shared);
extern int __raddle_cuda_is_past(unsigned long number);
extern void __raddle_cuda_perform(void (*operation)(void *), void *argument, unsigned long stream);
extern void __raddle_cuda_failed(int error);
extern void *__raddle_cuda_own(const void *symbol);
extern void __raddle_cuda_finish(unsigned long for_whom);
extern void __raddle_cuda_order(unsigned long later, unsigned long earlier);
extern void __raddle_cuda_forget(unsigned long number);

extern int __raddle_cuda_error, __raddle_cuda_depth;
int __raddle_cuda_error;
static int fail(int error)
{
    if (error) {
        __raddle_cuda_error = error;
        __raddle_cuda_failed(error);
    }
    return error;
}

/* Streams that are there, and the next number that none and no event has. */
extern struct stream *__raddle_cuda_streams;
struct stream *__raddle_cuda_streams;
extern int __raddle_cuda_asked, __raddle_cuda_was_reset;
int __raddle_cuda_asked, __raddle_cuda_was_reset;
extern unsigned long __raddle_cuda_numbers;
unsigned long __raddle_cuda_numbers = FIRST;

/* `cudaStreamLegacy` and `cudaStreamPerThread` */
#define LEGACY ((stream_t)1)
#define PER_THREAD ((stream_t)2)
static int is_default(stream_t stream)
{
    if (stream == PER_THREAD)
        __raddle_unsupported("the default stream of each thread");
    return !stream || stream == LEGACY;
}
static unsigned long number_of(stream_t stream) { return is_default(stream) ? DEFAULT : stream->of->number; }

static unsigned long next(void) { return __raddle_cuda_streams ? NEXT : NEXT_OF_ONE; }

/* What comes next in a stream comes after all that it has to. Only one operation is carried out at a time. */
static void follow(stream_t stream)
{
    if (__raddle_cuda_was_reset)
        __raddle_unsupported("the device after cudaDeviceReset, which ends all that it has");
    __raddle_cuda_finish(next());
    if (is_default(stream)) {
        for (struct stream *other = __raddle_cuda_streams; other; other = other->next)
            if (other->waits)
                __raddle_cuda_order(DEFAULT, other->number);
    } else if (stream->of->waits) {
        __raddle_cuda_order(stream->of->number, DEFAULT);
    }
}

/* The host waits for all that a stream was given. */
static void await(stream_t stream)
{
    __raddle_cuda_finish(number_of(stream));
    follow(stream);
    __raddle_cuda_order(CALLER, number_of(stream));
}

static void await_all(void)
{
    __raddle_cuda_finish(EVERYTHING);
    __raddle_cuda_order(CALLER, DEFAULT);
    for (struct stream *stream = __raddle_cuda_streams; stream; stream = stream->next)
        __raddle_cuda_order(CALLER, stream->number);
}

/* Launches. */

struct configuration { struct dim3 grid, block; size_t shared; stream_t stream; };
enum { DEPTH = 8 };
extern struct configuration __raddle_cuda_configurations[DEPTH];
struct configuration __raddle_cuda_configurations[DEPTH];
int __raddle_cuda_depth;

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, stream_t stream)
{
    if (__raddle_cuda_depth == DEPTH)
        __raddle_unsupported("launches within the arguments of more than 8 others");
    struct configuration *top = &__raddle_cuda_configurations[__raddle_cuda_depth++];
    top->grid = grid;
    top->block = block;
    top->shared = shared;
    top->stream = stream;
    return 0;
}

int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream)
{
    struct configuration *top = &__raddle_cuda_configurations[--__raddle_cuda_depth];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(stream_t *)stream = top->stream;
    return SUCCESS;
}

/* What a device can run (compute capability 7.0 and later). */
static int can_run(struct dim3 grid, struct dim3 block)
{
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
        return 0;
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64)
        return 0;
    return (unsigned long)block.x * block.y * block.z <= 1024;
}

/* Shared memory of a block: what all kernels may have, and what those may that ask for it ('Shared Memory', compute capability 7.0). */
enum { SHARED = 48 << 10, SHARED_IF_ASKED = 96 << 10 };
enum { MOST_DYNAMIC_SHARED = 8, PREFERRED_CARVEOUT = 9 };
struct asked { const void *kernel; int bytes; struct asked *next; };
extern struct asked *__raddle_cuda_asked_for;
struct asked *__raddle_cuda_asked_for;

static struct asked *asked_by(const void *kernel)
{
    struct asked *asked = __raddle_cuda_asked_for;
    while (asked && asked->kernel != kernel)
        asked = asked->next;
    return asked;
}

static size_t most_shared_of(const void *kernel)
{
    struct asked *asked = asked_by(kernel);
    return asked && asked->bytes > SHARED ? SHARED_IF_ASKED : SHARED;
}

int __raddle_cuda_function_attribute(const void *kernel, int attribute, int value)
{
    if (attribute == PREFERRED_CARVEOUT)
        return value < -1 || value > 100 ? fail(INVALID_VALUE) : SUCCESS;
    if (attribute != MOST_DYNAMIC_SHARED || value < 0 || value > SHARED_IF_ASKED)
        return fail(INVALID_VALUE);
    struct asked *asked = asked_by(kernel);
    if (!asked) {
        asked = malloc(sizeof *asked);
        if (!asked)
            return fail(MEMORY_ALLOCATION);
        asked->kernel = kernel;
        asked->next = __raddle_cuda_asked_for;
        __raddle_cuda_asked_for = asked;
    }
    asked->bytes = value;
    return SUCCESS;
}
int __raddle_cuda_function_cache(const void *kernel, int config) { return (void)kernel, (void)config, SUCCESS; }

static int launch(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared, stream_t stream,
                  int is_cooperative)
{
    if (!can_run(grid, block))
        return fail(INVALID_CONFIGURATION);
    follow(stream);
    size_t most = most_shared_of(kernel);
    return fail(__raddle_cuda_launch(kernel, &grid, &block, arguments, shared, number_of(stream), is_cooperative, most));
}

int cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared, stream_t stream)
{
    return launch(kernel, grid, block, arguments, shared, stream, 0);
}

int cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared, stream_t stream)
{
    return launch(kernel, grid, block, arguments, shared, stream, 1);
}

/* Memory. */

static int allocate(void **to, size_t size, int home)
{
    if (!to)
        return fail(INVALID_VALUE);
    *to = 0;
    if (!size)
        return home == MANAGED ? fail(INVALID_VALUE) : SUCCESS;
    void *block = malloc(size);
    if (!block)
        return fail(MEMORY_ALLOCATION);
    __raddle_cuda_place(block, home);
    *to = block;
    return SUCCESS;
}
int __raddle_cuda_malloc(void **to, size_t size) { return allocate(to, size, DEVICE); }
int __raddle_cuda_managed(void **to, size_t size) { return allocate(to, size, MANAGED); }
int __raddle_cuda_pinned(void **to, size_t size) { return allocate(to, size, PINNED); }

static void give_back(void *block)
{
    __raddle_cuda_reach(1);
    free(block);
    __raddle_cuda_reach(0);
}

/* Both wait for all that the device was given. */
int cudaFree(void *block)
{
    if (!block)
        return SUCCESS;
    await_all();
    int home = __raddle_cuda_home(block);
    if (home != DEVICE && home != MANAGED)
        return fail(INVALID_VALUE);
    give_back(block);
    return SUCCESS;
}

int cudaFreeHost(void *block)
{
    if (!block)
        return SUCCESS;
    await_all();
    if (__raddle_cuda_home(block) != PINNED)
        return fail(INVALID_VALUE);
    give_back(block);
    return SUCCESS;
}

int cudaHostRegister(void *block, size_t size, unsigned flags)
{
    (void)flags;
    if (!block || !size || __raddle_cuda_home(block) != HOST)
        return fail(INVALID_VALUE);
    __raddle_cuda_place(block, PINNED);
    return SUCCESS;
}

int cudaHostUnregister(void *block)
{
    if (__raddle_cuda_home(block) != PINNED)
        return fail(INVALID_VALUE);
    __raddle_cuda_place(block, HOST);
    return SUCCESS;
}

int cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    *all_bytes = (size_t)16 << 30;
    *free_bytes = (size_t)15 << 30;
    return SUCCESS;
}

/* Copies. */

struct copy { void *to; const void *from; size_t size; void *staged; };
struct fill { void *at; int byte; size_t size; };

static void carry(void *to, const void *from, size_t size)
{
    __raddle_cuda_reach(1);
    memcpy(to, from, size);
    __raddle_cuda_reach(0);
}

static void perform_copy(void *given)
{
    struct copy *copy = given;
    carry(copy->to, copy->from, copy->size);
    free(copy->staged);
    free(copy);
}

static void perform_fill(void *given)
{
    struct fill *fill = given;
    __raddle_cuda_reach(1);
    memset(fill->at, fill->byte, fill->size);
    __raddle_cuda_reach(0);
    free(fill);
}

static int is_host(int home) { return home == HOST || home == PINNED; }

/* Whether memory is where the direction of a copy says: a direction that contradicts the addresses is one that devices refuse. The device's
 * heap is the kernels' alone. */
static int fits(int to, int from, int kind)
{
    if (to == DEVICE_HEAP || from == DEVICE_HEAP)
        return 0;
    int device_to = to == DEVICE, device_from = from == DEVICE;
    int host_to = is_host(to), host_from = is_host(from);
    switch (kind) {
    case TO_HOST_FROM_HOST: return !device_to && !device_from;
    case TO_DEVICE: return !host_to && !device_from;
    case TO_HOST: return !device_to && !host_from;
    case WITHIN_DEVICE: return !host_to && !host_from;
    default: return 1;
    }
}

static void copy_later(void *to, const void *from, size_t size, void *staged, stream_t stream)
{
    struct copy *copy = malloc(sizeof *copy);
    if (!copy)
        __raddle_unsupported("a copy for which the runtime has no memory");
    copy->to = to;
    copy->from = from;
    copy->size = size;
    copy->staged = staged;
    follow(stream);
    __raddle_cuda_perform(perform_copy, copy, number_of(stream));
}

static int check_copy(void *to, const void *from, int kind, int *home_to, int *home_from)
{
    if (kind < TO_HOST_FROM_HOST || kind > BY_ADDRESS)
        return INVALID_COPY_DIRECTION;
    if (!to || !from)
        return INVALID_VALUE;
    *home_to = __raddle_cuda_home(to);
    *home_from = __raddle_cuda_home(from);
    return fits(*home_to, *home_from, kind) ? SUCCESS : INVALID_VALUE;
}

/* What is in pageable memory may change once it is taken. */
static const void *stage(const void *from, size_t size)
{
    void *staged = malloc(size);
    if (!staged)
        __raddle_unsupported("a copy for which the runtime has no memory");
    return memcpy(staged, from, size);
}

/* 'API synchronization behavior': a copy within the device's memory is not waited for; of pageable memory it is waited for what was before, and
 * until all is taken, not until it is there; any other is over when the call returns. */
int cudaMemcpy(void *to, const void *from, size_t size, int kind)
{
    int home_to, home_from;
    if (!size)
        return SUCCESS;
    int error = check_copy(to, from, kind, &home_to, &home_from);
    if (error)
        return fail(error);
    if (home_to == DEVICE && home_from == DEVICE) {
        copy_later(to, from, size, 0, 0);
        return SUCCESS;
    }
    await(0);
    if (home_to == DEVICE && home_from == HOST) {
        const void *staged = stage(from, size);
        copy_later(to, staged, size, (void *)staged, 0);
        return SUCCESS;
    }
    carry(to, from, size);
    return SUCCESS;
}

/* The same: what is in pageable memory is taken before the call returns, and what is to get there is there; from host to host it is over. */
int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, stream_t stream)
{
    int home_to, home_from;
    if (!size)
        return SUCCESS;
    int error = check_copy(to, from, kind, &home_to, &home_from);
    if (error)
        return fail(error);
    if (home_to == HOST || is_host(home_to) && is_host(home_from)) {
        await(stream);
        carry(to, from, size);
        return SUCCESS;
    }
    void *staged = 0;
    if (home_from == HOST) {
        from = stage(from, size);
        staged = (void *)from;
    }
    copy_later(to, from, size, staged, stream);
    return SUCCESS;
}

int cudaMemsetAsync(void *at, int byte, size_t size, stream_t stream)
{
    if (!size)
        return SUCCESS;
    int home = at ? __raddle_cuda_home(at) : HOST;
    if (home == HOST || home == DEVICE_HEAP)
        return fail(INVALID_VALUE);
    struct fill *fill = malloc(sizeof *fill);
    if (!fill)
        __raddle_unsupported("a copy for which the runtime has no memory");
    fill->at = at;
    fill->byte = byte;
    fill->size = size;
    follow(stream);
    __raddle_cuda_perform(perform_fill, fill, number_of(stream));
    return SUCCESS;
}

/* Only for the device's own memory it is not waited for. */
int cudaMemset(void *at, int byte, size_t size)
{
    int error = cudaMemsetAsync(at, byte, size, 0);
    if (!error && size && __raddle_cuda_home(at) != DEVICE)
        await(0);
    return error;
}

/* Variables of the device by the host's names. */

int __raddle_cuda_symbol(void **to, const void *symbol)
{
    void *own = __raddle_cuda_own(symbol);
    if (!own)
        return fail(INVALID_SYMBOL);
    *to = own;
    return SUCCESS;
}

int cudaMemPrefetchAsync(const void *at, size_t size, int device, stream_t stream)
{
    (void)size, (void)device, (void)stream;
    return __raddle_cuda_home(at) == MANAGED ? SUCCESS : fail(INVALID_VALUE);
}

/* Devices: there is one. */

int cudaDeviceSynchronize(void)
{
    await_all();
    return SUCCESS;
}
int cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
int cudaDeviceReset(void)
{
    await_all();
    __raddle_cuda_was_reset = 1;
    return SUCCESS;
}
int cudaThreadExit(void) { return cudaDeviceReset(); }
/* Stacks and heaps are as large as they have to be. */
int cudaDeviceSetLimit(int limit, size_t size)
{
    (void)limit, (void)size;
    return SUCCESS;
}
int cudaDeviceSetCacheConfig(int config) { return (void)config, SUCCESS; }
int cudaSetDevice(int device) { return device ? fail(INVALID_DEVICE) : SUCCESS; }
int cudaGetDevice(int *device)
{
    *device = 0;
    return SUCCESS;
}
int cudaGetDeviceCount(int *count)
{
    *count = 1;
    return SUCCESS;
}
int cudaProfilerStart(void) { return SUCCESS; }
int cudaProfilerStop(void) { return SUCCESS; }
int cudaSetDeviceFlags(unsigned flags) { return (void)flags, SUCCESS; }

/* Attributes by number, as `cudaGetDeviceProperties` has them. */
struct attribute { int number, value; };
static const struct attribute attributes[] = {
    { 1, 1024 }, { 2, 1024 }, { 3, 1024 }, { 4, 64 }, { 5, 0x7fffffff }, { 6, 65535 }, { 7, 65535 }, { 8, 48 << 10 }, { 9, 64 << 10 },
    { 10, 32 }, { 13, 0 }, { 16, 80 }, { 18, 0 }, { 19, 1 }, { 20, 0 }, { 31, 1 }, { 40, 1 }, { 41, 1 }, { 75, 7 }, { 76, 0 }, { 83, 1 },
    { 88, 0 }, { 89, 1 }, { 95, 1 }
};
int cudaDeviceGetAttribute(int *to, int number, int device)
{
    if (device)
        return fail(INVALID_DEVICE);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].number == number) {
            *to = attributes[i].value;
            return SUCCESS;
        }
    __raddle_unsupported("an attribute of the device that raddle has no value for");
}
int cudaDriverGetVersion(int *version)
{
    *version = 12000;
    return SUCCESS;
}
int cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

/* Streams and events. */

int cudaStreamCreateWithFlags(stream_t *to, unsigned flags)
{
    if (!to || flags > 1)
        return fail(INVALID_VALUE);
    stream_t handle = malloc(sizeof *handle);
    struct stream *stream = malloc(sizeof *stream);
    if (!handle || !stream)
        return fail(MEMORY_ALLOCATION);
    stream->number = __raddle_cuda_numbers++;
    stream->waits = !flags;
    stream->asked = 0;
    stream->next = __raddle_cuda_streams;
    __raddle_cuda_streams = handle->of = stream;
    *to = handle;
    return SUCCESS;
}
int cudaStreamCreate(stream_t *to) { return cudaStreamCreateWithFlags(to, 0); }
int cudaStreamCreateWithPriority(stream_t *to, unsigned flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(to, flags);
}

/* What it was given is done all the same: the default stream is told of it if it would wait for it, and `cudaDeviceSynchronize` waits for
 * it. So what the handle stood for stays. */
int cudaStreamDestroy(stream_t stream)
{
    if (is_default(stream))
        return fail(INVALID_HANDLE);
    free(stream);
    return SUCCESS;
}

int cudaStreamSynchronize(stream_t stream)
{
    await(stream);
    return SUCCESS;
}
/* What may still be at work may be, or not: that it is over orders, that it is not does not, and is no error. So that who asks again and again is
 * told in the end, the answer is the same twice in a row only where it is over. */
static int query(unsigned long number, int *asked)
{
    __raddle_cuda_finish(next());
    if (!__raddle_cuda_is_past(number)) {
        if (*asked) {
            __raddle_note("a query of a stream or an event says at most once in a row that it is not ready");
        } else if ((uint8_t)__raddle_input("is ready", 1) == 0) {
            *asked = 1;
            return NOT_READY;
        }
    }
    *asked = 0;
    __raddle_cuda_order(CALLER, number);
    return SUCCESS;
}
int cudaStreamQuery(stream_t stream)
{
    follow(stream);
    return query(number_of(stream), is_default(stream) ? &__raddle_cuda_asked : &stream->of->asked);
}

int cudaEventCreateWithFlags(event_t *to, unsigned flags)
{
    (void)flags;
    if (!to)
        return fail(INVALID_VALUE);
    event_t event = malloc(sizeof *event);
    if (!event)
        return fail(MEMORY_ALLOCATION);
    event->number = __raddle_cuda_numbers++;
    event->recorded = event->asked = 0;
    *to = event;
    return SUCCESS;
}
int cudaEventCreate(event_t *to) { return cudaEventCreateWithFlags(to, 0); }

int cudaEventDestroy(event_t event)
{
    if (!event)
        return fail(INVALID_HANDLE);
    __raddle_cuda_forget(event->number);
    free(event);
    return SUCCESS;
}

int cudaEventRecord(event_t event, stream_t stream)
{
    if (!event)
        return fail(INVALID_HANDLE);
    follow(stream);
    __raddle_cuda_forget(event->number);
    __raddle_cuda_order(number_of(stream), CALLER);
    __raddle_cuda_order(event->number, number_of(stream));
    event->recorded = 1;
    event->asked = 0;
    return SUCCESS;
}

int cudaEventSynchronize(event_t event)
{
    if (!event)
        return fail(INVALID_HANDLE);
    __raddle_cuda_finish(next());
    __raddle_cuda_order(CALLER, event->number);
    return SUCCESS;
}
int cudaEventQuery(event_t event) { return event ? query(event->number, &event->asked) : fail(INVALID_HANDLE); }

int cudaStreamWaitEvent(stream_t stream, event_t event, unsigned flags)
{
    (void)flags;
    if (!event)
        return fail(INVALID_HANDLE);
    follow(stream);
    __raddle_cuda_order(number_of(stream), event->number);
    return SUCCESS;
}

/* Milliseconds: any number that is none too large for the type. */
int cudaEventElapsedTime(float *milliseconds, event_t start, event_t end)
{
    if (!milliseconds || !start || !end || !start->recorded || !end->recorded)
        return fail(INVALID_HANDLE);
    int error = query(start->number, &start->asked);
    if (!error)
        error = query(end->number, &end->asked);
    if (error)
        return fail(error);
    uint32_t bits = (uint32_t)__raddle_input("milliseconds", 4);
    __raddle_given(bits < 0x7f800000u);
    memcpy(milliseconds, &bits, sizeof bits);
    return SUCCESS;
}

/* Formatted output of a kernel, with its arguments in memory: nobody's business here. */
int __raddle_gpu_vprintf(const char *format, void *arguments)
{
    (void)format, (void)arguments;
    return 0;
}

/* Errors. */

int cudaPeekAtLastError(void) { return __raddle_cuda_error; }
int cudaGetLastError(void)
{
    int error = __raddle_cuda_error;
    __raddle_cuda_error = SUCCESS;
    return error;
}

struct error { int number; const char *name, *text; };
static const struct error errors[] = {
    { SUCCESS, "cudaSuccess", "no error" },
    { INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument" },
    { MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory" },
    { INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument" },
    { INVALID_COPY_DIRECTION, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy" },
    { INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function" },
    { INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal" },
    { INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle" },
    { 3, "cudaErrorInitializationError", "initialization error" },
    { 12, "cudaErrorInvalidPitchValue", "invalid pitch argument" },
    { 13, "cudaErrorInvalidSymbol", "invalid device symbol" },
    { 17, "cudaErrorInvalidDevicePointer", "invalid device pointer" },
    { 35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version" },
    { 52, "cudaErrorMissingConfiguration", "__global__ function call is not configured" },
    { 100, "cudaErrorNoDevice", "no CUDA-capable device is detected" },
    { NOT_READY, "cudaErrorNotReady", "device not ready" },
    { 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered" },
    { 701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch" },
    { 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated" },
    { 719, "cudaErrorLaunchFailure", "unspecified launch failure" },
    { 801, "cudaErrorNotSupported", "operation not supported" },
    { 999, "cudaErrorUnknown", "unknown error" },
};

static const struct error *error_of(int number)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number)
            return &errors[i];
    return 0;
}
const char *cudaGetErrorString(int number)
{
    const struct error *error = error_of(number);
    return error ? error->text : "unrecognized error code";
}
const char *cudaGetErrorName(int number)
{
    const struct error *error = error_of(number);
    return error ? error->name : "unrecognized error code";
}
