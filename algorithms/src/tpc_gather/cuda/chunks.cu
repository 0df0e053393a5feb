// Packs some neighbouring arrays, while those before them are on their way to the host.
//
// Vectors of the target are aligned; each is put together from the words of the source that
// it lies in, whatever the distance between both sides is. A track has about eight vectors,
// which is what a group of lanes has: so a warp copies several tracks at a time, and what
// finding a piece takes is shared by all of them. A row has hundreds, and a whole warp.
#include "pieces.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
constexpr u32 WORD = sizeof(u32), VECTOR = sizeof(uint4);
// Lanes that have a piece of a track.
constexpr u32 GROUP = 8;

// The word that begins `shift` bits above the lowest of two.
__device__ __forceinline__ u32 between(u32 low, u32 high, u32 shift) {
    return (u32)((((u64)high << 32) | low) >> shift);
}

// The vector that begins `shift` bits above the lowest of some words. Without a shift the
// fifth one is not needed, and may not be there.
__device__ __forceinline__ uint4 vector_at(const u32* words, u32 shift) {
    const u32 first = words[0], second = words[1], third = words[2], fourth = words[3];
    const u32 fifth = shift > 0 ? words[4] : 0;
    return make_uint4(between(first, second, shift), between(second, third, shift), between(third, fourth, shift),
                      between(fourth, fifth, shift));
}

// What is less than a vector at either end goes by bytes, of which others may have the rest.
__device__ __forceinline__ void copy_piece(u8* to, const u8* from, u32 bytes, u32 rank, u32 ranks) {
    const u32 head = min(bytes, (u32)((0 - (u64)to) % VECTOR));
    const u32 vectors = (bytes - head) / VECTOR, done = head + vectors * VECTOR;
    const u32 off = (u32)((u64)(from + head) % WORD);
    const u32* words = reinterpret_cast<const u32*>(from + head - off);
    uint4* targets = reinterpret_cast<uint4*>(to + head);
#pragma unroll 2
    for (u32 i = rank; i < vectors; i += ranks) targets[i] = vector_at(words + i * (VECTOR / WORD), 8 * off);
    // These are never long.
#pragma unroll 1
    for (u32 i = rank; i < head; i += ranks) to[i] = from[i];
#pragma unroll 1
    for (u32 i = done + rank; i < bytes; i += ranks) to[i] = from[i];
}

// Copies as many neighbouring pieces as a warp has lanes: each lane finds one, each group of
// lanes copies those that its lanes have found. All lanes take part.
__device__ __forceinline__ void copy_pieces(const Clusters& clusters, const Array& array, const u8* source,
                                            u8* target, u32 first) {
    const u32 lane = threadIdx.x % LANES, rank = lane % GROUP;
    Piece own = {0, 0, 0};
    if (first + lane < clusters.count(array)) own = clusters.piece(array, first + lane);
    for (u32 i = 0; i < GROUP; i++) {
        const int finder = (int)(lane - rank + i);
        const u64 from = __shfl_sync(FULL_MASK, own.from, finder), to = __shfl_sync(FULL_MASK, own.to, finder);
        const u32 bytes = __shfl_sync(FULL_MASK, own.bytes, finder);
        copy_piece(target + to, source + from, bytes, rank, GROUP);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_chunk(const u8* __restrict__ source, u8* __restrict__ target, const Array* arrays,
                 const u32* track_starts, const u32* track_places, const u32* row_starts, const u32* row_places,
                 u32 first_array, u32 end_array, u32 tracks, u32 rows) {
    const Clusters clusters{arrays, {track_starts, track_places, tracks}, {row_starts, row_places, rows}};
    const u32 warps = gridDim.x * WARPS, warp = blockIdx.x * WARPS + threadIdx.x / LANES;
    for (u32 number = first_array; number < end_array; number++) {
        const Array array = arrays[number];
        const u32 count = clusters.count(array);
        // Rows, and tiles of arrays that have no pieces.
        const bool long_pieces = array.pieces == UNATTACHED || array.pieces == WHOLE;
        if (long_pieces) {
            for (u32 i = warp; i < count; i += warps) {
                const Piece piece = clusters.piece(array, i);
                copy_piece(target + piece.to, source + piece.from, piece.bytes, threadIdx.x % LANES, LANES);
            }
        } else {
            for (u32 i = warp * LANES; i < count; i += warps * LANES) copy_pieces(clusters, array, source, target, i);
        }
    }
}
KERNEL_EXPORT(gather_chunk)
