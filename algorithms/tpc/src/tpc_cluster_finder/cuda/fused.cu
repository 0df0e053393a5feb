// nvcc: -fmad=false
// Clusters without maps of charges in memory: samples are stored in bins, as words of four bytes,
// by row and eight time bins, and a block builds a tile of a row in shared memory, finds its peaks
// and forms its clusters. Only clusters are written to memory.
//
// One in 14 cells of pads and time bins has a sample. A map has to be cleared and filled, and is
// read by each stage: 57 bytes and more for each sample. Here a sample is read twice and written
// once to be stored in its bin, and read once more: 24 bytes. In shared memory the work is
// proportional to samples, not cells; only peaks, one in twelve samples, examine cells further
// away, and other peaks by bits.
//
// A cluster depends on at most eight time bins on either side, which is a bin: tiles are
// consecutive bins in memory, and overlap by one on either side. Samples may come in any order; if
// they are in the order of time, they are stored to bins in runs, and writes of a block are
// contiguous.
//
// Dynamic shared memory: see `Strip`.
#include "scan.h"
#include "fused/clusters.h"

namespace {

constexpr u32 SCAN_THREADS = 256;

// Lists the tiles of a row that have samples, not counting the overlap. `words` are the offsets of
// its bins.
PORTABLE_INLINE void list_tiles(const u32* words, u32 bins, u32 end, u32 row, u32 bins_of_tile, Counts* counts,
                                Tile* tiles) {
    const u32 count = (bins + bins_of_tile - 1) / bins_of_tile;
    const auto begin_of = [&](u32 bin) { return bin < bins ? words[1 + bin] : end; };
    for (u32 number = threadIdx.x; number < count; number += SCAN_THREADS) {
        const u32 first = number * bins_of_tile, behind = first + bins_of_tile;
        if (begin_of(first) == begin_of(behind)) continue;
        const u32 begin = begin_of(first > 0 ? first - 1 : 0);
        tiles[atomicAdd(&counts->tiles, 1u)] = {row, number, begin, begin_of(behind + 1)};
    }
}

// Counts the samples of each bin.
PORTABLE_INLINE void count_samples(const FusedFinding& all) {
    const ThreadSamples own(all);
#pragma unroll
    for (u32 i = 0; i < BIN_ITEMS; i++) {
        const u32 bin = own.bins[i];
        const Mates mates = mates_of(bin);
        if (mates.first == threadIdx.x % LANES && bin != NONE) atomicAdd(&all.words[bin], mates.behind);
    }
}

// Computes the offset of each bin of a row, and lists the row's tiles. A block for each row.
PORTABLE_INLINE void place_bins(const FusedFinding& all) {
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 begin;
    const u32 sector = blockIdx.x / ROWS, row = blockIdx.x % ROWS;
    const u32 length = words_of_row(all.sectors[sector].time_bins);
    u32* own = all.words + all.first_words[sector] + row * length;
    u32 sum = 0, total;
    for (u32 i = threadIdx.x; i < length; i += SCAN_THREADS) sum += own[i];
    block_exclusive_sum<SCAN_THREADS>(sum, warp_sums, total);
    if (total == 0) return;
    if (threadIdx.x == 0) begin = atomicAdd(&all.counts->samples, total);
    __syncthreads();
    const u32 end = begin + total;
    u32 next = begin;
    for (u32 first = 0; first < length; first += SCAN_THREADS) {
        const u32 i = first + threadIdx.x;
        const u32 count = i < length ? own[i] : 0;
        const u32 before = block_exclusive_sum<SCAN_THREADS>(count, warp_sums, total);
        if (i < length) own[i] = next + before;
        next += total;
        __syncthreads();
    }
    list_tiles(own, length - 1, end, blockIdx.x, all.rows[row].tile_times / BIN_TIMES, all.counts, all.tiles);
}

// Stores samples in their bins.
PORTABLE_INLINE void bin_samples(const FusedFinding& all) {
    const ThreadSamples own(all);
    scatter_samples(own, all.words, [&](u32 destination, u32 i) { all.binned[destination] = own.binned[i]; });
}

// Finds the clusters of all tiles, one after the other.
PORTABLE_INLINE void find_all(const FusedFinding& all) {
    SMEM_DYN(Strip, shared);
    for_each_tile(all, *shared, [&](const Tile& tile, const Shape& shape) {
        find_clusters(*shared, shape, tile.row, all.found);
    });
}

}  // namespace

KERNEL_INSTANCE(fused_count_samples, FusedFinding, (BIN_THREADS), count_samples)
KERNEL_INSTANCE(fused_place_bins, FusedFinding, (SCAN_THREADS), place_bins)
KERNEL_INSTANCE(fused_bin_samples, FusedFinding, (BIN_THREADS), bin_samples)
KERNEL_INSTANCE(fused_find_clusters, FusedFinding, (FIND_THREADS, FIND_BLOCKS), find_all)
KERNEL_SHARED(fused_find_clusters, Strip)
