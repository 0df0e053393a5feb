/* A stub of libamdhip64.so for tests: it uses host memory, and work is synchronous.
 *
 * It implements the kernels that measure bandwidth and one of a task. Every call is checked
 * (handles, addresses, sizes) and logged. A function is made to fail by stub_fail, or by the
 * environment variable HIP_STUB_FAIL=function:code. Each test loads a separate copy. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_HANDLE = 400, NOT_FOUND = 500, PEER_ACCESS_ALREADY_ENABLED = 704 };
enum { DEVICES = 2, MAX_OBJECTS = 4096, LOG_BYTES = 1 << 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char log_of_calls[LOG_BYTES];
static size_t logged;
static const char* failing;
static int failing_code;
static __thread int device = -1;

static void note(const char* what) {
    size_t length = strlen(what);
    if (logged + length + 2 < LOG_BYTES) {
        memcpy(log_of_calls + logged, what, length);
        logged += length;
        log_of_calls[logged++] = ' ';
    }
}

/* Returns the error code of a call that is to fail; called by all functions. */
static int called(const char* function) {
    const char* asked = getenv("HIP_STUB_FAIL");
    int code = OK;
    pthread_mutex_lock(&mutex);
    note(function + 3);
    if (failing && strcmp(failing, function) == 0) code = failing_code;
    if (asked && strncmp(asked, function, strlen(function)) == 0 && asked[strlen(function)] == ':')
        code = atoi(asked + strlen(function) + 1);
    pthread_mutex_unlock(&mutex);
    return code;
}
#define CALLED                                \
    do {                                      \
        int failed = called(__func__);        \
        if (failed != OK) return failed;      \
    } while (0)
/* Like CALLED, for functions that need a device of this thread. */
#define CALLED_ON_DEVICE                           \
    do {                                           \
        CALLED;                                    \
        if (device < 0) return INVALID_DEVICE;     \
    } while (0)

void stub_fail(const char* function, int code) { failing = function; failing_code = code; }
const char* stub_log(void) { return log_of_calls; }
void stub_clear_log(void) { memset(log_of_calls, 0, logged); logged = 0; }

/* Allocated objects: memory or handles. */
enum kind { DEVICE = 1, PINNED, STREAM, EVENT, MODULE };
struct thing {
    enum kind kind;
    char* start;
    size_t bytes;
    double time;
};
static struct thing things[MAX_OBJECTS];

static void* made(enum kind kind, size_t bytes) {
    char* start = NULL;
    if (posix_memalign((void**)&start, 4096, bytes ? bytes : 1) != 0) return NULL;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MAX_OBJECTS; i++) {
        if (things[i].kind) continue;
        things[i] = (struct thing){kind, start, bytes, 0};
        pthread_mutex_unlock(&mutex);
        return start;
    }
    pthread_mutex_unlock(&mutex);
    free(start);
    return NULL;
}

static struct thing* at(enum kind kind, const void* start) {
    for (int i = 0; i < MAX_OBJECTS; i++)
        if (things[i].kind == kind && things[i].start == start) return &things[i];
    return NULL;
}

/* True if `bytes` bytes lie in memory of a kind. */
static int within(enum kind kind, const void* start, size_t bytes) {
    const char* first = start;
    for (int i = 0; i < MAX_OBJECTS; i++)
        if (things[i].kind == kind && first >= things[i].start
            && first + bytes <= things[i].start + things[i].bytes)
            return 1;
    return 0;
}

static int destroyed(enum kind kind, void* start) {
    pthread_mutex_lock(&mutex);
    struct thing* thing = at(kind, start);
    if (thing) thing->kind = 0;
    pthread_mutex_unlock(&mutex);
    free(thing ? start : NULL);
    return thing ? OK : INVALID_HANDLE;
}

int stub_alive(void) {
    int alive = 0;
    for (int i = 0; i < MAX_OBJECTS; i++) alive += things[i].kind != 0;
    return alive;
}

