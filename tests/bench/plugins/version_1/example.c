/* A variant of your own, in C: a stable LSD radix sort of each segment.
 *
 *   cc -O3 -shared -fPIC -o libexample.so example.c
 *   bench sort --plugin ./libexample.so
 *
 * Four passes from the lowest digit to the highest (Knuth, vol. 3, 5.2.5): three for
 * the time, one for the channel. All digits are counted in one read. Each pass moves
 * the digis of a segment from one buffer to the other, so after four of them they are
 * back where they were. Each thread takes the next segment that no thread has taken.
 */
#include "recobench.h"

#include <stdatomic.h>
#include <string.h>

enum { PASSES = 4, MAX_BINS = 1 << 11 };

/* Where the digits are: 31 bits of time, and 11 of channel above the charge. */
static const struct {
    unsigned shift, bits;
} DIGITS[PASSES] = {{0, 10}, {10, 10}, {20, 11}, {37, 11}};

static unsigned digit(uint64_t digi, int pass) {
    return (unsigned)(digi >> DIGITS[pass].shift) & ((1u << DIGITS[pass].bits) - 1);
}

/* Counts become the offsets of each digit's digis. */
static void count(const uint64_t *digis, uint64_t length, uint64_t offsets[PASSES][MAX_BINS]) {
    memset(offsets, 0, sizeof(uint64_t[PASSES][MAX_BINS]));
    for (uint64_t i = 0; i < length; i++)
        for (int pass = 0; pass < PASSES; pass++) offsets[pass][digit(digis[i], pass)]++;
    for (int pass = 0; pass < PASSES; pass++) {
        uint64_t begin = 0;
        for (int bin = 0; bin < MAX_BINS; bin++) {
            uint64_t digis_in_bin = offsets[pass][bin];
            offsets[pass][bin] = begin;
            begin += digis_in_bin;
        }
    }
}

static void sort_segment(uint64_t *digis, uint64_t *other, uint64_t length,
                         uint64_t offsets[PASSES][MAX_BINS]) {
    count(digis, length, offsets);
    for (int pass = 0; pass < PASSES; pass++) {
        for (uint64_t i = 0; i < length; i++)
            other[offsets[pass][digit(digis[i], pass)]++] = digis[i];
        uint64_t *sorted = other;
        other = digis;
        digis = sorted;
    }
}

/* What the threads of a run share. */
typedef struct {
    const recobench_sort *sort;
    uint64_t (*offsets)[PASSES][MAX_BINS]; /* for each thread */
    atomic_uint_fast64_t next_segment;
} Run;

static void work(void *argument, uint32_t worker, uint32_t workers) {
    (void)workers;
    Run *run = argument;
    const recobench_sort *sort = run->sort;
    for (;;) {
        uint64_t segment = atomic_fetch_add(&run->next_segment, 1);
        if (segment >= sort->segments) return;
        uint64_t begin = sort->offsets[segment], end = sort->offsets[segment + 1];
        sort_segment(sort->input + begin, sort->output + begin, end - begin, run->offsets[worker]);
    }
}

/* Tables for each thread, which bench provides. */
static int32_t memory(void *state, const recobench_host *host, recobench_memory *memory) {
    (void)state;
    memory->scratch_bytes = host->workers * sizeof(uint64_t[PASSES][MAX_BINS]);
    return RECOBENCH_OK;
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    Run shared = {.sort = input, .offsets = host->scratch, .next_segment = 0};
    host->parallel(host, work, &shared);
    return RECOBENCH_OK;
}

static int32_t output(void *state) {
    (void)state;
    return RECOBENCH_INPUT_BUFFER;
}

static const recobench_variant LSD_RADIX = {
    .size = sizeof(recobench_variant),
    .task = "sort",
    .name = "example-lsd-radix",
    .summary = "four-pass LSD radix sort of each segment (Knuth 5.2.5), in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_EITHER,
    .stable = 1,
    .memory = memory,
    .run = run,
    .output = output,
};

static const recobench_variant *const VARIANTS[] = {&LSD_RADIX};

static const recobench_plugin_table TABLE = {
    .size = sizeof(recobench_plugin_table),
    .name = "example",
    .version = "1.0",
    .variant_count = sizeof VARIANTS / sizeof *VARIANTS,
    .variants = VARIANTS,
};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
