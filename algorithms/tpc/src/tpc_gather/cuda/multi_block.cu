// As published: the whole device packs into its own memory, odd blocks unattached clusters, even
// blocks all other arrays. A warp has a piece, and copies it by the widest vectors for which source
// and target have the same alignment.
#include "pieces.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;

// Copies the bytes up to the first vector of the target, the vectors, and the remaining bytes.
template <class T> __device__ __forceinline__ void copy_by(u8* to, const u8* from, u32 bytes) {
    constexpr u32 WIDTH = sizeof(T);
    const u32 lane = threadIdx.x % LANES;
    const u32 head = min(bytes, (u32)((0 - (u64)to) % WIDTH));
    const u32 vectors = (bytes - head) / WIDTH * WIDTH;
    copy_entries<u8>(to, from, head, lane, LANES);
    copy_entries<T>(to + head, from + head, vectors, lane, LANES);
    const u32 done = head + vectors;
    copy_entries<u8>(to + done, from + done, bytes - done, lane, LANES);
}

__device__ __forceinline__ void copy(u8* to, const u8* from, u32 bytes) {
    const u32 apart = (u32)((u64)to - (u64)from);
    if (apart % 16 == 0) return copy_by<uint4>(to, from, bytes);
    if (apart % 8 == 0) return copy_by<u64>(to, from, bytes);
    if (apart % 4 == 0) return copy_by<u32>(to, from, bytes);
    if (apart % 2 == 0) return copy_by<u16>(to, from, bytes);
    copy_by<u8>(to, from, bytes);
}

}  // namespace

// The number of blocks is even.
extern "C" __global__ void __launch_bounds__(THREADS)
    gather_multi_block(const u8* __restrict__ source, u8* __restrict__ target, const Array* arrays,
                       const u32* track_starts, const u32* track_offsets, const u32* row_starts,
                       const u32* row_offsets, u32 first_array, u32 end_array, u32 tracks, u32 rows) {
    const Clusters clusters{arrays, {track_starts, track_offsets, tracks}, {row_starts, row_offsets, rows}};
    const u32 warps = gridDim.x / 2 * WARPS, warp = blockIdx.x / 2 * WARPS + threadIdx.x / LANES;
    for (u32 number = first_array; number < end_array; number++) {
        const Array& array = arrays[number];
        if ((array.pieces == UNATTACHED) != (blockIdx.x % 2 == 1)) continue;
        for (u32 i = warp; i < clusters.count(array); i += warps) {
            const Piece piece = clusters.piece(array, i);
            copy(target + piece.to, source + piece.from, piece.bytes);
        }
    }
}
KERNEL_EXPORT(gather_multi_block, GatherPack)
