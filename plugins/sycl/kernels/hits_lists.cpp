#include "hits/prepare.h"

using namespace hits;

static_assert(HITS_LISTS_SHAPE.threads == PREPARE_THREADS && HITS_LISTS_SHAPE.local_bytes == 0, "see launch.h");

KERNEL(PREPARE_THREADS)
hits_entries(const Cluster* clusters, const u32* side_begins, const u32* side_offsets, Entry* entries, Found* found) {
    const u32 side = group_of(THIS_ITEM);
    const u32 begin = side_offsets[side];
    make_entries(THIS_ITEM, clusters + side_begins[side], side_offsets[side + 1] - begin, entries + begin, found[side]);
}

KERNEL(PREPARE_THREADS)
hits_clear(u32* counts, u32 modules) {
    const u32 module = index_of(THIS_ITEM);
    if (module < modules) counts[module] = 0;
}

// Describes the buckets as lists.
KERNEL(PREPARE_THREADS)
hits_lists(const u32* offsets, const u32* counts, u32 modules, u64* list_begins, u64* list_counts) {
    const u32 module = index_of(THIS_ITEM);
    if (module >= modules) return;
    list_begins[module] = offsets[module];
    list_counts[module] = counts[module];
}
