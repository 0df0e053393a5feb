// Sums over the bits of clusters and hits where a chain has left them: `Digest` on the host.
#include "formulas/records.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;

// The constants of `item_sum` and `segment_salt` on the host.
constexpr u32 WORD_STEP = 0x9E3779B9;
constexpr u64 ITEM_MULTIPLIER = 0x9E3779B97F4A7C15;
constexpr u64 SEGMENT_MULTIPLIER = 0xD1B54A32D192ED03;

// Kinds of items; segments of different kinds have different salts.
constexpr u32 CLUSTERS = 0, HITS = 1;

__device__ __forceinline__ u64 segment_salt(u32 kind, u32 segment) {
    return (2 * (u64)segment + kind + 1) * SEGMENT_MULTIPLIER;
}

// Number of an item, which its bits and its segment decide. It is read as whole vectors.
template <class Vector, class Item>
__device__ __forceinline__ u64 item_sum(const Item* item, u64 salt) {
    constexpr u32 VECTORS = sizeof(Item) / sizeof(Vector), WORDS_OF_VECTOR = sizeof(Vector) / sizeof(u32);
    static_assert(sizeof(Item) % sizeof(Vector) == 0 && WORDS_OF_VECTOR % 2 == 0, "words are multiplied in pairs");
    u64 sum = salt;
#pragma unroll
    for (u32 i = 0; i < VECTORS; i++) {
        const Vector vector = reinterpret_cast<const Vector*>(item)[i];
        u32 words[WORDS_OF_VECTOR];
        memcpy(words, &vector, sizeof(Vector));
#pragma unroll
        for (u32 j = 0; j < WORDS_OF_VECTOR; j += 2) {
            const u32 key = i * WORDS_OF_VECTOR + j + 1;
            sum += (u64)(words[j] + key * WORD_STEP) * (words[j + 1] + (key + 1) * WORD_STEP);
        }
    }
    sum *= ITEM_MULTIPLIER;
    return sum ^ sum >> 32;
}

// Sum over the threads of a block, returned to its first thread.
__device__ __forceinline__ u64 block_sum(u64 value) {
    __shared__ u64 sums[WARPS];
    for (u32 distance = LANES / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(FULL_MASK, value, (int)distance);
    if (threadIdx.x % LANES == 0) sums[threadIdx.x / LANES] = value;
    __syncthreads();
    if (threadIdx.x != 0) return 0;
    for (u32 warp = 1; warp < WARPS; warp++) value += sums[warp];
    return value;
}

// Selected segments: every `stride`-th from `first` on.
__device__ __forceinline__ u32 selected(u32 segments, u32 first, u32 stride) {
    return first < segments ? (segments - first - 1) / stride + 1 : 0;
}

}  // namespace

// Sums the clusters of selected sides, in order of their entries, and the hits of selected modules,
// whose offsets are `hit_offsets`. `parts` blocks share a segment; each writes one sum to `sums`.
extern "C" __global__ void __launch_bounds__(THREADS)
    digest_output(const Cluster* clusters, const Entry* entries, const u32* side_offsets, const Found* found, u32 sides,
                  const Hit* hits, const u32* hit_offsets, u32 modules, u32 first, u32 stride, u32 parts, u64* sums) {
    const u32 slot = blockIdx.x / parts, part = blockIdx.x % parts;
    const u32 selected_sides = selected(sides, first, stride);
    const u32 thread = part * THREADS + threadIdx.x, step = parts * THREADS;
    u64 sum = 0;
    if (slot < selected_sides) {
        const u32 side = first + slot * stride, begin = side_offsets[side], capacity = side_offsets[side + 1] - begin;
        const u32 count = min(found[side].clusters, capacity);
        const u64 salt = segment_salt(CLUSTERS, side);
        for (u32 i = thread; i < count; i += step) {
            // A wrong entry changes the sum and reads nothing of others.
            const u32 index = entries[begin + i].index;
            if (index < capacity) sum += item_sum<uint2>(clusters + begin + index, salt);
        }
    } else if (slot - selected_sides < selected(modules, first, stride)) {
        const u32 module = first + (slot - selected_sides) * stride;
        const u64 salt = segment_salt(HITS, module);
        for (u32 i = hit_offsets[module] + thread; i < hit_offsets[module + 1]; i += step)
            sum += item_sum<uint4>(hits + i, salt);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
KERNEL_EXPORT(digest_output)
