// Labels of clusters, from those of the samples that were listed for each: counted, assigned
// offsets by an exclusive scan of these counts, and collected a second time to be stored, in the
// order of the experiment.
//
// A warp has a cluster, a lane a sample of it and then a label. Most clusters have no more labels
// than a warp has lanes: these stay in registers. Collecting them twice costs less than allocating
// the maximum possible number of labels.
//
// Static shared memory: a set of 2 KiB for each warp, 16 KiB with 32 lanes.
#include "fused/labels.h"
#include "look_back.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;

// The first cluster of a warp, by the ticket of its block.
PORTABLE_INLINE u32 first_cluster(u32 block) { return block * THREADS + threadIdx.x / LANES * LANES; }

}  // namespace

// Computes the index of the first label of each cluster, and the total number of labels: a warp
// counts those of a cluster for each of its lanes. Blocks take clusters by tickets, so every block
// that is waited for has started. `states`, `ticket` and `total` are 0 initially.
extern "C" __global__ void __launch_bounds__(THREADS)
    fused_count_labels(const Members* members, u32 clusters, const u32* samples, const LabelRange* ranges,
                       const u64* labels, u64* states, u32* ticket, u64* total, u32* firsts) {
    __shared__ LabelSet sets[WARPS];
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 block, before;
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);
    __syncthreads();
    u32 own = 0;
    for_each_cluster(members, first_cluster(block), clusters, [&](u32 i, u32, const Members& its) {
        const GivenLabels given(its, samples, ranges, labels);
        const u32 count = given.each_once(sets[threadIdx.x / LANES], [](u32, u64) {});
        if (threadIdx.x % LANES == i) own = count;
    });
    u32 all;
    const u32 in_block = block_exclusive_sum<THREADS>(own, warp_sums, all);
    if (threadIdx.x < LANES) {
        const u32 sum = sum_before(states, block, all);
        if (threadIdx.x == 0) before = sum;
        if (threadIdx.x == 0) atomicAdd(total, (u64)all);
    }
    __syncthreads();
    const u32 cluster = block * THREADS + threadIdx.x;
    if (cluster < clusters) firsts[cluster] = before + in_block;
}
KERNEL_EXPORT(fused_count_labels)

// Stores the labels of each cluster at their offset.
extern "C" __global__ void __launch_bounds__(THREADS)
    fused_fill_labels(const Members* members, u32 clusters, const u32* samples, const LabelRange* ranges,
                      const u64* labels, const u32* firsts, u64* filled) {
    __shared__ LabelSet sets[WARPS];
    for_each_cluster(members, first_cluster(blockIdx.x), clusters, [&](u32, u32 cluster, const Members& its) {
        const GivenLabels given(its, samples, ranges, labels);
        u64* own = filled + firsts[cluster];
        given.each_once(sets[threadIdx.x / LANES], [&](u32 index, u64 label) { own[index] = label; });
    });
}
KERNEL_EXPORT(fused_fill_labels)
