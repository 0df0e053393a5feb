/* Clusters of the STS in C: neighbouring channels are gone through side by side.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libcluster.so cluster.c -lm
 *   bench cluster --plugin ./libcluster.so
 *
 * A side is the work of a thread. Its clusters go to where its digis are in the input: there are
 * no more of them, and what is free behind them may stay so.
 */
#include "sts/clusters.h"

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant, (void)host;
    const recobench_sts *sts = input;
    *state = (void *)(uintptr_t)(sts->input.capacity * BYTES_FOR_DIGI);
    return RECOBENCH_OK;
}

static int32_t memory(void *state, const recobench_host *host, recobench_memory *memory) {
    (void)host;
    memory->scratch_bytes = (uintptr_t)state;
    return RECOBENCH_OK;
}

typedef struct {
    const recobench_sts *input;
    uint32_t *followers;
    uint8_t *is_first;
} Run;

static void find_in_side(void *shared, uint64_t side, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_lists *digis = &run->input->input, *clusters = &run->input->output;
    uint64_t begin = digis->begins[side];
    recobench_cluster *found = (recobench_cluster *)clusters->items + begin;
    clusters->begins[side] = begin;
    clusters->counts[side] =
        find_clusters(run->input, is_back(run->input, side), digis_of(digis, side),
                      digis->counts[side], run->followers + begin, run->is_first + begin, found);
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_sts *sts = input;
    uint32_t *followers = host->scratch;
    Run shared = {sts, followers, (uint8_t *)(followers + sts->input.capacity)};
    for_each_piece(host, sts->input.lists, find_in_side, &shared);
    return RECOBENCH_OK;
}

static const recobench_variant NEIGHBOURS = {
    .size = sizeof(recobench_variant),
    .task = "cluster",
    .name = "example-neighbours",
    .summary = "neighbouring channels side by side, a side a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .semantics = RECOBENCH_EXACT | RECOBENCH_PUBLISHED,
    .prepare = prepare,
    .memory = memory,
    .run = run,
};

EXPORT_PLUGIN("cluster example", &NEIGHBOURS)
