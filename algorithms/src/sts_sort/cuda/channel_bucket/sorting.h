// Sorting some buckets in shared memory.
#pragma once
#include "bins.h"
#include "common.h"

namespace {

struct Sorting {
    u64 sorted[CAPACITY];
    BucketBins buckets[BUCKETS];
    Bins bins;
};

// Digis with the time above all else: the order within a bin, whose digis have
// the same channel. No two orders are right.
__device__ __forceinline__ u64 time_first(u64 digi) { return digi << (64 - TIME_BITS) | digi >> TIME_BITS; }
__device__ __forceinline__ u64 digi_from_time_first(u64 item) { return item << TIME_BITS | item >> (64 - TIME_BITS); }

// Calls `take(item, digi, is_one)` for each of a thread's digis; what is none
// has a number too. The pairs of digis that lie aligned are read at once, what
// is left over at the ends comes last, as item SORTED_ITEMS.
template <class Take>
__device__ __forceinline__ void for_each_own(const u64* digis, u32 count, Take take) {
    const u32 head = min(count, misaligned_words(digis));
    const u32 pair_count = (count - head) / 2, done = head + 2 * pair_count;
    const ulonglong2* pairs = reinterpret_cast<const ulonglong2*>(digis + head);
    if (pair_count) {
#pragma unroll
        for (u32 item = 0; item < SORTED_ITEMS; item += 2) {
            const u32 at = threadIdx.x + item / 2 * THREADS;
            const ulonglong2 pair = __ldcg(pairs + min(at, pair_count - 1));
            take(item, (u64)pair.x, at < pair_count);
            take(item + 1, (u64)pair.y, at < pair_count);
        }
    }
    if (threadIdx.x == 0 && head) take(SORTED_ITEMS, digis[0], true);
    if (threadIdx.x == THREADS - 1 && done < count) take(SORTED_ITEMS, digis[done], true);
}

// Counts digis in their bins; `places` has the bin and the rank in it of each
// of a thread's. Returns whether a bin has too many. Barriers before and after.
template <class BucketOf>
__device__ __forceinline__ bool count_in_bins(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                              u32 (&places)[SORTED_ITEMS + 1], Sorting& shared) {
    bool is_full = false;
    for_each_own(digis, count, [&](u32 item, u64 digi, bool is_one) {
        const BucketBins bucket = shared.buckets[is_one ? bucket_of(digi) : 0];
        const u32 bin = is_one ? bin_of(digi, bucket, times) : NO_BIN;
        const u32 rank = add_to_bin(shared.bins, bin);
        is_full |= is_one && rank >= MOST_IN_BIN;
        places[item] = rank << 16 | bin;
    });
    return __syncthreads_or(is_full);
}

// Moves digis to their bins. Barriers before and after.
__device__ __forceinline__ void move_to_bins(const u64* digis, u32 count, const u32 (&places)[SORTED_ITEMS + 1],
                                             Sorting& shared) {
    if (threadIdx.x == 0) mark_first_of_bin(shared.bins, count);
    for_each_own(digis, count, [&](u32 item, u64 digi, bool is_one) {
        const u32 bin = places[item] & 0xffff, rank = places[item] >> 16;
        if (!is_one) return;
        const u32 at = start_of(shared.bins, bin) + rank;
        shared.sorted[at] = time_first(digi);
        if (rank == 0) mark_first_of_bin(shared.bins, at);
    });
    __syncthreads();
}

// Writes each digi to where it belongs: before it come those of its bin that
// are earlier.
__device__ __forceinline__ void write_in_order(u64* to, u32 count, const Sorting& shared) {
// Registers are scarce.
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        const u64 own = shared.sorted[i];
        const Range bin = bin_around(shared.bins, i);
        u32 place = bin.begin;
        if (bin.count() > 1) {
            for (u32 k = bin.begin; k < bin.end; k++) {
                const u64 other = shared.sorted[k];
                place += other < own || (other == own && k < i);
            }
        }
        to[place] = digi_from_time_first(own);
    }
}

// Sorts a range of digis whose `shared.buckets` are known, and bins clear. Where
// many have nearly the same time nothing is done; returns whether it was. `from` and
// `to` may be the same. A barrier before.
template <class BucketOf>
__device__ __forceinline__ bool sort_buckets(const u64* from, u64* to, Range range, BucketOf bucket_of,
                                             const Times& times, Sorting& shared) {
    u32 places[SORTED_ITEMS + 1];
    if (count_in_bins(from + range.begin, range.count(), bucket_of, times, places, shared)) return false;
    place_bins(shared.bins);
    move_to_bins(from + range.begin, range.count(), places, shared);
    write_in_order(to + range.begin, range.count(), shared);
    return true;
}

}  // namespace