/* Devices: one with 64 lanes, one with 32. */
int hipInit(unsigned flags) { CALLED; return flags == 0 ? OK : INVALID_VALUE; }
int hipRuntimeGetVersion(int* version) { CALLED; *version = STUB_VERSION; return OK; }
int hipGetDeviceCount(int* count) { CALLED; *count = DEVICES; return OK; }
int hipSetDevice(int number) {
    int failed = called(__func__);
    if (failed != OK) return failed;
    if (number < 0 || number >= DEVICES) return INVALID_DEVICE;
    device = number;
    return OK;
}
int hipDeviceGetName(char* name, int length, int number) {
    CALLED;
    snprintf(name, length, number == 0 ? "Stub with 64 lanes" : "Stub with 32 lanes");
    return OK;
}
int hipDeviceGetPCIBusId(char* name, int length, int number) {
    CALLED;
    snprintf(name, length, "0000:%02x:00.0", number);
    return OK;
}
int hipDeviceTotalMem(size_t* bytes, int number) { CALLED; (void)number; *bytes = 1ul << 30; return OK; }
int hipDeviceGetAttribute(int* value, int attribute, int number) {
    CALLED;
    switch (attribute) {
        case 19: *value = 1 << 20; return OK;
        case 57: *value = 2048; return OK;
        case 63: *value = 104; return OK;
        case 74: *value = 64 << 10; return OK;
        case 87: *value = number == 0 ? 64 : 32; return OK;
        default: return INVALID_VALUE;
    }
}
#ifdef STUB_OLD
#define PROPERTIES hipGetDeviceProperties
enum { ARCHITECTURE = 396, PROPERTIES_BYTES = 792 };
#else
#define PROPERTIES hipGetDevicePropertiesR0600
enum { ARCHITECTURE = 1160, PROPERTIES_BYTES = 1472 };
#endif
int PROPERTIES(void* properties, int number) {
    CALLED;
    memset(properties, 'x', PROPERTIES_BYTES);
    strcpy((char*)properties + ARCHITECTURE, number == 0 ? "gfx90a:sramecc+:xnack-" : "gfx1100");
    return OK;
}
const char* hipGetErrorName(int code) {
    switch (code) {
        case OUT_OF_MEMORY: return "hipErrorOutOfMemory";
        case INVALID_DEVICE: return "hipErrorInvalidDevice";
        case NOT_FOUND: return "hipErrorNotFound";
        case 100: return "hipErrorNoDevice";
        case 209: return "hipErrorNoBinaryForGpu";
        case 700: return "hipErrorIllegalAddress";
        default: return "hipErrorUnknown";
    }
}

/* Memory. */
int hipMemGetInfo(size_t* free, size_t* total) { CALLED_ON_DEVICE; *free = 1ul << 28; *total = 1ul << 30; return OK; }
static int given(void** start, enum kind kind, size_t bytes) {
    *start = bytes < 1ul << 30 ? made(kind, bytes) : NULL;
    if (*start) memset(*start, 0x5a, bytes);
    return *start ? OK : OUT_OF_MEMORY;
}
int hipMalloc(void** start, size_t bytes) { CALLED_ON_DEVICE; return given(start, DEVICE, bytes); }
int hipMallocManaged(void** start, size_t bytes, unsigned flags) {
    CALLED_ON_DEVICE;
    return flags == 1 ? given(start, DEVICE, bytes) : INVALID_VALUE;
}
int hipHostMalloc(void** start, size_t bytes, unsigned flags) {
    CALLED_ON_DEVICE;
    return flags == 0 || flags == 2 ? given(start, PINNED, bytes) : INVALID_VALUE;
}
int hipFree(void* start) { CALLED_ON_DEVICE; return destroyed(DEVICE, start); }
int hipHostFree(void* start) { CALLED_ON_DEVICE; return destroyed(PINNED, start); }
int hipHostGetDevicePointer(void** address, void* start, unsigned flags) {
    CALLED_ON_DEVICE;
    *address = start;
    return flags == 0 && within(PINNED, start, 1) ? OK : INVALID_VALUE;
}
static int copied(void* to, const void* from, size_t bytes, void* stream, const void* on_device) {
    if (!at(STREAM, stream)) return INVALID_HANDLE;
    if (!within(DEVICE, on_device, bytes)) return INVALID_VALUE;
    memmove(to, from, bytes);
    return OK;
}
int hipMemPrefetchAsync(const void* start, size_t bytes, int where, void* stream) {
    CALLED_ON_DEVICE;
    return within(DEVICE, start, bytes) && where >= -1 && where < DEVICES && at(STREAM, stream) ? OK : INVALID_VALUE;
}
int hipMemcpyHtoDAsync(void* to, const void* from, size_t bytes, void* stream) { CALLED_ON_DEVICE; return copied(to, from, bytes, stream, to); }
int hipMemcpyDtoHAsync(void* to, const void* from, size_t bytes, void* stream) { CALLED_ON_DEVICE; return copied(to, from, bytes, stream, from); }
int hipMemcpyDtoDAsync(void* to, const void* from, size_t bytes, void* stream) {
    CALLED_ON_DEVICE;
    if (!within(DEVICE, from, bytes)) return INVALID_VALUE;
    return copied(to, from, bytes, stream, to);
}
static int exists(int number) { return number >= 0 && number < DEVICES; }
int hipDeviceCanAccessPeer(int* can, int of, int peer) { CALLED; *can = of != peer; return exists(of) && exists(peer) ? OK : INVALID_DEVICE; }
int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    CALLED_ON_DEVICE;
    static int enabled[DEVICES][DEVICES];
    if (flags != 0 || peer == device || !exists(peer)) return INVALID_DEVICE;
    return enabled[device][peer]++ ? PEER_ACCESS_ALREADY_ENABLED : OK;
}
int hipMemcpyPeerAsync(void* to, int on, const void* from, int peer, size_t bytes, void* stream) {
    CALLED_ON_DEVICE;
    if (on != device || !exists(peer)) return INVALID_DEVICE;
    if (!within(DEVICE, from, bytes)) return INVALID_VALUE;
    return copied(to, from, bytes, stream, to);
}
int hipMemcpyDtoH(void* to, const void* from, size_t bytes) { CALLED_ON_DEVICE; memcpy(to, from, bytes); return OK; }
int hipMemsetD8Async(void* to, unsigned char byte, size_t count, void* stream) {
    CALLED_ON_DEVICE;
    if (!at(STREAM, stream)) return INVALID_HANDLE;
    if (!within(DEVICE, to, count)) return INVALID_VALUE;
    memset(to, byte, count);
    return OK;
}

