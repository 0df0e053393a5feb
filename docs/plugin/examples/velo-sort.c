/* Sorting the hits of LHCb's vertex locator in C: insertion sort of keys, pair by pair.
 *
 *   cc -O3 -shared -fPIC -o libvelosort.so velo-sort.c
 *   bench velo-sort --plugin ./libvelosort.so
 */
#include "velo/hits.h"

typedef struct {
    const recobench_velo *velo;
    Entry *entries; /* of each worker */
} Work;

static void sort_hits(void *shared, uint64_t event, uint32_t worker) {
    const Work *work = shared;
    const recobench_velo *velo = work->velo;
    uint32_t first = velo->event_slots[event];
    Unsorted unsorted = {work->entries + worker * velo->max_slots, hits_from(velo->hits, first)};
    recobench_velo_hits sorted = hits_from(velo->sorted, first);
    sort_event(&unsorted, &sorted, velo->pairs + event * PAIRS);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    const recobench_velo *velo = input;
    return keep_scratch(state, host->workers * velo->max_slots * sizeof(Entry));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    const recobench_velo *velo = input;
    Work work = {velo, host->scratch};
    for_each_piece(host, velo->events, sort_hits, &work);
    return RECOBENCH_OK;
}

static const recobench_variant INSERTION = {
    .size = sizeof(recobench_variant),
    .task = "velo-sort",
    .name = "example-insertion",
    .summary = "insertion sort of keys, an event a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("velo-sort example", &INSERTION)
