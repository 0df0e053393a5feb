// As published: very few blocks write pieces to the host, entry by entry, so that the other
// multiprocessors are free for other kernels.
#include "pieces.h"

namespace {

constexpr u32 THREADS = 1024;

__device__ __forceinline__ void copy(u8* to, const u8* from, u32 bytes, u32 width) {
    const u32 lane = threadIdx.x % LANES;
    if (width == 1) copy_entries<u8>(to, from, bytes, lane, LANES);
    if (width == 2) copy_entries<u16>(to, from, bytes, lane, LANES);
    if (width == 4) copy_entries<u32>(to, from, bytes, lane, LANES);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_dma(const u8* __restrict__ source, u8* __restrict__ target, const Array* arrays, const u32* track_starts,
               const u32* track_offsets, const u32* row_starts, const u32* row_offsets, u32 first_array, u32 end_array,
               u32 tracks, u32 rows) {
    const Clusters clusters{arrays, {track_starts, track_offsets, tracks}, {row_starts, row_offsets, rows}};
    const u32 warps = gridDim.x * THREADS / LANES;
    const u32 warp = (blockIdx.x * THREADS + threadIdx.x) / LANES;
    for (u32 number = first_array; number < end_array; number++) {
        const Array& array = arrays[number];
        for (u32 i = warp; i < clusters.count(array); i += warps) {
            const Piece piece = clusters.piece(array, i);
            copy(target + piece.to, source + piece.from, piece.bytes, array.width);
        }
    }
}
KERNEL_EXPORT(gather_dma, GatherPack)
