/* Sorts that take any buffers, right and wrong ones. Those for CUDA are for the emulator,
 * whose device memory is the host's. */
#include <stdlib.h>
#include <string.h>

#include "recobench.h"

static uint64_t key(uint64_t digi) { return (digi >> 37 & 0x7ff) << 31 | (digi & 0x7fffffff); }

/* By key, then by all bits: a right order, but no stable one. */
static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    if (key(a) != key(b)) return key(a) < key(b) ? -1 : 1;
    return (a > b) - (a < b);
}

/* Through scratch memory, which has to be as large as was asked for. */
static int32_t sort_into(const recobench_host *host, const recobench_sort *sort, uint64_t *to) {
    const uint64_t *offsets = sort->device_offsets ? sort->device_offsets : sort->offsets;
    if (host->scratch_bytes != 8 * sort->digis || offsets[sort->segments] != sort->digis) {
        host->explain(host, "not what was\nasked for");
        return RECOBENCH_FAILED;
    }
    host->stage(host, "copy");
    memcpy(host->scratch, sort->input, 8 * sort->digis);
    host->stage(host, "sort");
    for (uint64_t s = 0; s < sort->segments; s++)
        qsort((uint64_t *)host->scratch + offsets[s], offsets[s + 1] - offsets[s], 8, compare);
    memcpy(to, host->scratch, 8 * sort->digis);
    return RECOBENCH_OK;
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host, const void *input, void **state) {
    const recobench_sort *sort = input;
    (void)host;
    if (variant->size != sizeof *variant || sort->input || sort->output) return RECOBENCH_FAILED;
    *state = malloc(8);
    *(uint64_t *)*state = 8 * sort->digis;
    return RECOBENCH_OK;
}

static int32_t memory(void *state, const recobench_host *host, recobench_memory *memory) {
    (void)host;
    memory->scratch_bytes = *(uint64_t *)state;
    return RECOBENCH_OK;
}

static int32_t to_output(void *state, const recobench_host *host, const void *input) {
    (void)state;
    return sort_into(host, input, ((const recobench_sort *)input)->output);
}

static int32_t to_input(void *state, const recobench_host *host, const void *input) {
    (void)state;
    return sort_into(host, input, ((const recobench_sort *)input)->input);
}

static int32_t beyond_output(void *state, const recobench_host *host, const void *input) {
    const recobench_sort *sort = input;
    sort->output[sort->digis] = 0;
    return to_output(state, host, input);
}

static int32_t beyond_scratch(void *state, const recobench_host *host, const void *input) {
    ((uint64_t *)host->scratch)[host->scratch_bytes / 8] = 0;
    return to_output(state, host, input);
}

static int32_t changes_input(void *state, const recobench_host *host, const void *input) {
    const recobench_sort *sort = input;
    int32_t answer = to_output(state, host, input);
    if (sort->digis) sort->input[0] ^= 1;
    return answer;
}

static int32_t bad_stage(void *state, const recobench_host *host, const void *input) {
    host->stage(host, "total");
    return to_output(state, host, input);
}

static int32_t refuses(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)input;
    host->explain(host, "out of luck");
    return RECOBENCH_FAILED;
}

static int32_t in_input(void *state) { return (void)state, RECOBENCH_INPUT_BUFFER; }

static int32_t in_output(void *state) { return (void)state, RECOBENCH_OUTPUT_BUFFER; }

static int32_t nowhere(void *state) { return (void)state, 7; }

#define SORT(where, on, called, used, function, answers)                                            \
    static const recobench_variant called##_##where = {                                             \
        .size = sizeof(recobench_variant), .task = "sort", .name = #where "-" #called,              \
        .summary = "for tests", .backend = on, .buffers = used, .prepare = prepare,                 \
        .memory = memory, .run = function, .output = answers, .release = free};

#define SORTS(where, on)                                                                            \
    SORT(where, on, separate, RECOBENCH_SEPARATE, to_output, NULL)                                  \
    SORT(where, on, output, RECOBENCH_EITHER, to_output, in_output)                                 \
    SORT(where, on, input, RECOBENCH_EITHER, to_input, in_input)                                    \
    SORT(where, on, place, RECOBENCH_IN_PLACE, to_input, NULL)                                      \
    SORT(where, on, nowhere, RECOBENCH_EITHER, to_input, nowhere)                                   \
    SORT(where, on, beyond, RECOBENCH_SEPARATE, beyond_output, NULL)                                \
    SORT(where, on, scratch, RECOBENCH_SEPARATE, beyond_scratch, NULL)                              \
    SORT(where, on, changed, RECOBENCH_SEPARATE, changes_input, NULL)                               \
    SORT(where, on, stage, RECOBENCH_SEPARATE, bad_stage, NULL)                                     \
    SORT(where, on, refuses, RECOBENCH_SEPARATE, refuses, NULL)

SORTS(cpu, RECOBENCH_CPU)
SORTS(cuda, RECOBENCH_CUDA)

#define ALL(where)                                                                                  \
    &separate_##where, &output_##where, &input_##where, &place_##where, &nowhere_##where,           \
        &beyond_##where, &scratch_##where, &changed_##where, &stage_##where, &refuses_##where

static const recobench_variant *const VARIANTS[] = {ALL(cpu), ALL(cuda)};

static const recobench_plugin_table TABLE = {
    .size = sizeof TABLE, .name = "sorts", .version = "1",
    .variant_count = sizeof VARIANTS / sizeof *VARIANTS, .variants = VARIANTS};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }
