// Sorting some buckets in shared memory.
#pragma once
#include "bins.h"
#include "common.h"

namespace {

struct Sorting {
    u64 sorted[CAPACITY];
    union {
        BucketBins buckets[BUCKETS];  // until all digis are counted
        u16 arrivals[CAPACITY];       // then the place of each digi among those that came, if that is kept
    };
    Bins bins;
    u32 sum_of_places;  // of digis that were written
};

// Digis with the time above all else: the order within a bin, whose digis have
// the same channel.
__device__ __forceinline__ u64 time_first(u64 digi) { return digi << (64 - TIME_BITS) | digi >> TIME_BITS; }
__device__ __forceinline__ u64 digi_from_time_first(u64 item) { return item << TIME_BITS | item >> (64 - TIME_BITS); }

// Calls `take(item, at, digi, is_one)` for each of a thread's digis, with its place among all; what is
// none has a number too. The pairs of digis that lie aligned are read at once, what
// is left over at the ends comes last, as item SORTED_ITEMS.
template <class Take>
__device__ __forceinline__ void for_each_own(const u64* digis, u32 count, Take take) {
    const u32 head = min(count, misaligned_words(digis));
    const u32 pair_count = (count - head) / 2, done = head + 2 * pair_count;
    const ulonglong2* pairs = reinterpret_cast<const ulonglong2*>(digis + head);
    if (pair_count) {
#pragma unroll
        for (u32 item = 0; item < SORTED_ITEMS; item += 2) {
            const u32 number = threadIdx.x + item / 2 * THREADS;
            const ulonglong2 pair = __ldcg(pairs + min(number, pair_count - 1));
            take(item, head + 2 * number, (u64)pair.x, number < pair_count);
            take(item + 1, head + 2 * number + 1, (u64)pair.y, number < pair_count);
        }
    }
    if (threadIdx.x == 0 && head) take(SORTED_ITEMS, 0u, digis[0], true);
    if (threadIdx.x == THREADS - 1 && done < count) take(SORTED_ITEMS, done, digis[done], true);
}

// Counts digis in their bins; `places` has the bin and the rank in it of each
// of a thread's. Returns whether a bin has too many. Barriers before and after.
template <class BucketOf>
__device__ __forceinline__ bool count_in_bins(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                              u32 (&places)[SORTED_ITEMS + 1], Sorting& shared) {
    bool is_full = false;
    for_each_own(digis, count, [&](u32 item, u32, u64 digi, bool is_one) {
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
    if (threadIdx.x == 0) {
        mark_first_of_bin(shared.bins, count);
        shared.sum_of_places = 0;
    }
    for_each_own(digis, count, [&](u32 item, u32 at, u64 digi, bool is_one) {
        const u32 bin = places[item] & 0xffff, rank = places[item] >> 16;
        if (!is_one) return;
        const u32 to = start_of(shared.bins, bin) + rank;
        shared.sorted[to] = time_first(digi);
        if (KEEPS_ARRIVAL) shared.arrivals[to] = (u16)at;
        if (rank == 0) mark_first_of_bin(shared.bins, to);
    });
    __syncthreads();
}

// Digis of a bin, this one among them, that are not later than this one.
__device__ __forceinline__ u32 not_later(u64 own, Range bin, const Sorting& shared) {
    // The time is in the upper word, above a bit that does not count.
    const u32* uppers = reinterpret_cast<const u32*>(shared.sorted) + 1;
    const u32 last = (u32)(own >> 32) | 1;
    u32 count = 0;
// Bins have few.
#pragma unroll 1
    for (u32 k = bin.begin; k < bin.end; k++) count += uppers[2 * k] <= last;
    return count;
}

// Whether one digi of a bin belongs before another: the earlier one, and if there is none the one that
// arrived first, or that has smaller other bits.
__device__ __forceinline__ bool belongs_before(u32 one, u32 other, const Sorting& shared) {
    const u64 own = shared.sorted[one], others = shared.sorted[other];
    if (!KEEPS_ARRIVAL) return own < others || (own == others && one < other);
    const u32 time = (u32)(own >> (64 - TIME_BITS)), others_time = (u32)(others >> (64 - TIME_BITS));
    return time < others_time || (time == others_time && shared.arrivals[one] < shared.arrivals[other]);
}

__device__ __forceinline__ u32 before_in_bin(u32 i, Range bin, const Sorting& shared) {
    u32 count = 0;
#pragma unroll 1
    for (u32 k = bin.begin; k < bin.end; k++) count += belongs_before(k, i, shared);
    return count;
}

// Writes each digi to the place that `place_of` says; returns the sum of a thread's places.
template <class PlaceOf>
__device__ __forceinline__ u32 write_to_places(u64* to, u32 count, PlaceOf place_of, const Sorting& shared) {
    u32 sum = 0;
// Registers are scarce.
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        const u64 own = shared.sorted[i];
        const Range bin = bin_around(shared.bins, i);
        const u32 place = bin.count() > 1 ? bin.begin + place_of(i, own, bin) : i;
        to[place] = digi_from_time_first(own);
        sum += place;
    }
    return sum;
}

// Writes each digi to where it belongs: before it come those of its bin that are earlier. Digis with the
// same time go to the same place at first, the last one of theirs. So if there are any, the sum of all places
// is too large, and then they are told apart. A barrier before.
__device__ __forceinline__ void write_in_order(u64* to, u32 count, Sorting& shared) {
    const u32 sum = write_to_places(
        to, count, [&](u32, u64 own, Range bin) { return not_later(own, bin, shared) - 1; }, shared);
    const u32 sum_of_warp = warp_sum(sum);
    if (threadIdx.x % LANES == 0) atomicAdd(&shared.sum_of_places, sum_of_warp);
    __syncthreads();
    if (shared.sum_of_places == count * (count - 1) / 2) return;
    write_to_places(
        to, count, [&](u32 i, u64, Range bin) { return before_in_bin(i, bin, shared); }, shared);
}

// Brings digis whose `shared.buckets` are known into their bins, which are clear. Where many have nearly the
// same time they are not moved; returns whether they were. Barriers before and after.
template <class BucketOf>
__device__ __forceinline__ bool bring_to_bins(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                              Sorting& shared) {
    u32 places[SORTED_ITEMS + 1];
    if (count_in_bins(digis, count, bucket_of, times, places, shared)) return false;
    place_bins(shared.bins);
    move_to_bins(digis, count, places, shared);
    return true;
}

// Sorts a range of digis whose `shared.buckets` are known, and bins clear. Where
// many have nearly the same time nothing is done; returns whether it was. `from` and
// `to` may be the same. A barrier before.
template <class BucketOf>
__device__ __forceinline__ bool sort_buckets(const u64* from, u64* to, Range range, BucketOf bucket_of,
                                             const Times& times, Sorting& shared) {
    if (!bring_to_bins(from + range.begin, range.count(), bucket_of, times, shared)) return false;
    write_in_order(to + range.begin, range.count(), shared);
    return true;
}

}  // namespace
