/* A plugin for two tasks: gathering on all threads, and a sort. Right, unless it is compiled
 * to be not: -DHOW=crash -DTRACKS=300 does it with 300 tracks or more, in run. */
#include <stdlib.h>
#include <string.h>

#include "recobench.h"

enum { nothing, crash, wrong, spoil };
#ifndef HOW
#define HOW nothing
#endif
#ifndef TRACKS
#define TRACKS 0
#endif
#ifndef BUFFERS
#define BUFFERS RECOBENCH_SEPARATE
#endif
#ifndef STABLE
#define STABLE 1
#endif

/* Scratch memory has the offsets of tracks, and then those of rows. */
typedef struct {
    const recobench_gather *gather;
    uint32_t *track_offsets, *row_offsets;
} Work;

static void compute_offsets(const Work *work) {
    const recobench_gather *gather = work->gather;
    const uint8_t *source = gather->source;
    const uint16_t *of_tracks = (const void *)(source + gather->arrays[gather->track_counts].source_offset);
    const uint32_t *of_rows = (const void *)(source + gather->arrays[gather->row_counts].source_offset);
    work->track_offsets[0] = work->row_offsets[0] = 0;
    for (uint64_t i = 0; i < gather->tracks; i++)
        work->track_offsets[i + 1] = work->track_offsets[i] + of_tracks[i];
    for (uint64_t i = 0; i < gather->rows; i++) work->row_offsets[i + 1] = work->row_offsets[i] + of_rows[i];
}

static void copy_pieces(const recobench_gather_array *array, uint8_t *to, const uint8_t *from, uint64_t pieces,
                        const uint32_t *starts, const uint32_t *offsets) {
    uint64_t left_out = array->per == RECOBENCH_PER_DIFFERENCE;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t entries = offsets[i + 1] - offsets[i] - left_out;
        memcpy(to, from + (starts[i] + left_out) * array->entry_bytes, entries * array->entry_bytes);
        to += entries * array->entry_bytes;
    }
}

static void copy_array(const Work *work, const recobench_gather_array *array) {
    const recobench_gather *gather = work->gather;
    const uint8_t *from = gather->source + array->source_offset;
    uint8_t *to = gather->output + array->output_offset;
    switch (array->per) {
    case RECOBENCH_PER_ROW:
    case RECOBENCH_PER_TRACK: memcpy(to, from, array->output_bytes); break;
    case RECOBENCH_PER_UNATTACHED:
        copy_pieces(array, to, from, gather->rows, gather->row_starts, work->row_offsets);
        break;
    default: copy_pieces(array, to, from, gather->tracks, gather->track_starts, work->track_offsets);
    }
}

/* Each thread has some of the arrays. */
static void copy_some(void *argument, uint32_t worker, uint32_t workers) {
    const Work *work = argument;
    for (uint64_t i = worker; i < work->gather->array_count; i += workers)
        copy_array(work, &work->gather->arrays[i]);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host, const void *input, void **state) {
    const recobench_gather *gather = input;
    (void)variant, (void)host;
    uint64_t *bytes = malloc(sizeof *bytes);
    *bytes = sizeof(uint32_t) * (gather->tracks + gather->rows + 2);
    *state = bytes;
    return RECOBENCH_OK;
}

static int32_t memory(void *state, const recobench_host *host, recobench_memory *memory) {
    (void)host;
    memory->scratch_bytes = *(uint64_t *)state;
    return RECOBENCH_OK;
}

static int32_t run_gather(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    (void)state;
    uint32_t *offsets = host->scratch;
    Work work = {gather, offsets, offsets + gather->tracks + 1};
    volatile int *volatile nobodys = NULL;
    if (HOW == crash && gather->tracks >= TRACKS) *nobodys = 1;
    host->stage(host, "offsets");
    compute_offsets(&work);
    host->stage(host, "copy");
    host->parallel(host, copy_some, &work);
    if (gather->tracks < TRACKS) return RECOBENCH_OK;
    if (HOW == wrong) gather->output[gather->arrays[7].output_offset] ^= 1;
    if (HOW == spoil) ((uint8_t *)gather->source)[5] ^= 1;
    return RECOBENCH_OK;
}

static uint64_t key(uint64_t digi) { return (digi >> 37 & 0x7ff) << 31 | (digi & 0x7fffffff); }

static int compare(const void *left, const void *right) {
    uint64_t a = key(*(const uint64_t *)left), b = key(*(const uint64_t *)right);
    return (a > b) - (a < b);
}

static int32_t run_sort(void *state, const recobench_host *host, const void *input) {
    const recobench_sort *sort = input;
    (void)state, (void)host;
    for (uint64_t s = 0; s < sort->segments; s++) {
        uint64_t begin = sort->offsets[s];
        qsort(sort->input + begin, sort->offsets[s + 1] - begin, sizeof(uint64_t), compare);
    }
    return RECOBENCH_OK;
}

static const recobench_variant GATHER = {
    .size = sizeof GATHER,
    .task = "gather",
    .name = "foreign-gather",
    .summary = "a memcpy a piece",
    .backend = RECOBENCH_CPU,
    .buffers = BUFFERS,
    .stable = STABLE,
    .prepare = prepare,
    .memory = memory,
    .run = run_gather,
    .release = free,
};

static const recobench_variant SORT = {
    .size = sizeof SORT,
    .task = "sort",
    .name = "foreign-sort",
    .summary = "qsort where digis are",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_IN_PLACE,
    .run = run_sort,
};

static const recobench_variant *const VARIANTS[] = {&GATHER, &SORT};

static const recobench_plugin_table TABLE = {
    .size = sizeof TABLE, .name = "two tasks", .version = "1", .variant_count = 2, .variants = VARIANTS};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
