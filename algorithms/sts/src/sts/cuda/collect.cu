// Copies the hits of all modules to a contiguous array; buckets have unused capacity.
#include "formulas/records.h"

namespace {

constexpr u32 THREADS = 256;
// A hit is moved 16 bytes at a time.
constexpr u32 PIECES = sizeof(Hit) / sizeof(uint4);
// Pieces per thread, whose loads are in flight together.
constexpr u32 PIECES_OF_THREAD = 4;
constexpr u32 PIECES_OF_BLOCK = THREADS * PIECES_OF_THREAD;
static_assert(PIECES_OF_BLOCK % LANES == 0, "whole warps");

}  // namespace

// Moves hits from buckets, whose offsets are `bucket_offsets`, to a contiguous array with the
// offsets `hit_offsets`, which include the end of the last module. A block moves a fixed number of
// pieces of hits. The target may be on the device or on the host.
extern "C" __global__ void __launch_bounds__(THREADS)
    collect_buckets(const uint4* hits, const u32* bucket_offsets, const u32* hit_offsets, u32 modules, uint4* flat) {
    const u64 first = (u64)blockIdx.x * PIECES_OF_BLOCK, end = (u64)hit_offsets[modules] * PIECES;
    // Module of the block's first piece; those of the other pieces are the same or shortly after
    // it.
    u32 module = warp_segment_of(hit_offsets, modules, (u32)(first / PIECES));
    uint4 pieces[PIECES_OF_THREAD];
#pragma unroll
    for (u32 i = 0; i < PIECES_OF_THREAD; i++) {
        const u64 piece = first + i * THREADS + threadIdx.x;
        if (piece >= end) break;
        const u32 hit = (u32)(piece / PIECES);
        while (hit_offsets[module + 1] <= hit) module++;
        pieces[i] = hits[(u64)(bucket_offsets[module] + (hit - hit_offsets[module])) * PIECES + piece % PIECES];
    }
#pragma unroll
    for (u32 i = 0; i < PIECES_OF_THREAD; i++) {
        const u64 piece = first + i * THREADS + threadIdx.x;
        if (piece < end) flat[piece] = pieces[i];
    }
}
KERNEL_EXPORT(collect_buckets)
