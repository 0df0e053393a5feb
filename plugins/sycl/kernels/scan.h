// Prefix sums of sub-groups and of work-groups, and words moved 16 bytes at a time. As scan.h and
// words.h of the native kernels.
#pragma once
#include "device.h"

// Inclusive prefix sum over the lanes of the sub-group.
DEVICE u32 warp_inclusive_sum(Item item, u32 value) {
    return sycl::inclusive_scan_over_group(item.get_sub_group(), value, sycl::plus<u32>());
}

// Exclusive prefix sum over the work-items of the work-group; `total` is the sum over all of them.
// `warp_sums` is local memory, one word per lane. A barrier is needed before it is used again.
template <u32 THREADS> DEVICE u32 block_exclusive_sum(Item item, u32 value, u32* warp_sums, u32& total) {
    constexpr u32 WARPS = THREADS / LANES;
    static_assert(THREADS % LANES == 0 && WARPS <= LANES, "whole sub-groups, one can hold their sums");
    const u32 lane = lane_of(item);
    const u32 warp = warp_of(item);
    const u32 inclusive = warp_inclusive_sum(item, value);
    if (lane == LANES - 1) warp_sums[warp] = inclusive;
    group_barrier(item);
    const u32 others = lane < WARPS ? warp_sums[lane] : 0;
    const u32 scanned = warp_inclusive_sum(item, others);
    total = from_lane(item, scanned, WARPS - 1);
    const u32 before = from_lane(item, scanned - others, warp);
    return before + inclusive - value;
}

// Number of words before the first 16-byte boundary: 0 or 1.
DEVICE u32 misaligned_words(const void* words) { return u32(reinterpret_cast<std::uintptr_t>(words) / sizeof(u64) % 2); }

// Calls `take(index, word)` for each of `count` words, distributed over the work-items.
template <u32 THREADS, class Take> DEVICE void for_each_word(Item item, const u64* words, u32 count, Take take) {
    const u32 thread = thread_of(item);
    const u32 head = min_of(count, misaligned_words(words));
    const auto* pairs = reinterpret_cast<const sycl::ulong2*>(words + head);
    const u32 pair_count = (count - head) / 2;
    if (thread == 0 && head) take(0u, words[0]);
#pragma unroll 4
    for (u32 p = thread; p < pair_count; p += THREADS) {
        const sycl::ulong2 pair = pairs[p];
        take(head + 2 * p, u64(pair[0]));
        take(head + 2 * p + 1, u64(pair[1]));
    }
    const u32 done = head + 2 * pair_count;
    if (thread == THREADS - 1 && done < count) take(done, words[done]);
}

// Writes `make(index)` to each of `count` words, distributed over the work-items.
template <u32 THREADS, class Make> DEVICE void write_each_word(Item item, u64* words, u32 count, Make make) {
    const u32 thread = thread_of(item);
    const u32 head = min_of(count, misaligned_words(words));
    auto* pairs = reinterpret_cast<sycl::ulong2*>(words + head);
    const u32 pair_count = (count - head) / 2;
    if (thread == 0 && head) words[0] = make(0u);
#pragma unroll 4
    for (u32 p = thread; p < pair_count; p += THREADS) {
        const u64 first = make(head + 2 * p);
        const u64 second = make(head + 2 * p + 1);
        pairs[p] = sycl::ulong2(first, second);
    }
    const u32 done = head + 2 * pair_count;
    if (thread == THREADS - 1 && done < count) words[done] = make(done);
}
