/* Sorting the hits of LHCb's vertex locator in C: insertion sort of keys, pair by pair.
 *
 *   cc -O3 -shared -fPIC -o libvelosort.so velo-sort.c
 *   bench velo-sort --plugin ./libvelosort.so
 */
#include "plugin.h"

enum { PAIRS = 26 };

/* Angle, identifier, and slot: keys that are equal but for the slot stay in order. */
typedef struct {
    int64_t key;
    uint32_t slot;
} Entry;

static void sort_pair(const recobench_velo *velo, Entry *entries, uint32_t first,
                      uint32_t count) {
    const recobench_velo_hits *from = &velo->hits, *to = &velo->sorted;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = first + i, at = i;
        Entry entry = {from->phi[slot] * ((int64_t)1 << 32) + from->ids[slot], slot};
        for (; at > 0 && entries[at - 1].key > entry.key; at--) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = entries[i].slot;
        to->ids[first + i] = from->ids[slot];
        to->x[first + i] = from->x[slot];
        to->y[first + i] = from->y[slot];
        to->z[first + i] = from->z[slot];
        to->phi[first + i] = from->phi[slot];
    }
}

typedef struct {
    const recobench_velo *velo;
    Entry *entries; /* of each worker */
} Work;

static void sort_event(void *shared, uint64_t event, uint32_t worker) {
    const Work *work = shared;
    const recobench_velo *velo = work->velo;
    Entry *entries = work->entries + worker * velo->max_slots;
    for (int i = 0; i < PAIRS; i++) {
        recobench_velo_pair pair = velo->pairs[event * PAIRS + i];
        sort_pair(velo, entries, velo->event_slots[event] + pair.start, pair.count);
    }
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
    for_each_piece(host, velo->events, sort_event, &work);
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
