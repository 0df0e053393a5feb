/* A plugin that is right, unless it is compiled to be not:
 *
 *   -DWHERE=run -DHOW=crash         what happens, and in which call
 *   -DWHERE=run -DHOW=wrong ...     see below
 *   -DFROM=200000                   only with this number of digis or more
 *   -DUNTIL=1000                    only with fewer digis, as in a trial
 *   -DNAME='"x"' -DTABLE_NAME=NULL  other values of the table
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recobench.h"

#ifndef FROM
#define FROM 0
#endif
#ifndef UNTIL
#define UNTIL UINT64_MAX
#endif
#ifndef NAME
#define NAME "foreign"
#endif
#ifndef TABLE_NAME
#define TABLE_NAME "a plugin of the tests"
#endif
#ifndef TASK
#define TASK "sort"
#endif
#ifndef SIZE
#define SIZE sizeof(recobench_variant)
#endif
#ifndef ABI
#define ABI RECOBENCH_ABI
#endif
#ifndef RUN
#define RUN run
#endif
#ifndef BACKEND
#define BACKEND RECOBENCH_CPU
#endif
#ifndef STABLE
#define STABLE 0
#endif
#ifndef BUFFERS
#define BUFFERS RECOBENCH_SEPARATE
#endif
#ifndef SUMMARY
#define SUMMARY "qsort a segment"
#endif

enum { nowhere, constructor, describe, prepare_call, memory_call, reset_call, run_call, output_call, release_call };
#ifndef WHERE
#define WHERE nowhere
#endif
enum { nothing, crash, give_up, leave, hang, quit, vanish, wander, bear, need_limit, wrong, beyond, far_beyond, spoil, lie, unmap, ask, heap, nap, stray };
#ifndef HOW
#define HOW nothing
#endif

/* The C library maps blocks of this size one by one, whatever was freed before: above 32 MiB. */
enum { LARGE = 64 << 20 };

static uint64_t digis;

static void happen(int where) {
    if (where != WHERE || (digis < FROM && where != constructor) || digis >= UNTIL) return;
    volatile int *volatile nobodys = NULL;
    if (HOW == crash) *nobodys = 1;
    if (HOW == give_up) abort();
    if (HOW == leave) exit(0);
    if (HOW == hang) for (;;) sleep(1);
    if (HOW == quit) _exit(0);
    if (HOW == vanish) kill(getpid(), SIGKILL);
    /* A path that is not writable. */
    if (HOW == wander && chdir("/proc") != 0) abort();
    /* A child that never ends, and holds all that this process writes to. */
    if (HOW == bear && fork() == 0) for (;;) pause();
    /* Sleeps in all executables but one that is called benchold. */
    char executable[4096] = "";
    if (HOW == nap && readlink("/proc/self/exe", executable, sizeof executable - 1) > 0 && !strstr(executable, "benchold")) usleep(5000);
    /* To another CPU than the first one. */
    cpu_set_t other;
    CPU_ZERO(&other);
    CPU_SET(1, &other);
    if (HOW == stray) sched_setaffinity(0, sizeof other, &other);
    struct rlimit limit;
    if (HOW == need_limit && (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)) abort();
}

__attribute__((constructor)) static void load(void) { happen(constructor); }

static uint64_t key(uint64_t digi) { return (digi >> 37 & 0x7ff) << 31 | (digi & 0x7fffffff); }

static int compare(const void *left, const void *right) {
    uint64_t a = key(*(const uint64_t *)left), b = key(*(const uint64_t *)right);
    return (a > b) - (a < b);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host, const void *input, void **state) {
    (void)variant, (void)host;
    digis = ((const recobench_sort *)input)->digis;
    happen(prepare_call);
    *state = calloc(1, HOW == heap ? LARGE : 1);
    return RECOBENCH_OK;
}

static int32_t memory(void *state, const recobench_host *host, recobench_memory *needs) {
    (void)state, (void)host, (void)needs;
    happen(memory_call);
    if (WHERE == memory_call && HOW == ask && digis >= FROM) needs->scratch_bytes = 1ull << 46;
    return RECOBENCH_OK;
}

static int32_t reset(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)host, (void)input;
    happen(reset_call);
    return RECOBENCH_OK;
}

__attribute__((unused)) static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)host;
    const recobench_sort *sort = input;
    happen(run_call);
    memcpy(sort->output, sort->input, 8 * sort->digis);
    for (uint64_t s = 0; s < sort->segments; s++) {
        uint64_t begin = sort->offsets[s], end = sort->offsets[s + 1];
        qsort(sort->output + begin, end - begin, 8, compare);
    }
    if (WHERE != run_call || sort->digis < FROM || sort->digis == 0) return RECOBENCH_OK;
    if (HOW == wrong) sort->output[sort->digis / 2] ^= 1;
    if (HOW == beyond) sort->output[sort->digis] = 0;
    if (HOW == far_beyond) memset(sort->output + sort->digis, 0, 64);
    if (HOW == spoil) sort->input[sort->digis / 2] ^= 1;
    if (HOW == unmap) munmap((void *)(((uintptr_t)sort->input + 4095) & ~(uintptr_t)4095), 4096);
    /* A size that no block has. Only freeing a block of a mapping of its own reads it. */
    if (HOW == heap) ((size_t *)state)[-1] = 1;
    if (HOW == lie) {
        /* Twice the digis, without a report of the count. */
        char *block = malloc(16 * sort->digis);
        memset(block, (int)sort->digis, 16 * sort->digis);
        sort->output[0] ^= block[0] ^ (char)sort->digis;
        free(block);
    }
    return RECOBENCH_OK;
}

static int32_t output(void *state) {
    (void)state;
    happen(output_call);
    return RECOBENCH_OUTPUT_BUFFER;
}

static void release(void *state) {
    happen(release_call);
    free(state);
}

static const recobench_variant VARIANT = {
    .size = SIZE,
    .task = TASK,
    .name = NAME,
    .summary = SUMMARY,
    .backend = BACKEND,
    .buffers = WHERE == output_call ? RECOBENCH_EITHER : BUFFERS,
    .stable = STABLE,
    .prepare = prepare,
    .memory = memory,
    .reset = reset,
    .run = RUN,
    .output = WHERE == output_call ? output : NULL,
    .release = release,
#ifdef SEMANTICS
    .semantics = SEMANTICS,
#endif
#ifdef ORDER
    .order = ORDER,
#endif
#ifdef NATIVE
    .native = NATIVE,
#endif
#ifdef WRITTEN_AS
    .written_as = WRITTEN_AS,
#endif
#ifdef REMARK
    .remark = REMARK,
#endif
#ifdef DIFFERS
    .differs = DIFFERS,
#endif
};

static const recobench_variant *const VARIANTS[] = {&VARIANT};

static const recobench_plugin_table TABLE = {
    .size = sizeof TABLE, .name = TABLE_NAME, .version = "1", .variant_count = 1, .variants = VARIANTS};

uint32_t recobench_plugin_abi(void) { return ABI; }

#ifndef NO_TABLE
const recobench_plugin_table *recobench_plugin(void) {
    happen(describe);
    return &TABLE;
}
#endif
