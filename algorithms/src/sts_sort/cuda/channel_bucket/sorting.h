// Sorting some buckets in shared memory.
#pragma once
#include "bins.h"
#include "common.h"

namespace {

struct Sorting {
    u64 sorted[CAPACITY];
    union {
        BucketBins buckets[BUCKETS];  // until all digis are counted
        u16 arrivals[CAPACITY];       // then the order of arrival of each digi, if that is needed
    };
    Bins bins;
};

// The digi's bits with the time in the highest ones: the order within a bin, whose digis have the
// same channel.
__device__ __forceinline__ u64 time_first(u64 digi) { return digi << (64 - TIME_BITS) | digi >> TIME_BITS; }
__device__ __forceinline__ u64 digi_from_time_first(u64 item) { return item << TIME_BITS | item >> (64 - TIME_BITS); }

// Calls `take(item, at, digi, is_one)` for each of a thread's digis, with its index among all;
// calls with `is_one` false have an index too. Aligned pairs of digis are read at once, the
// remainders at the ends come last, as item SORTED_ITEMS.
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

// Counts digis in their bins; `bins_and_ranks` has the bin and the rank in it of each of a
// thread's. Returns true if a bin has too many. Barriers before and after.
template <class BucketOf>
__device__ __forceinline__ bool count_in_bins(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                              u32 (&bins_and_ranks)[SORTED_ITEMS + 1], Sorting& shared) {
    bool is_full = false;
    for_each_own(digis, count, [&](u32 item, u32, u64 digi, bool is_one) {
        const BucketBins bucket = shared.buckets[is_one ? bucket_of(digi) : 0];
        const u32 bin = is_one ? bin_of(digi, bucket, times) : NO_BIN;
        const u32 rank = add_to_bin(shared.bins, bin);
        is_full |= is_one && rank >= MAX_IN_BIN;
        bins_and_ranks[item] = rank << 16 | bin;
    });
    return __syncthreads_or(is_full);
}

// Moves digis to their bins, with their order of arrival if that is needed. Barriers before and
// after.
template <bool WITH_ARRIVALS>
__device__ __forceinline__ void move_to_bins(const u64* digis, u32 count, const u32 (&bins_and_ranks)[SORTED_ITEMS + 1],
                                             Sorting& shared) {
    for_each_own(digis, count, [&](u32 item, u32 at, u64 digi, bool is_one) {
        const u32 bin = bins_and_ranks[item] & 0xffff, rank = bins_and_ranks[item] >> 16;
        if (!is_one) return;
        const u32 to = start_of(shared.bins, bin) + rank;
        shared.sorted[to] = time_first(digi);
        if (WITH_ARRIVALS) shared.arrivals[to] = (u16)at;
    });
    __syncthreads();
}

// A digi of a bin, and when it arrived, if that is remembered.
template <bool WITH_ARRIVALS> struct InBin {
    u64 item;
    u32 arrival;

    __device__ __forceinline__ InBin(u32 at, const Sorting& shared)
        : item(shared.sorted[at]), arrival(WITH_ARRIVALS ? shared.arrivals[at] : 0) {}

    __device__ __forceinline__ u32 time() const { return (u32)(item >> (64 - TIME_BITS)); }

    // Compares by time, then by arrival or, if that is not to be kept, by all other bits.
    __device__ __forceinline__ bool belongs_before(const InBin& other) const {
        if (!WITH_ARRIVALS) return item < other.item;
        return time() < other.time() || (time() == other.time() && arrival < other.arrival);
    }

    __device__ __forceinline__ void put(u32 at, Sorting& shared) const {
        shared.sorted[at] = item;
        if (WITH_ARRIVALS) shared.arrivals[at] = (u16)arrival;
    }
};

// Brings the digis of a bin into order, one after the other to where it belongs among those before it. Returns
// whether some have the same time, if these are to keep the order of arrival.
template <bool WITH_ARRIVALS>
__device__ __forceinline__ bool order_bin(u32 begin, u32 count, Sorting& shared) {
    bool has_equal = false;
// Bins have few.
#pragma unroll 1
    for (u32 i = begin + 1; i < begin + count; i++) {
        const InBin<WITH_ARRIVALS> current(i, shared);
        u32 at = i;
#pragma unroll 1
        for (; at > begin; at--) {
            const InBin<WITH_ARRIVALS> before(at - 1, shared);
            has_equal |= KEEPS_ARRIVAL && current.time() == before.time();
            if (!current.belongs_before(before)) break;
            before.put(at, shared);
        }
        if (at < i) current.put(at, shared);
    }
    return has_equal;
}

// Sorts the digis of the listed bins, which are all that several digis share. Returns true if some
// of the same time are among them, if these are to keep the order of arrival. Barriers before and
// after.
template <bool WITH_ARRIVALS>
__device__ __forceinline__ bool order_bins(u32 count, Sorting& shared) {
    bool has_equal = false;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        const u32 bin = shared.bins.of_several[i];
        has_equal |= order_bin<WITH_ARRIVALS>(start_of(shared.bins, bin), count_of(shared.bins, bin), shared);
    }
    return __syncthreads_or(has_equal);
}

// Sorts digis whose `shared.buckets` are known, with clear bins, in shared memory. If many have
// nearly the same time nothing is done; returns true if they were sorted. Barriers before and
// after.
template <class BucketOf>
__device__ __forceinline__ bool sort_in_shared(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                               Sorting& shared) {
    u32 bins_and_ranks[SORTED_ITEMS + 1];
    if (count_in_bins(digis, count, bucket_of, times, bins_and_ranks, shared)) return false;
    const u32 of_several = scan_bins(shared.bins);
    move_to_bins<false>(digis, count, bins_and_ranks, shared);
    if (order_bins<false>(of_several, shared) && KEEPS_ARRIVAL) {
        // Few groups have digis of the same channel and time.
        move_to_bins<true>(digis, count, bins_and_ranks, shared);
        order_bins<true>(of_several, shared);
    }
    return true;
}

// Sorts a range of digis from one array to another, which may be the same one.
template <class BucketOf>
__device__ __forceinline__ bool sort_buckets(const u64* from, u64* to, Range range, BucketOf bucket_of,
                                             const Times& times, Sorting& shared) {
    if (!sort_in_shared(from + range.begin, range.count(), bucket_of, times, shared)) return false;
    write_each_word<THREADS>(to + range.begin, range.count(),
                             [&](u32 i) { return digi_from_time_first(shared.sorted[i]); });
    return true;
}

}  // namespace
