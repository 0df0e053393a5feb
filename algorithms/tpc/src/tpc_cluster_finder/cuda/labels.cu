// Labels of clusters, from those of the samples that were listed for each: counted, assigned
// offsets by an exclusive scan of these counts, and collected a second time to be stored, in the
// order of the experiment.
//
// A warp has a cluster, a lane a sample of it and then a label. Most clusters have no more labels
// than a warp has lanes: these stay in registers. Collecting them twice costs less than allocating
// the maximum possible number of labels.
//
// Static shared memory: a set of 2 KiB for each warp, 16 KiB with 32 lanes.
#include "scan.h"
#include "fused/bins.h"

namespace cluster_finder {

// Arguments of collecting the labels of clusters. States, ticket and total are 0 initially.
struct LabelCollection {
    const Members* members;
    // Samples of all clusters, as indices in bins.
    const u32* samples;
    const LabelRange* ranges;
    const u64* labels;
    u64* states;
    u32* ticket;
    u64* total;
    // The index of the first label of each cluster.
    u32* firsts;
    u64* filled;
    u32 clusters;
};

}  // namespace cluster_finder

namespace {

// The bits of a label that count in comparisons: of equal labels the first is kept.
constexpr u64 COUNTED = 0x03ffffffffffffff;
// Invalid label in all bits that count.
constexpr u64 NO_LABEL = 0xffffffffffffffff;
// Slots of a set, indexed by a hash of SLOT_BITS bits, and its maximum number of labels: with more,
// probe sequences get long.
constexpr u32 SLOT_BITS = 8;
constexpr u32 SLOTS = 1 << SLOT_BITS;
constexpr u32 MAX_IN_SET = 192;
static_assert(LANES >= MAX_MEMBERS, "a lane a sample");

// Set of labels of a warp, in shared memory: open addressing, each in the first free slot from its
// hash on.
struct LabelSet {
    u64 slots[SLOTS];

    __device__ __forceinline__ void clear() {
        __syncwarp();
        for (u32 i = threadIdx.x % LANES; i < SLOTS; i += LANES) slots[i] = NO_LABEL;
        __syncwarp();
    }

    // Returns true if a label is new. Lanes add distinct labels, so that their order doesn't
    // matter.
    __device__ __forceinline__ bool add(u64 label) {
        u32 slot = (u32)(label * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS));
        while (true) {
            const u64 other = atomicCAS(&slots[slot], NO_LABEL, label);
            if (other == NO_LABEL || other == label) return other == NO_LABEL;
            slot = (slot + 1) % SLOTS;
        }
    }
};

// The concatenated labels of all samples of a cluster. Each lane has a sample.
struct GivenLabels {
    const u64* labels;
    u32 end;    // end offset of the labels of the samples up to the lane's
    u32 shift;  // added to the index of a label of that sample among these to get that among all labels
    u32 count;

    __device__ __forceinline__ GivenLabels(const Members& members, const LabelCollection& all) : labels(all.labels) {
        const u32 lane = threadIdx.x % LANES;
        LabelRange own = {0, 0};
        if (lane < members.count) own = all.ranges[all.samples[members.first + lane]];
        end = warp_inclusive_sum(own.count);
        shift = own.first - (end - own.count);
        count = __shfl_sync(FULL_MASK, end, LANES - 1);
    }

    // The label with this index; none past the last one. All lanes take part: they hold the end
    // offsets of the labels of each sample, which are searched for the sample.
    __device__ __forceinline__ u64 label(u32 number) const {
        u32 sample = 0;
#pragma unroll
        for (u32 step = LANES / 2; step > 0; step /= 2) {
            if (__shfl_sync(FULL_MASK, end, (int)(sample + step - 1)) <= number) sample += step;
        }
        const u32 index = number + __shfl_sync(FULL_MASK, shift, (int)sample);
        return number < count ? labels[index] : NO_LABEL;
    }

    // Returns true if a lane's label is equal to one before `end`, a multiple of the number of
    // lanes: it is compared with each of them.
    __device__ __forceinline__ bool is_before(u32 end, u64 counted) const {
        bool is_there = false;
        for (u32 first = 0; first < end; first += LANES) {
            const u64 other = label(first + threadIdx.x % LANES) & COUNTED;
            for (u32 lane = 0; lane < LANES; lane++) is_there |= __shfl_sync(FULL_MASK, other, (int)lane) == counted;
        }
        return is_there;
    }

