/* The whole STS chain in C, by the parts of presort.c, cluster.c and hits.c.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libsts.so sts.c -lm
 *   bench sts --plugin ./libsts.so
 */
#include "sts/clusters.h"
#include "sts/hits.h"
#include "sts/presort.h"

/* Scratch memory: digis by side, buffers to sort them and their clusters, and the offset of each side. */
typedef struct {
    const recobench_sts *input;
    uint64_t *digis, *sorted, *other, *side_offsets, *counts;
    recobench_cluster *found;
    uint32_t *followers;
    uint8_t *is_first;
    void *presort;
} Run;

static uint64_t scratch_bytes(const recobench_sts *input, uint32_t workers) {
    uint64_t digis = input->input.capacity, sides = sides_of(input);
    uint64_t for_digi = 3 * sizeof(uint64_t) + sizeof(recobench_cluster) + BYTES_FOR_DIGI;
    return digis * for_digi + 2 * sides * sizeof(uint64_t) + 8 + presort_bytes(input, workers);
}

static Run run_of(const recobench_host *host, const recobench_sts *input) {
    uint64_t digis = input->input.capacity, sides = sides_of(input);
    Run run = {.input = input, .digis = host->scratch};
    run.sorted = run.digis + digis;
    run.other = run.sorted + digis;
    run.side_offsets = run.other + digis;
    run.counts = run.side_offsets + sides;
    run.found = (recobench_cluster *)(run.counts + sides);
    /* Numbers of 64 bits first: all of them stay aligned. */
    uint32_t *modules = (uint32_t *)(run.found + digis);
    run.presort = modules;
    run.followers = modules + presort_bytes(input, host->workers) / sizeof *modules;
    run.is_first = (uint8_t *)(run.followers + digis);
    return run;
}

static void sort_side(void *shared, uint64_t side, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    uint64_t begin = run->side_offsets[side], count = run->counts[side];
    sort_by_channel(run->digis + begin, run->sorted + begin, run->other + begin, count);
}

static void clusters_of_side(void *shared, uint64_t side, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_lists *clusters = &run->input->output;
    uint64_t begin = run->side_offsets[side];
    recobench_cluster *found = run->found + begin;
    recobench_cluster *sorted = (recobench_cluster *)clusters->items + begin;
    uint64_t *entries = run->digis + begin; /* no longer needed */
    uint64_t count = find_clusters(run->input, is_back(run->input, side), run->sorted + begin,
                                   run->counts[side], run->followers + begin,
                                   run->is_first + begin, found);
    for (uint64_t i = 0; i < count; i++) entries[i] = (uint64_t)found[i].time << 32 | i;
    sort_numbers(entries, run->other + begin, count);
    for (uint64_t i = 0; i < count; i++) sorted[i] = found[(uint32_t)entries[i]];
    clusters->begins[side] = begin;
    clusters->counts[side] = count;
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    return keep_scratch(state, scratch_bytes(input, host->workers));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_sts *sts = input;
    Run shared = run_of(host, sts);
    host->stage(host, "presort");
    presort(host, sts, shared.presort, shared.digis, shared.side_offsets, shared.counts);
    host->stage(host, "sort");
    for_each_piece(host, sides_of(sts), sort_side, &shared);
    host->stage(host, "cluster");
    for_each_piece(host, sides_of(sts), clusters_of_side, &shared);
    host->stage(host, "hits");
    return find_all_hits(host, sts, &sts->output, &sts->hits);
}

static const recobench_variant CHAIN = {
    .size = sizeof(recobench_variant),
    .task = "sts",
    .name = "example-chain",
    .summary = "all stages, a side or a module a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .semantics = RECOBENCH_EXACT | RECOBENCH_PUBLISHED,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("sts example", &CHAIN)
