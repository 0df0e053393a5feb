// Packs clusters of buckets, row after row, so that only existing clusters are copied to the host.
#include "finder/cluster.h"
#include "scan.h"

namespace {
constexpr u32 THREADS = 256;
}

// A thread for each cluster, which searches for its bucket: the numbers of clusters of rows differ
// too much for a fixed number of blocks a row. `packed_offsets` has the offset of the clusters of
// each bucket, then the total.
extern "C" __global__ void __launch_bounds__(THREADS)
    pack_clusters(const PackedCluster* clusters, const u32* bucket_offsets, const u32* packed_offsets, u32 buckets,
                  PackedCluster* packed) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= packed_offsets[buckets]) return;
    const u32 behind = lower_bound(0, buckets, [&](u32 bucket) { return packed_offsets[bucket] <= i; });
    const u32 bucket = behind - 1;
    packed[i] = clusters[bucket_offsets[bucket] + (i - packed_offsets[bucket])];
}
KERNEL_EXPORT(pack_clusters)