    // Calls `put(index, label)` for each distinct label, in order, and returns their count. A batch
    // has a label for each lane; usually there is only one batch. Equal labels in a batch are found
    // by a vote. Those of earlier batches are in the set, or, if it is full, are compared again.
    template <class Put> __device__ __forceinline__ u32 each_once(LabelSet& set, Put put) const {
        const u32 lane = threadIdx.x % LANES;
        const bool is_long = count > LANES;
        if (is_long) set.clear();
        u32 found = 0;
        for (u32 first = 0; first < count; first += LANES) {
            const bool is_label = first + lane < count;
            const u64 own = label(first + lane), counted = is_label ? own & COUNTED : NO_LABEL;
            const lanemask_t equals = __match_any_sync(FULL_MASK, counted);
            bool is_new = is_label && (u32)ffs(equals) - 1 == lane;
            if (is_long && found + LANES <= MAX_IN_SET) {
                is_new = is_new && set.add(counted);
            } else if (is_long) {
                is_new = !is_before(first, counted) && is_new;
            }
            const lanemask_t all_new = __ballot_sync(FULL_MASK, is_new);
            if (is_new) put(found + (u32)popc(all_new & lanemask_lt(lane)), own);
            found += (u32)popc(all_new);
        }
        return found;
    }
};

// Calls `take(i, cluster, members)` for the clusters of a warp, of which each lane has one, one
// after the other: its lane, its index from `first` on, and its samples.
template <class Take>
PORTABLE_INLINE void for_each_cluster(const Members* members, u32 first, u32 clusters, Take take) {
    const u32 own = first + threadIdx.x % LANES;
    Members of_own = {0, 0};
    if (own < clusters) of_own = members[own];
#pragma unroll 1
    for (u32 i = 0; i < LANES && first + i < clusters; i++) {
        const u32 its_first = __shfl_sync(FULL_MASK, of_own.first, (int)i);
        const u32 its_count = __shfl_sync(FULL_MASK, of_own.count, (int)i);
        take(i, first + i, Members{its_first, its_count});
    }
}

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;

// The first cluster of a warp, by the ticket of its block.
PORTABLE_INLINE u32 first_cluster(u32 block) { return block * THREADS + threadIdx.x / LANES * LANES; }

// Computes the index of the first label of each cluster, and the total number of labels: a warp
// counts those of a cluster for each of its lanes. Blocks take clusters by tickets, so every block
// that is waited for has started.
PORTABLE_INLINE void count_labels(const LabelCollection& all) {
    __shared__ LabelSet sets[WARPS];
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 block, before;
    if (threadIdx.x == 0) block = atomicAdd(all.ticket, 1u);
    __syncthreads();
    u32 own = 0;
    for_each_cluster(all.members, first_cluster(block), all.clusters, [&](u32 i, u32, const Members& its) {
        const GivenLabels given(its, all);
        const u32 count = given.each_once(sets[threadIdx.x / LANES], [](u32, u64) {});
        if (threadIdx.x % LANES == i) own = count;
    });
    u32 of_block;
    const u32 in_block = block_exclusive_sum<THREADS>(own, warp_sums, of_block);
    if (threadIdx.x < LANES) {
        const u32 sum = sum_before(all.states, block, of_block);
        if (threadIdx.x == 0) before = sum;
        if (threadIdx.x == 0) atomicAdd(all.total, (u64)of_block);
    }
    __syncthreads();
    const u32 cluster = block * THREADS + threadIdx.x;
    if (cluster < all.clusters) all.firsts[cluster] = before + in_block;
}

// Stores the labels of each cluster at their offset.
PORTABLE_INLINE void fill_labels(const LabelCollection& all) {
    __shared__ LabelSet sets[WARPS];
    for_each_cluster(all.members, first_cluster(blockIdx.x), all.clusters, [&](u32, u32 cluster, const Members& its) {
        const GivenLabels given(its, all);
        u64* own = all.filled + all.firsts[cluster];
        given.each_once(sets[threadIdx.x / LANES], [&](u32 index, u64 label) { own[index] = label; });
    });
}

}  // namespace

KERNEL_INSTANCE(fused_count_labels, LabelCollection, (THREADS), count_labels)
KERNEL_INSTANCE(fused_fill_labels, LabelCollection, (THREADS), fill_labels)
