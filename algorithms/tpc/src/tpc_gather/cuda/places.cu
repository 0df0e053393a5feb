// Offsets of pieces: the exclusive scan of all numbers of clusters.
//
// A block has a tile of tracks or of rows. A first kernel sums up tiles; in a second one each block
// sums the few tiles before its own, and then scans its numbers.
//
// Shared memory: the sums of warps.
#include "scan.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 ITEMS = 8;
constexpr u32 TILE = THREADS * ITEMS;

__device__ __forceinline__ u32 tiles_of(u32 count) { return (count + TILE - 1) / TILE; }

}  // namespace

// The numbers of clusters of the thread's pieces: of tracks in the first blocks, of rows in the
// remaining ones.
struct PieceCounts {
    const u8* source;
    u32 track_counts, row_counts;  // byte offsets of these arrays
    u32 tracks, rows;

    __device__ __forceinline__ bool of_tracks() const { return blockIdx.x < tiles_of(tracks); }
    __device__ __forceinline__ u32 first_tile() const { return of_tracks() ? 0 : tiles_of(tracks); }
    __device__ __forceinline__ u32 count() const { return of_tracks() ? tracks : rows; }
    __device__ __forceinline__ u32 first() const {
        return (blockIdx.x - first_tile()) * TILE + threadIdx.x * ITEMS;
    }
    __device__ __forceinline__ u32 operator[](u32 piece) const {
        if (piece >= count()) return 0;
        if (of_tracks()) return reinterpret_cast<const u16*>(source + track_counts)[piece];
        return reinterpret_cast<const u32*>(source + row_counts)[piece];
    }
    __device__ __forceinline__ u32 sum() const {
        u32 sum = 0;
        for (u32 i = 0; i < ITEMS; i++) sum += (*this)[first() + i];
        return sum;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_sums(const __grid_constant__ PieceCounts counts, u32* sums) {
    __shared__ u32 warp_sums[LANES];
    u32 total;
    block_exclusive_sum<THREADS>(counts.sum(), warp_sums, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
KERNEL_EXPORT(gather_sums)

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_places(const __grid_constant__ PieceCounts counts, const u32* sums, u32* track_offsets, u32* row_offsets) {
    __shared__ u32 warp_sums[LANES];
    u32 before = 0, tiles_before, total;
    for (u32 tile = counts.first_tile() + threadIdx.x; tile < blockIdx.x; tile += THREADS) before += sums[tile];
    block_exclusive_sum<THREADS>(before, warp_sums, tiles_before);
    __syncthreads();
    u32 offset = tiles_before + block_exclusive_sum<THREADS>(counts.sum(), warp_sums, total);
    u32* offsets = counts.of_tracks() ? track_offsets : row_offsets;
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 piece = counts.first() + i;
        if (piece >= counts.count()) return;
        offsets[piece] = offset;
        offset += counts[piece];
        if (piece + 1 == counts.count()) offsets[piece + 1] = offset;
    }
}
KERNEL_EXPORT(gather_places)
