// The hits of all modules behind each other: buckets have room that nobody used.
#include "formulas/records.h"
#include "formulas/sides.h"

namespace {

constexpr u32 THREADS = 256;
// A hit is moved 16 bytes at a time.
constexpr u32 PIECES = sizeof(Hit) / sizeof(uint4);

}  // namespace

// Moves hits from buckets that begin where `offsets` says to where `places` says, which
// has where the last one ends too. A thread a piece of a hit. The target may be on the
// device or on the host.
extern "C" __global__ void __launch_bounds__(THREADS)
    collect_buckets(const uint4* hits, const u32* offsets, const u32* places, u32 modules, uint4* flat) {
    const u64 piece = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (piece >= (u64)places[modules] * PIECES) return;
    const u32 hit = (u32)(piece / PIECES);
    const u32 module = segment_of(places, modules, hit);
    const u64 from = (u64)(offsets[module] + (hit - places[module])) * PIECES + piece % PIECES;
    flat[piece] = hits[from];
}
KERNEL_EXPORT(collect_buckets)
