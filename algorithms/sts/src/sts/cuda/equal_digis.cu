// Sorts digis of the same channel and time by charge, so that the result does not depend on the
// order of arrival, which the published sort leaves.
//
// A thread per digi, which finds its rank among the digis equal to it. There are hardly any: nearly
// all digis are copied to the same index.
#include "digi.h"
#include "formulas/records.h"

namespace {

constexpr u32 THREADS = 256;

// Distances that a digi moves among its equals: how many equal digis before its index are larger,
// and how many after it are smaller.
struct Moves {
    u32 behind, before;
};

__device__ __forceinline__ Moves moves_of(const u64* digis, u32 begin, u32 end, u32 index) {
    const u64 digi = digis[index], key = digi_key(digi);
    Moves moves = {0, 0};
    for (u32 other = index; other > begin && digi_key(digis[other - 1]) == key; other--)
        moves.before += digi_charge(digis[other - 1]) > digi_charge(digi);
    for (u32 other = index + 1; other < end && digi_key(digis[other]) == key; other++)
        moves.behind += digi_charge(digis[other]) < digi_charge(digi);
    return moves;
}

__device__ __forceinline__ bool has_equal(const u64* digis, u32 count, u32 index) {
    const u64 key = digi_key(digis[index]);
    return (index > 0 && digi_key(digis[index - 1]) == key) || (index + 1 < count && digi_key(digis[index + 1]) == key);
}

}  // namespace

// Copies the digis of all sides, sorted by channel and time, in that order. A thread per digi.
extern "C" __global__ void __launch_bounds__(THREADS)
    order_equal_digis(const u64* digis, const u32* side_offsets, u32 sides, u64* to) {
    const u32 index = blockIdx.x * THREADS + threadIdx.x, count = side_offsets[sides];
    if (index >= count) return;
    u32 target = index;
    if (has_equal(digis, count, index)) {
        const u32 side = segment_of(side_offsets, sides, index);
        const Moves moves = moves_of(digis, side_offsets[side], side_offsets[side + 1], index);
        target = index + moves.behind - moves.before;
    }
    to[target] = digis[index];
}
KERNEL_EXPORT(order_equal_digis)
