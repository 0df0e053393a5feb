// Clusters out of their buckets, row after row, so that only what was found goes to the host.
#include "finder/buckets.h"
#include "search.h"

namespace {
constexpr u32 THREADS = 256;
}

// A thread a cluster, which looks for its bucket: rows have so different numbers that none of
// them would be right for a block. `places` has the number of the first cluster of each bucket,
// then that of all.
extern "C" __global__ void __launch_bounds__(THREADS)
    pack_clusters(const PackedCluster* clusters, const u32* begins, const u32* places, u32 buckets,
                  PackedCluster* packed) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= places[buckets]) return;
    const u32 behind = first_not(0, buckets, [&](u32 bucket) { return places[bucket] <= i; });
    const u32 bucket = behind - 1;
    packed[i] = clusters[begins[bucket] + (i - places[bucket])];
}
KERNEL_EXPORT(pack_clusters)
