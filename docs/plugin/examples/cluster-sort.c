/* Clusters of the STS by time, in C: entries of 8 bytes are sorted by merging, and the objects of
 * the offline reconstruction by the C library.
 *
 *   cc -O3 -shared -fPIC -o libcluster-sort.so cluster-sort.c
 *   bench cluster-sort --plugin ./libcluster-sort.so
 *
 * An entry has the time above the number of its cluster.
 */
#include "sts/digis.h"

#include <stdlib.h>
#include <string.h>

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant, (void)host;
    const recobench_sts *sts = input;
    return keep_scratch(state, 2 * sts->input.capacity * sizeof(uint64_t));
}

typedef struct {
    const recobench_sts *input;
    uint64_t *entries, *other;
} Run;

static void sort_side(void *shared, uint64_t side, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_lists *found = &run->input->input, *sorted = &run->input->output;
    uint64_t begin = found->begins[side], count = found->counts[side];
    const recobench_cluster *from = (const recobench_cluster *)found->items + begin;
    recobench_cluster *to = (recobench_cluster *)sorted->items + begin;
    uint64_t *entries = run->entries + begin;
    for (uint64_t i = 0; i < count; i++) entries[i] = (uint64_t)from[i].time << 32 | i;
    sort_numbers(entries, run->other + begin, count);
    for (uint64_t i = 0; i < count; i++) to[i] = from[(uint32_t)entries[i]];
    sorted->begins[side] = begin;
    sorted->counts[side] = count;
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_sts *sts = input;
    uint64_t *entries = host->scratch;
    Run shared = {sts, entries, entries + sts->input.capacity};
    for_each_piece(host, sts->input.lists, sort_side, &shared);
    return RECOBENCH_OK;
}

static int compare_times(const void *left, const void *right) {
    const recobench_offline_cluster *a = left, *b = right;
    return (a->time > b->time) - (a->time < b->time);
}

static void sort_objects(void *shared, uint64_t side, uint32_t worker) {
    (void)worker;
    const recobench_sts *sts = shared;
    uint64_t begin = sts->input.begins[side], count = sts->input.counts[side];
    const recobench_offline_cluster *from = sts->input.items;
    recobench_offline_cluster *to = (recobench_offline_cluster *)sts->output.items + begin;
    memcpy(to, from + begin, count * sizeof *to);
    qsort(to, count, sizeof *to, compare_times);
    sts->output.begins[side] = begin;
    sts->output.counts[side] = count;
}

static int32_t run_objects(void *state, const recobench_host *host, const void *input) {
    (void)state;
    recobench_sts sts = *(const recobench_sts *)input;
    for_each_piece(host, sts.input.lists, sort_objects, &sts);
    return RECOBENCH_OK;
}

static const recobench_variant OBJECTS = {
    .size = sizeof(recobench_variant),
    .task = "cluster-sort",
    .name = "example-objects",
    .summary = "objects of 48 bytes by qsort, a side a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .semantics = RECOBENCH_OFFLINE,
    .run = run_objects,
};

static const recobench_variant MERGE = {
    .size = sizeof(recobench_variant),
    .task = "cluster-sort",
    .name = "example-merge",
    .summary = "entries of 8 bytes by merge sort (Knuth 5.2.4), a side a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .semantics = RECOBENCH_EXACT | RECOBENCH_PUBLISHED,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("cluster-sort example", &MERGE, &OBJECTS)
