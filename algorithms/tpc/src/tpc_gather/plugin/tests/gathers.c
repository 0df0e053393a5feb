/* Gathering, right and wrong. Variants for CUDA are for the emulator, whose device memory is
 * the host's. */
#include <stdlib.h>
#include <string.h>

#include "recobench.h"

/* Number of pieces of an array, and number of entries of each that are left out. */
static uint64_t pieces_of(const recobench_gather *gather, const recobench_gather_array *array) {
    if (array->per == RECOBENCH_PER_UNATTACHED) return gather->rows;
    return array->per == RECOBENCH_PER_ROW || array->per == RECOBENCH_PER_TRACK ? 1 : gather->tracks;
}

static uint32_t left_out(const recobench_gather_array *array) { return array->per == RECOBENCH_PER_DIFFERENCE; }

/* Exclusive scan of the numbers of clusters of pieces, and their total. */
static void sum(const uint8_t *counts, uint32_t bytes, uint64_t pieces, uint32_t *offsets) {
    uint32_t offset = 0;
    for (uint64_t i = 0; i < pieces; i++) {
        uint32_t count = 0;
        memcpy(&count, counts + i * bytes, bytes);
        offsets[i] = offset;
        offset += count;
    }
    offsets[pieces] = offset;
}

/* Scratch memory: the offsets of tracks, then those of rows. */
typedef struct {
    const recobench_gather *gather;
    const uint32_t *starts[2];
    uint32_t *offsets[2];
} GatherJob;

static GatherJob work_of(const recobench_host *host, const recobench_gather *gather) {
    const int on_device = gather->device_track_starts != NULL;
    uint32_t *offsets = host->scratch;
    GatherJob work = {gather,
                 {on_device ? gather->device_track_starts : gather->track_starts,
                  on_device ? gather->device_row_starts : gather->row_starts},
                 {offsets, offsets + gather->tracks + 1}};
    return work;
}

static void compute_offsets(const GatherJob *work) {
    const recobench_gather *gather = work->gather;
    const recobench_gather_array *arrays = gather->arrays;
    const uint8_t *source = gather->source;
    sum(source + arrays[gather->track_counts].source_offset, 2, gather->tracks, work->offsets[0]);
    sum(source + arrays[gather->row_counts].source_offset, 4, gather->rows, work->offsets[1]);
}

static void copy_array(const GatherJob *work, const recobench_gather_array *array, uint8_t *to) {
    const uint8_t *from = work->gather->source + array->source_offset;
    to += array->output_offset;
    if (array->per == RECOBENCH_PER_ROW || array->per == RECOBENCH_PER_TRACK) {
        memcpy(to, from, array->output_bytes);
        return;
    }
    const int of_rows = array->per == RECOBENCH_PER_UNATTACHED;
    const uint32_t *starts = work->starts[of_rows], *offsets = work->offsets[of_rows];
    for (uint64_t i = 0; i < pieces_of(work->gather, array); i++) {
        uint64_t entries = offsets[i + 1] - offsets[i] - left_out(array);
        uint64_t first = starts[i] + left_out(array), offset = offsets[i] - i * left_out(array);
        memcpy(to + offset * array->entry_bytes, from + first * array->entry_bytes, entries * array->entry_bytes);
    }
}

static int32_t gather_into(const recobench_host *host, const recobench_gather *gather, uint8_t *to) {
    if (host->scratch_bytes != 4 * (gather->tracks + gather->rows + 2) || !gather->source || !to) {
        host->explain(host, "not what was\nasked for");
        return RECOBENCH_FAILED;
    }
    const GatherJob work = work_of(host, gather);
    host->stage(host, "places");
    compute_offsets(&work);
    host->stage(host, "copy");
    for (uint64_t i = 0; i < gather->array_count; i++) copy_array(&work, &gather->arrays[i], to);
    return RECOBENCH_OK;
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host, const void *input, void **state) {
    const recobench_gather *gather = input;
    (void)host;
    if (variant->size != sizeof *variant || gather->size != sizeof *gather) return RECOBENCH_FAILED;
    if (gather->source || gather->output || gather->host_output) return RECOBENCH_FAILED;
    *state = malloc(8);
    *(uint64_t *)*state = 4 * (gather->tracks + gather->rows + 2);
    return RECOBENCH_OK;
}

static int32_t memory(void *state, const recobench_host *host, recobench_memory *memory) {
    (void)host;
    memory->scratch_bytes = *(uint64_t *)state;
    return RECOBENCH_OK;
}

static int32_t right(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    (void)state;
    if (gather->host_output) return RECOBENCH_FAILED;
    return gather_into(host, gather, gather->output);
}

static int32_t to_host(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    (void)state;
    if (gather->output) return RECOBENCH_FAILED;
    return gather_into(host, gather, gather->host_output);
}

static int32_t beyond_host(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    gather->host_output[gather->output_bytes] = 0;
    return to_host(state, host, input);
}

static int32_t beyond(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    gather->output[gather->output_bytes] = 0;
    return right(state, host, input);
}

/* On the host a guard page follows it, which makes writes beyond the end fault. */
static int32_t before(void *state, const recobench_host *host, const void *input) {
    ((const recobench_gather *)input)->output[-1] = 0;
    return right(state, host, input);
}

static int32_t beyond_scratch(void *state, const recobench_host *host, const void *input) {
    ((uint8_t *)host->scratch)[host->scratch_bytes] = 0;
    return right(state, host, input);
}