/* Streams and events. Another thread calls host functions, and is waited for. */
static pthread_t host_thread;
static int has_host_thread;
static void settle(void) {
    if (has_host_thread) pthread_join(host_thread, NULL);
    has_host_thread = 0;
}
typedef void (*callback)(void*, int, void*);
struct host_call { callback function; void *stream, *with; };
static void* call_host(void* given) {
    struct host_call call = *(struct host_call*)given;
    free(given);
    call.function(call.stream, OK, call.with);
    return NULL;
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) {
    CALLED_ON_DEVICE;
    *stream = made(STREAM, 1);
    return flags == 1 && *stream ? OK : INVALID_VALUE;
}
int hipStreamDestroy(void* stream) { CALLED_ON_DEVICE; settle(); return destroyed(STREAM, stream); }
int hipStreamSynchronize(void* stream) { CALLED_ON_DEVICE; settle(); return at(STREAM, stream) ? OK : INVALID_HANDLE; }
int hipStreamWaitEvent(void* stream, void* event, unsigned flags) {
    CALLED_ON_DEVICE;
    if (!at(STREAM, stream)) return INVALID_HANDLE;
    struct thing* thing = at(EVENT, event);
    return thing && thing->time > 0 && flags == 0 ? OK : INVALID_HANDLE;
}
int hipStreamAddCallback(void* stream, callback function, void* with, unsigned flags) {
    CALLED_ON_DEVICE;
    if (!at(STREAM, stream)) return INVALID_HANDLE;
    if (flags != 0) return INVALID_VALUE;
    settle();
    struct host_call* call = malloc(sizeof *call);
    *call = (struct host_call){function, stream, with};
    has_host_thread = pthread_create(&host_thread, NULL, call_host, call) == 0;
    return has_host_thread ? OK : OUT_OF_MEMORY;
}
int hipEventCreateWithFlags(void** event, unsigned flags) {
    CALLED_ON_DEVICE;
    *event = made(EVENT, 1);
    return (flags == 0 || flags == 2) && *event ? OK : INVALID_VALUE;
}
int hipEventQuery(void* event) { CALLED_ON_DEVICE; struct thing* thing = at(EVENT, event); return thing && thing->time > 0 ? OK : INVALID_HANDLE; }
int hipEventSynchronize(void* event) { CALLED_ON_DEVICE; settle(); return at(EVENT, event) ? OK : INVALID_HANDLE; }
int hipEventDestroy(void* event) { CALLED_ON_DEVICE; return destroyed(EVENT, event); }
int hipEventRecord(void* event, void* stream) {
    CALLED_ON_DEVICE;
    struct thing* thing = at(EVENT, event);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!thing || !at(STREAM, stream)) return INVALID_HANDLE;
    thing->time = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
    return OK;
}
int hipEventElapsedTime(float* milliseconds, void* from, void* to) {
    CALLED_ON_DEVICE;
    struct thing *first = at(EVENT, from), *last = at(EVENT, to);
    if (!first || !last || first->time == 0 || last->time < first->time) return INVALID_HANDLE;
    *milliseconds = last->time - first->time;
    return OK;
}

