// As published: very few blocks write to the host, in full bursts of 128 bytes by vectors of 16. A
// warp has consecutive pieces, and collects them in shared memory until a burst is full.
//
// Shared memory: a burst for each warp.
#include "pieces.h"

namespace {

constexpr u32 THREADS = 1024;
constexpr u32 WARPS = THREADS / LANES;
constexpr u32 BURST = 128;
constexpr u32 VECTORS = BURST / sizeof(uint4);

// A burst of aligned bytes that are sent to memory of the host.
struct Burst {
    u8* bytes;   // in shared memory, aligned to vectors
    u8* to;      // aligned to a burst
    u32 begin;   // the first byte of it that belongs to the warp
    u32 filled;  // end of the bytes that are filled

    __device__ __forceinline__ Burst(u8* shared, u8* target)
        : bytes(shared), begin((u32)((u64)target % BURST)), filled(begin) {
        to = target - begin;
    }

    // Appends entries; all lanes take part.
    template <class T> __device__ __forceinline__ void append(const u8* from, u32 length) {
        while (length > 0) {
            const u32 fitting = min(length, BURST - filled);
            copy_entries<T>(bytes + filled, from, fitting, threadIdx.x % LANES, LANES);
            filled += fitting;
            from += fitting;
            length -= fitting;
            if (filled == BURST) leave();
        }
    }

    // Stores the burst: with one vector store, or by single bytes if it contains bytes of other
    // warps.
    __device__ __forceinline__ void leave() {
        const u32 lane = threadIdx.x % LANES;
        __syncwarp();
        if (begin == 0 && filled == BURST) {
            for (u32 i = lane; i < VECTORS; i += LANES)
                reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(bytes)[i];
        } else {
            for (u32 i = begin + lane; i < filled; i += LANES) to[i] = bytes[i];
        }
        __syncwarp();
        to += BURST;
        begin = filled = 0;
    }
};

template <class T>
__device__ __forceinline__ void gather(const Clusters& clusters, const Array& array, const u8* source, u8* target,
                                       u8* shared) {
    const u32 warps = gridDim.x * WARPS, warp = blockIdx.x * WARPS + threadIdx.x / LANES;
    const u32 count = clusters.count(array);
    const u32 first = (u32)((u64)count * warp / warps), end = (u32)((u64)count * (warp + 1) / warps);
    if (first == end) return;
    Burst burst(shared, target + clusters.piece(array, first).to);
    for (u32 i = first; i < end; i++) {
        const Piece piece = clusters.piece(array, i);
        burst.append<T>(source + piece.from, piece.bytes);
    }
    burst.leave();
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_dma_buffered(const u8* __restrict__ source, u8* __restrict__ target, const Array* arrays,
                        const u32* track_starts, const u32* track_offsets, const u32* row_starts,
                        const u32* row_offsets, u32 first_array, u32 end_array, u32 tracks, u32 rows) {
    __shared__ uint4 bursts[WARPS][VECTORS];
    const Clusters clusters{arrays, {track_starts, track_offsets, tracks}, {row_starts, row_offsets, rows}};
    u8* own = reinterpret_cast<u8*>(bursts[threadIdx.x / LANES]);
    for (u32 number = first_array; number < end_array; number++) {
        const Array array = arrays[number];
        if (array.width == 1) gather<u8>(clusters, array, source, target, own);
        if (array.width == 2) gather<u16>(clusters, array, source, target, own);
        if (array.width == 4) gather<u32>(clusters, array, source, target, own);
    }
}
KERNEL_EXPORT(gather_dma_buffered, GatherPack)