static int32_t changes_source(void *state, const recobench_host *host, const void *input) {
    int32_t answer = right(state, host, input);
    *(uint8_t *)((const recobench_gather *)input)->source ^= 1;
    return answer;
}

static int32_t changes_starts(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    int32_t answer = right(state, host, input);
    const GatherJob work = work_of(host, gather);
    *(uint32_t *)work.starts[0] += 1;
    return answer;
}

static int32_t changes_arrays(void *state, const recobench_host *host, const void *input) {
    int32_t answer = right(state, host, input);
    ((recobench_gather_array *)((const recobench_gather *)input)->arrays)[3].entry_bytes += 1;
    return answer;
}

static int32_t nothing(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)host, (void)input;
    return RECOBENCH_OK;
}

/* The bytes of an array without gaps. */
static uint8_t *array_of(const recobench_gather *gather, uint32_t per) {
    uint64_t number = 0;
    while (gather->arrays[number].per != per) number++;
    return gather->output + gather->arrays[number].output_offset;
}

/* The first two pieces in the wrong order. */
static int32_t swapped(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    const int32_t answer = right(state, host, input);
    const GatherJob work = work_of(host, gather);
    uint8_t *array = array_of(gather, RECOBENCH_PER_ATTACHED), first[64];
    const uint32_t *offsets = work.offsets[0];
    const uint64_t of_first = 2 * offsets[1], of_second = 2 * (offsets[2] - offsets[1]);
    if (gather->tracks < 2 || of_first > sizeof first) return RECOBENCH_FAILED;
    memcpy(first, array, of_first);
    memmove(array, array + of_first, of_second);
    memcpy(array + of_second, first, of_first);
    return answer;
}

/* Loses the first of the entries that are not left out. */
static int32_t shifted(void *state, const recobench_host *host, const void *input) {
    const int32_t answer = right(state, host, input);
    uint8_t *array = array_of(input, RECOBENCH_PER_DIFFERENCE);
    memmove(array, array + 1, 200);
    return answer;
}

/* The last byte of the last array. */
static int32_t last(void *state, const recobench_host *host, const void *input) {
    const recobench_gather *gather = input;
    const int32_t answer = right(state, host, input);
    const recobench_gather_array *array = &gather->arrays[gather->array_count - 1];
    gather->output[array->output_offset + array->output_bytes - 1] ^= 0x80;
    return answer;
}

static int32_t bad_stage(void *state, const recobench_host *host, const void *input) {
    host->stage(host, "total");
    return right(state, host, input);
}

static int32_t refuses(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)input;
    host->explain(host, "out of luck");
    return RECOBENCH_FAILED;
}

#define GATHER(where, on, called, used, function)                                                   \
    static const recobench_variant called##_##where = {                                             \
        .size = sizeof(recobench_variant), .task = "gather", .name = #where "-" #called,            \
        .summary = "for tests", .backend = on, .buffers = used, .stable = 1, .prepare = prepare,    \
        .memory = memory, .run = function, .release = free};

#define GATHERS(where, on)                                                                          \
    GATHER(where, on, right, RECOBENCH_SEPARATE, right)                                             \
    GATHER(where, on, scratch, RECOBENCH_SEPARATE, beyond_scratch)                                  \
    GATHER(where, on, source, RECOBENCH_SEPARATE, changes_source)                                   \
    GATHER(where, on, starts, RECOBENCH_SEPARATE, changes_starts)                                   \
    GATHER(where, on, arrays, RECOBENCH_SEPARATE, changes_arrays)                                   \
    GATHER(where, on, nothing, RECOBENCH_SEPARATE, nothing)                                         \
    GATHER(where, on, swapped, RECOBENCH_SEPARATE, swapped)                                         \
    GATHER(where, on, shifted, RECOBENCH_SEPARATE, shifted)                                         \
    GATHER(where, on, last, RECOBENCH_SEPARATE, last)                                               \
    GATHER(where, on, stage, RECOBENCH_SEPARATE, bad_stage)                                         \
    GATHER(where, on, refuses, RECOBENCH_SEPARATE, refuses)

GATHERS(cpu, RECOBENCH_CPU)
GATHERS(cuda, RECOBENCH_CUDA)

GATHER(cpu, RECOBENCH_CPU, before, RECOBENCH_SEPARATE, before)
GATHER(cuda, RECOBENCH_CUDA, beyond, RECOBENCH_SEPARATE, beyond)
GATHER(cuda, RECOBENCH_CUDA, tohost, RECOBENCH_TO_HOST, to_host)
GATHER(cuda, RECOBENCH_CUDA, hostbeyond, RECOBENCH_TO_HOST, beyond_host)

#define ALL(where)                                                                                  \
    &right_##where, &scratch_##where, &source_##where, &starts_##where,                             \
        &arrays_##where, &nothing_##where, &swapped_##where, &shifted_##where, &last_##where,       \
        &stage_##where, &refuses_##where

static const recobench_variant *const VARIANTS[] = {ALL(cpu),     ALL(cuda),    &before_cpu,
                                                    &beyond_cuda, &tohost_cuda, &hostbeyond_cuda};

static const recobench_plugin_table TABLE = {
    .size = sizeof TABLE, .name = "gathers", .version = "1",
    .variant_count = sizeof VARIANTS / sizeof *VARIANTS, .variants = VARIANTS};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
