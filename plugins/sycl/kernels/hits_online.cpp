// launch bounds: 128, 1
#include "hits/online.h"

using namespace hits;

static_assert(HITS_ONLINE_SHAPE.threads == THREADS && HITS_ONLINE_SHAPE.local_bytes == 0, "see launch.h");

KERNEL(THREADS)
hits_online(const Cluster* clusters, const Entry* entries, const u32* side_offsets, const u32* side_begins,
            const Found* found, const Sensor* sensors, const u32* offsets, u32* counts, Hit* hits, u32 modules,
            u32 cut_kind, u32 cut_bits) {
    find_hits(THIS_ITEM, {clusters, entries, side_offsets, side_begins, found, sensors, offsets, counts, hits, modules,
                          {cut_kind, sycl::bit_cast<float>(cut_bits)}});
}
