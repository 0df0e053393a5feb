// nvcc: -fmad=false
// Clusters without maps, for samples with labels: as in fused.cu, but the label range of a sample
// is stored when it is binned, and the samples that give their labels to a cluster are listed while
// all of them are in shared memory. labels.cu collects the labels.
//
// Labels are read at random, at least 32 bytes for each sample, with high latency. With shared
// memory full of charges there would be too few warps to hide it.
//
// Dynamic shared memory: see `Strip`.
#include "scan.h"
#include "fused/clusters.h"

namespace {

// Calls `take(a, b)` for the cells whose bits are set in `left`, in the order in which labels are
// collected: the peak, its neighbours, then the outer ring.
template <class Take> PORTABLE_INLINE void for_each_cell(u32 left, Take take) {
    const auto give = [&](i32 a, i32 b) {
        if (left & cell_bit(a, b)) take(a, b);
    };
    give(0, 0);
#pragma unroll
    for (i32 i = 0; i < 9; i++) {
        if (i != 4) give(i / 3 - 1, i % 3 - 1);
    }
#pragma unroll
    for (i32 i = 0; i < 9; i++) {
        const i32 a = i / 3 - 1, b = i % 3 - 1;
        const bool is_corner = a != 0 && b != 0;
        if (is_corner) give(2 * a, b);
        if (i != 4) give(2 * a, 2 * b);
        if (is_corner) give(a, 2 * b);
    }
}

// Lists the samples of the clusters that some lanes of a warp have: those of the cells around `at`
// whose bits are set in `left`, none for lanes without a cluster. All lanes take part. Samples
// beyond the capacity are counted but not stored.
PORTABLE_INLINE void list_members(const u16* at, i32 stride, u32 first_sample, u32 left, u32 index,
                                  const MemberLists& to) {
    const u32 count = (u32)__popc(left), up_to = warp_inclusive_sum(count);
    u64 before = 0;
    if (threadIdx.x % LANES == LANES - 1 && up_to > 0) before = atomicAdd(to.total, (u64)up_to);
    const u64 first = __shfl_sync(FULL_MASK, before, LANES - 1) + up_to - count;
    if (count == 0 || first + count > to.max_samples) return;
    to.of_clusters[index] = {(u32)first, count};
    u32* next = to.samples + first;
    for_each_cell(left, [&](i32 a, i32 b) { *next++ = first_sample + at[a * stride + b]; });
}

// Replaces the charge of each sample of a tile by the sample's index, once the charges are no
// longer needed.
PORTABLE_INLINE void number_samples(Strip& strip, const u32* binned, const Tile& tile, const Shape& shape) {
    for (u32 number = tile.begin + threadIdx.x; number < tile.end; number += FIND_THREADS) {
        const BinnedSample sample(binned[number], shape);
        entries(strip)[shape.cell(sample.pad, sample.time)] = (u16)(number - tile.begin);
    }
}

// Restores the charges. Barriers before and after are included.
PORTABLE_INLINE void refill(Strip& strip, const u32* binned, const Tile& tile, const Shape& shape) {
    Batch first;
    first.load(binned, tile.begin, tile.end, shape.no_sample());
    __syncthreads();
    fill(strip, binned, tile, shape, first);
    __syncthreads();
}

// Adds the clusters around all remaining peaks of the tile, with their samples. Indices of samples
// replace charges, so that a strip is no larger than without them. In most tiles each peak has its
// own thread; if there are more peaks than threads, charges are restored for the remaining ones.
PORTABLE_INLINE void find_labelled(Strip& strip, const u32* binned, const Tile& tile, const Shape& shape,
                                   const FoundClusters& found, const MemberLists& members) {
#pragma unroll 1
    for (u32 first = 0; first < strip.own; first += FIND_THREADS) {
        if (first > 0) refill(strip, binned, tile, shape);
        const u32 i = first + threadIdx.x;
        const u32 peak = i < strip.own ? strip.peaks[i] : NOISE;
        PackedCluster cluster;
        u32 left = 0;
        const bool is_found = !(peak & NOISE) && form_cluster(strip, shape, peak, cluster, left);
        const u32 index = add_clusters(found, tile.row, is_found, cluster);
        const bool is_listed = is_found && index < found.max_clusters;
        __syncthreads();
        number_samples(strip, binned, tile, shape);
        __syncthreads();
        const u16* at = entries(strip) + (peak & ~NOISE);
        list_members(at, (i32)shape.stride, tile.begin, is_listed ? left : 0, index, members);
    }
}

// Stores samples in their bins, with the label range of each.
PORTABLE_INLINE void bin_labelled(const FusedFinding& all) {
    const ThreadSamples own(all);
    scatter_samples(own, all.words, [&](u32 destination, u32 i) {
        const u32* first = all.first_labels + own.number(i);
        all.binned[destination] = own.binned[i];
        all.ranges[destination] = {first[0], first[1] - first[0]};
    });
}

// Finds the clusters of all tiles, and lists the samples of each.
PORTABLE_INLINE void find_all_labelled(const FusedFinding& all) {
    SMEM_DYN(Strip, shared);
    for_each_tile(all, *shared, [&](const Tile& tile, const Shape& shape) {
        find_labelled(*shared, all.binned, tile, shape, all.found, all.members);
    });
}

}  // namespace

KERNEL_INSTANCE(fused_bin_labelled, FusedFinding, (BIN_THREADS), bin_labelled)
KERNEL_INSTANCE(fused_find_labelled, FusedFinding, (FIND_THREADS, FIND_BLOCKS), find_all_labelled)
KERNEL_SHARED(fused_find_labelled, Strip)
