// Large sides: entries are distributed to groups by time, each of which is sorted in
// shared memory.
//
// The time of a side is cut into buckets of equal lengths, and their entries are counted.
// Groups are consecutive buckets: those that begin, in the order of entries, at one
// multiple of a step or after it, but before the next multiple. So a group has fewer
// entries than a step and a bucket, however uneven times are.
#pragma once
#include "radix_rank.h"
#include "sorting.h"

// Large sides: entries are distributed to groups by time, each of which is sorted in
// shared memory.
//
// The time of a side is cut into buckets of equal lengths, and their entries are counted.
// Groups are consecutive buckets: those that begin, in the order of entries, at one
// multiple of a step or after it, but before the next multiple. So a group has fewer
// entries than a step and a bucket, however uneven times are.

namespace time_bins {
namespace {

constexpr u32 BUCKETS = 2048;
// Maximum number of groups of a side, chosen so that each has a counter in shared memory.
constexpr u32 GROUPS = 2048;
constexpr u32 MIN_STEP = FEW / 2;
// Clusters of a part, and those that a block distributes at once.
constexpr u32 PART = MANY;
constexpr u32 TILE = FEW;
constexpr u32 STEPS_OF_PART = PART / MIN_STEP;
static_assert(GROUPS <= 1u << 16, "a number of 16 bits");

// A side, and its tables if it is too large for shared memory.
struct Side {
    const TimeSort& all;
    u32 side, begin, count;

    __device__ __forceinline__ Side(u32 side, const TimeSort& all)
        : all(all), side(side), begin(all.side_offsets[side]), count(all.found[side].clusters) {}

    __device__ __forceinline__ bool is_large() const { return count > MANY; }
    __device__ __forceinline__ u32 step() const { return max(MIN_STEP, (count + GROUPS - 1) / GROUPS); }
    __device__ __forceinline__ u32 groups() const { return (count - 1) / step() + 1; }
    // Index of its first group in tables: capacities of sides are no smaller than their contents,
    // so the sides before have no more groups.
    __device__ __forceinline__ u32 first_group() const { return begin / MIN_STEP + side; }

    __device__ __forceinline__ u32* extent() const { return all.extents + 2 * side; }
    __device__ __forceinline__ u32* counts() const { return all.counts + side * BUCKETS; }
    __device__ __forceinline__ u16* group_of() const { return all.group_of + side * BUCKETS; }
    __device__ __forceinline__ Scale bucket_of() const { return Scale(extent(), BUCKETS); }
    // Its times, stored in the buffer that finally receives its entries.
    __device__ __forceinline__ u32* times() const { return reinterpret_cast<u32*>(all.entries + begin); }
};

// The side of this block, and which of its clusters are for the block.
struct BlockPart : Side {
    u32 first, end;

    __device__ __forceinline__ explicit BlockPart(const TimeSort& all) : BlockPart(all, all.parts[blockIdx.x]) {}

    __device__ __forceinline__ bool is_empty() const { return !is_large() || first >= count; }

  private:
    __device__ __forceinline__ BlockPart(const TimeSort& all, const Part& part)
        : Side(part.side, all), first(part.first), end(min(count, part.first + PART)) {}
};

// Writes where the groups begin that begin where a bucket ends.
__device__ __forceinline__ void begin_groups(const Side& side, u32 begin, u32 end) {
    const u32 step = side.step(), groups = side.groups(), table = side.first_group();
    for (u32 group = begin / step + 1; group < groups && group * step <= end; group++)
        side.all.group_offsets[table + group] = side.all.next_offsets[table + group] = end;
}

struct Distribution {
    u64 staged[TILE];
    u32 offsets[GROUPS];    // first counts of the tile; then offset of the next entry in it
    u32 distances[GROUPS];  // destination of a group minus its offset in the tile
    u32 warp_sums[LANES];
    u16 group_of[BUCKETS];
};

// Reserves ranges for a tile's entries in their groups, and turns counts into offsets of groups in
// the tile. Barriers before and after.
__device__ __forceinline__ void reserve_groups(u32* next_offsets, Distribution& shared) {
    for (u32 group = threadIdx.x; group < GROUPS; group += FEW_THREADS) {
        const u32 count = shared.offsets[group];
        shared.distances[group] = count ? atomicAdd(&next_offsets[group], count) : 0;
    }
    block_exclusive_sums<FEW_THREADS, GROUPS>(shared.offsets, shared.warp_sums);
    for (u32 group = threadIdx.x; group < GROUPS; group += FEW_THREADS)
        shared.distances[group] -= shared.offsets[group];
    __syncthreads();
}

// Moves a tile: to shared memory first, grouped, then to its destinations in one run per group.
// Barriers before and after.
__device__ __forceinline__ void distribute_tile(const u32* times, u32 first, u32 count, const Scale& bucket_of,
                                                u32* next_offsets, Entry* to, Distribution& shared) {
    u32 thread_times[ITEMS];
    const u32 left = count - min(count, u32(threadIdx.x));
    const auto has = [&](u32 i) { return i * FEW_THREADS < left; };
    for (u32 group = threadIdx.x; group < GROUPS; group += FEW_THREADS) shared.offsets[group] = 0;
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++)
        if (has(i)) thread_times[i] = (times + first + threadIdx.x)[i * FEW_THREADS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++)
        if (has(i)) atomicAdd(&shared.offsets[shared.group_of[bucket_of(thread_times[i])]], 1u);
    __syncthreads();
    reserve_groups(next_offsets, shared);
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (!has(i)) continue;
        const u32 index = atomicAdd(&shared.offsets[shared.group_of[bucket_of(thread_times[i])]], 1u);
        shared.staged[index] = key_of({thread_times[i], first + threadIdx.x + i * FEW_THREADS});
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS) {
        const Entry entry = entry_of(shared.staged[i]);
        to[shared.distances[shared.group_of[bucket_of(entry.time)]] + i] = entry;
    }
    __syncthreads();
}

}  // namespace
}  // namespace time_bins

