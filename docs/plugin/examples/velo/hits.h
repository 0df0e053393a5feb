/* Hits of LHCb's vertex locator: their angles, and their order in a pair of modules, by velo.md.
 * Nothing may be fused (-ffp-contract=off). */
#ifndef EXAMPLES_VELO_HITS_H
#define EXAMPLES_VELO_HITS_H

#include "../plugin.h"

#include <math.h>

enum { PAIRS = 26 };

static inline int16_t angle_of(float x, float y) {
    const float units_per_radian = 0x1.45f306p+13f; /* 32768 / pi */
    const float quarter_pi = 0x1.921fb6p-1f, three_quarters_pi = 0x1.2d97c8p+1f;
    float a = fabsf(y);
    float r = x > 0 ? (x - a) / (x + a) : (x + a) / (a - x);
    float angle = (x > 0 ? quarter_pi : three_quarters_pi) - quarter_pi * r;
    float units = copysignf(angle, y) * units_per_radian;
    /* Not a number at the beam itself; pi itself becomes the smallest number. */
    return fabsf(units) <= 65536.0f ? (int16_t)(int32_t)units : 0;
}

/* Hits from a slot on. */
static inline recobench_velo_hits hits_from(recobench_velo_hits hits, uint64_t slot) {
    recobench_velo_hits from = {hits.ids + slot, hits.x + slot, hits.y + slot, hits.z + slot,
                                hits.phi + slot};
    return from;
}

/* Angle, identifier, and slot: keys that are equal but for the slot stay in order. */
typedef struct {
    int64_t key;
    uint32_t slot;
} Entry;

/* Sorts the hits of a pair of modules from one array into another. */
static inline void sort_pair(const recobench_velo_hits *from, const recobench_velo_hits *to,
                             recobench_velo_pair pair, Entry *entries) {
    for (uint32_t i = 0; i < pair.count; i++) {
        uint32_t slot = pair.start + i, at = i;
        Entry entry = {from->phi[slot] * ((int64_t)1 << 32) + from->ids[slot], slot};
        for (; at > 0 && entries[at - 1].key > entry.key; at--) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
    for (uint32_t i = 0; i < pair.count; i++) {
        uint32_t slot = entries[i].slot, target = pair.start + i;
        to->ids[target] = from->ids[slot];
        to->x[target] = from->x[slot];
        to->y[target] = from->y[slot];
        to->z[target] = from->z[slot];
        to->phi[target] = from->phi[slot];
    }
}

/* Memory of a thread for the hits of an event before the sort. */
typedef struct {
    Entry *entries;
    recobench_velo_hits hits;
} Unsorted;

/* Multiple of 64, so that what is next to it stays aligned. */
static inline uint64_t unsorted_bytes(uint64_t max_slots) {
    uint64_t bytes = sizeof(Entry) + 4 * sizeof(float) + sizeof(int16_t);
    return (max_slots * bytes + 63) / 64 * 64;
}

static inline Unsorted unsorted_in(void *memory, uint64_t max_slots) {
    Unsorted unsorted = {.entries = memory};
    unsorted.hits.ids = (uint32_t *)(unsorted.entries + max_slots);
    unsorted.hits.x = (float *)(unsorted.hits.ids + max_slots);
    unsorted.hits.y = unsorted.hits.x + max_slots;
    unsorted.hits.z = unsorted.hits.y + max_slots;
    unsorted.hits.phi = (int16_t *)(unsorted.hits.z + max_slots);
    return unsorted;
}

/* Sorts all hits of an event. */
static inline void sort_event(const Unsorted *from, const recobench_velo_hits *to,
                              const recobench_velo_pair *pairs) {
    for (int i = 0; i < PAIRS; i++) sort_pair(&from->hits, to, pairs[i], from->entries);
}

#endif
