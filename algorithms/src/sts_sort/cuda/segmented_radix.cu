// Radix sort of each segment, least significant digit first, as CUB's
// DeviceSegmentedRadixSort does it: a block counts the digits of its segment,
// and then distributes it tile by tile, in every pass.
//
// Dynamic shared memory: a tile (32 KiB), its values if there are any (32 KiB
// more), and the counts (19 KiB with 32 lanes).
#include "segmented_radix/pass.h"

namespace {

struct SharedPairs {
    Shared keys;
    u64 values[TILE];
};

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    segmented_radix_pass(const u64* from, u64* to, const u32* begins, u32 shift, u32 bits) {
    SMEM_DYN(Shared, shared_memory);
    sort_pass<NativeAtomics>(from, to, begins, shift, bits, *shared_memory);
}
KERNEL_EXPORT(segmented_radix_pass, SegmentedRadixPass)
KERNEL_SHARED(segmented_radix_pass, Shared)

// A pass over each segment of keys that have values.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    segmented_radix_pairs_pass(const u64* keys_in, const u64* values_in, u64* keys_out, u64* values_out,
                               const u32* begins, u32 shift, u32 bits) {
    SMEM_DYN(SharedPairs, shared_memory);
    Shared& shared = shared_memory->keys;
    u64* values = shared_memory->values;
    const u32 begin = begins[blockIdx.x], count = begins[blockIdx.x + 1] - begin;
    if (count == 0) return;
    const Digit digit = digit_of(shift, bits);
    find_places<NativeAtomics>(keys_in + begin, count, digit, shared);
    for (u32 at = 0; at < count; at += TILE) {
        const u32 in_tile = min(TILE, count - at);
        u32 ranks[ITEMS];
        order_tile(keys_in + begin + at, in_tile, digit, ranks, shared);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const u32 from = Rank::position(i);
            if (from < in_tile) values[ranks[i]] = values_in[begin + at + from];
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < in_tile; i += THREADS) {
            const u64 key = shared.keys[i];
            const u32 to = begin + place_of(i, digit(key), shared);
            keys_out[to] = key;
            values_out[to] = values[i];
        }
        advance(in_tile, shared);
    }
}
KERNEL_EXPORT(segmented_radix_pairs_pass)
KERNEL_SHARED(segmented_radix_pairs_pass, SharedPairs)

// The keys of `count` digis.
extern "C" __global__ void __launch_bounds__(THREADS) segmented_radix_keys(const u64* digis, u64* keys, u32 count) {
    const u32 pair = blockIdx.x * THREADS + threadIdx.x;
    if (2 * (u64)pair + 1 < count) {
        const ulonglong2 two = reinterpret_cast<const ulonglong2*>(digis)[pair];
        ulonglong2 made;
        made.x = digi_key(two.x);
        made.y = digi_key(two.y);
        reinterpret_cast<ulonglong2*>(keys)[pair] = made;
    } else if (2 * (u64)pair < count) {
        keys[2 * pair] = digi_key(digis[2 * pair]);
    }
}
KERNEL_EXPORT(segmented_radix_keys)