// Sorts groups that do not fit into shared memory because many clusters have nearly the same time:
// a block per group, by radix. Each byte of the key that differs within the group takes a pass.

namespace time_bins {
namespace {

constexpr u32 DIGIT_BITS = 8;
constexpr u32 DIGITS = 1u << DIGIT_BITS;
typedef RadixRank<FEW_THREADS, ITEMS, DIGIT_BITS> OverfullRank;

struct OverfullShared {
    OverfullRank::Shared rank;
    u32 next_offsets[DIGITS];  // first counts; then the destination of each digit's next entry
    u32 starts[DIGITS];  // offsets of digits in a tile
    u32 warp_sums[LANES];
    u32 differing[2];  // bits that differ between keys, low word first
};

__device__ __forceinline__ u32 digit_of(u64 key, u32 shift) { return (u32)(key >> shift) & (DIGITS - 1); }

// Mask of the bits that differ between keys. Barriers after.
__device__ __forceinline__ u64 differing_bits(const Entry* entries, u32 count, OverfullShared& shared) {
    if (threadIdx.x < 2) shared.differing[threadIdx.x] = 0;
    __syncthreads();
    const u64 one = key_of(entries[0]);
    u64 differing = 0;
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS) differing |= key_of(entries[i]) ^ one;
    if ((u32)differing) atomicOr(&shared.differing[0], (u32)differing);
    if (differing >> 32) atomicOr(&shared.differing[1], (u32)(differing >> 32));
    __syncthreads();
    return (u64)shared.differing[1] << 32 | shared.differing[0];
}

// Finds where the entries of each digit begin. Barriers before and after.
__device__ __forceinline__ void scan_digits(const Entry* entries, u32 count, u32 shift, OverfullShared& shared) {
    if (threadIdx.x < DIGITS) shared.next_offsets[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS)
        atomicAdd(&shared.next_offsets[digit_of(key_of(entries[i]), shift)], 1u);
    __syncthreads();
    const u32 digit_count = threadIdx.x < DIGITS ? shared.next_offsets[threadIdx.x] : 0;
    u32 total;
    const u32 before = block_exclusive_sum<FEW_THREADS>(digit_count, shared.warp_sums, total);
    if (threadIdx.x < DIGITS) shared.next_offsets[threadIdx.x] = before;
    __syncthreads();
}

// Moves a tile in the order of a digit, after the tiles before it. Barriers before and after.
__device__ __forceinline__ void move_tile(const Entry* from, u32 count, u32 shift, Entry* to, OverfullShared& shared) {
    u64 keys[ITEMS];
    u32 ranks[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = OverfullRank::position(i);
        keys[i] = at < count ? key_of(from[at]) : ~0ull;
    }
    const auto digit = [&](u32 i) { return digit_of(keys[i], shift); };
    OverfullRank::rank(digit, OverfullRank::has_items(count), ranks, shared.rank, shared.starts);
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (OverfullRank::position(i) >= count) continue;
        const u32 key_digit = digit(i);
        to[shared.next_offsets[key_digit] + ranks[i] - shared.starts[key_digit]] = entry_of(keys[i]);
    }
    __syncthreads();
    // Missing elements of the last tile count as of the last digit, which has no successor.
    if (threadIdx.x < DIGITS) {
        const u32 next = threadIdx.x + 1 < DIGITS ? shared.starts[threadIdx.x + 1] : FEW;
        shared.next_offsets[threadIdx.x] += next - shared.starts[threadIdx.x];
    }
    __syncthreads();
}

// Sorts entries into `to`, and overwrites them.
__device__ __forceinline__ void sort_overfull(Entry* entries, Entry* to, u32 count, OverfullShared& shared) {
    const u64 differing = differing_bits(entries, count, shared);
    Entry *from = entries, *into = to;
    for (u32 shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (digit_of(differing, shift) == 0) continue;
        scan_digits(from, count, shift, shared);
        for (u32 first = 0; first < count; first += FEW)
            move_tile(from + first, min(FEW, count - first), shift, into, shared);
        Entry* const moved = into;
        into = from;
        from = moved;
    }
    if (from == to) return;
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS) to[i] = from[i];
}

}  // namespace
}  // namespace time_bins