/* Kernels, with the parameters of their sources. */
struct pair { double x, y; };
static void* pointer(void* argument) { return *(void**)argument; }
static uint32_t number(void* argument) { return *(uint32_t*)argument; }
static int ceiling_nothing(unsigned blocks, unsigned threads, void** given) {
    (void)blocks, (void)threads, (void)given;
    return OK;
}
static int ceiling_copy(unsigned blocks, unsigned threads, void** given) {
    size_t pairs = number(given[2]);
    if ((size_t)blocks * threads * 4 < pairs) return INVALID_VALUE;
    memmove(pointer(given[0]), pointer(given[1]), pairs * sizeof(struct pair));
    return OK;
}
static int ceiling_triad(unsigned blocks, unsigned threads, void** given) {
    struct pair *to = pointer(given[0]), *left = pointer(given[1]), *right = pointer(given[2]);
    size_t pairs = number(given[3]);
    if ((size_t)blocks * threads * 4 < pairs) return INVALID_VALUE;
    for (size_t i = 0; i < pairs; i++) to[i] = (struct pair){left[i].x + 3.0 * right[i].x, left[i].y + 3.0 * right[i].y};
    return OK;
}
static int change_words(unsigned blocks, unsigned threads, void** given) {
    uint32_t* words = pointer(given[0]);
    size_t count = 4 * (size_t)number(given[1]) + number(given[2]);
    (void)blocks, (void)threads;
    for (size_t i = 0; i < count; i++) words[i] = words[i] * 1664525u + 1013904223u;
    return OK;
}
static struct kernel {
    const char* name;
    int (*run)(unsigned, unsigned, void**);
    int threads, arguments;
} kernels[] = {
    {"ceiling_nothing", ceiling_nothing, 32, 1},
    {"ceiling_copy", ceiling_copy, 256, 3},
    {"ceiling_triad", ceiling_triad, 256, 4},
    {"change_words", change_words, 256, 3},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };
static uint32_t ceiling_triad_shared_bytes = 48;

static struct kernel* known(void* handle) {
    struct kernel* kernel = handle;
    return kernel >= kernels && kernel < kernels + KERNELS ? kernel : NULL;
}
int hipModuleLoadData(void** module, const void* image) {
    CALLED_ON_DEVICE;
    if (memcmp(image, "stub", 4) != 0) return INVALID_IMAGE;
    *module = made(MODULE, 1);
    return OK;
}
int hipModuleUnload(void* module) { CALLED_ON_DEVICE; return destroyed(MODULE, module); }
int hipModuleGetFunction(void** kernel, void* module, const char* name) {
    CALLED_ON_DEVICE;
    if (!at(MODULE, module)) return INVALID_HANDLE;
    for (int i = 0; i < KERNELS; i++) {
        *kernel = &kernels[i];
        if (strcmp(kernels[i].name, name) == 0) return OK;
    }
    return NOT_FOUND;
}
int hipModuleGetGlobal(void** address, size_t* bytes, void* module, const char* name) {
    CALLED_ON_DEVICE;
    if (!at(MODULE, module)) return INVALID_HANDLE;
    *address = &ceiling_triad_shared_bytes;
    *bytes = sizeof ceiling_triad_shared_bytes;
    return strcmp(name, "ceiling_triad_shared_bytes") == 0 ? OK : NOT_FOUND;
}
int hipFuncGetAttribute(int* value, int attribute, void* handle) {
    CALLED_ON_DEVICE;
    if (!known(handle)) return INVALID_HANDLE;
    switch (attribute) {
        case 0: *value = 1024; return OK;
        case 1: *value = 128; return OK;
        case 3: *value = 0; return OK;
        case 4: *value = 24; return OK;
        default: return INVALID_VALUE;
    }
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* handle, int threads, size_t shared) {
    CALLED_ON_DEVICE;
    (void)shared;
    *blocks = 2048 / threads;
    return known(handle) ? OK : INVALID_HANDLE;
}
int hipModuleLaunchKernel(void* handle, unsigned x, unsigned y, unsigned z, unsigned i, unsigned j, unsigned k,
                          unsigned shared, void* stream, void** given, void** extra) {
    CALLED_ON_DEVICE;
    struct kernel* kernel = known(handle);
    if (!kernel || !at(STREAM, stream)) return INVALID_HANDLE;
    if (x == 0 || y != 1 || z != 1 || (int)i != kernel->threads || j != 1 || k != 1 || extra) return INVALID_VALUE;
    char what[256];
    snprintf(what, sizeof what, "%s<%u,%u,%u>", kernel->name, x, i, shared);
    note(what);
    for (int a = 0; a < kernel->arguments; a++)
        if (!given[a]) return INVALID_VALUE;
    return kernel->run(x, i, given);
}
