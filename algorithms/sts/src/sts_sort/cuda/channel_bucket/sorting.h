// Sorting some buckets in shared memory: digis in bins by time.
#pragma once
#include "arguments.h"
#include "digi.h"
#include "scan.h"
#include "words.h"

namespace {

using namespace channel_bucket;

// Digis of a thread that are sorted at once in shared memory.
constexpr u32 SORTED_ITEMS = 16;
// Blocks of which a multiprocessor holds two: 64 KiB of digis each, and 64 registers for a thread.
constexpr u32 THREADS = 512;
constexpr u32 BLOCKS = 2;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;
// Blocks that have a multiprocessor to themselves, as it has shared memory for one: 128 KiB of digis.
constexpr u32 WIDE_THREADS = 1024;
constexpr u32 WIDE_BLOCKS = 1;
constexpr u32 WIDE_CAPACITY = WIDE_THREADS * SORTED_ITEMS;

// Threads of a block, and whether digis with the same key stay in the order in which they arrived.
// Otherwise their other bits determine it, so that the result is deterministic.
template <u32 BLOCK, bool BY_ARRIVAL> struct BlockSort {
    static constexpr u32 THREADS = BLOCK;
    static constexpr u32 CAPACITY = BLOCK * SORTED_ITEMS;
    static constexpr bool KEEPS_ARRIVAL = BY_ARRIVAL;
};

// Buckets of a region at most: all channels.
constexpr u32 BUCKETS = CHANNELS;

// All threads of a block call this.
__device__ __forceinline__ void list(RangeList* ranges, Range range) {
    if (threadIdx.x == 0) ranges->ranges[atomicAdd(&ranges->count, 1u)] = range;
}

template <u32 BLOCK>
__device__ __forceinline__ void clear(u32* words, u32 count) {
    for (u32 i = threadIdx.x; i < count; i += BLOCK) words[i] = 0;
}

// Digis in bins by time, in shared memory: more bins than digis, so that few
// digis share one.

constexpr u32 BINS_A_DIGI = 2;
// A byte counts the digis of a bin.
constexpr u32 BINS_A_WORD = 4;
// Words of counts per thread.
constexpr u32 WORDS_EACH = BINS_A_DIGI * SORTED_ITEMS / BINS_A_WORD;
// With more in a bin comparing all pairs does not pay; and they have to be detected before a byte
// overflows.
constexpr u32 MAX_IN_BIN = 32;

// The bins of a bucket: which is the first, and what a time is multiplied by,
// in units of 2^-32 bins.
struct BucketBins {
    u32 first, factor;
};

template <class Sort> struct Bins {
    static constexpr u32 WORDS = WORDS_EACH * Sort::THREADS;
    // Bin that counts items that are not digis.
    static constexpr u32 NO_BIN = WORDS * BINS_A_WORD;

    u32 counts[WORDS + 4];
    u16 starts[WORDS + 8];  // start of the first bin of each word
    u16 of_several[Sort::CAPACITY / 2];  // the bins that several digis share
    u32 warp_sums[LANES];
};

// Scaling of a region's times to bins.
struct Times {
    u32 mask;   // mask of the bits that differ within a bucket
    u32 first;  // first time in the region
    float bins_a_digi;  // bins per digi and unit of time, times 2^32

    // Rounding must not lead beyond a bucket's last bin.
    __device__ __forceinline__ Times(u32 mask, u32 first, u32 last) : mask(mask), first(first) {
        constexpr float DOWN = 1.0f - 1.0f / (1 << 20);
        bins_a_digi = BINS_A_DIGI * 4294967296.0f * DOWN / ((float)(last - first) + 1.0f);
    }

    __device__ __forceinline__ BucketBins bins(u32 start, u32 count) const {
        constexpr float MAX_COUNT = 4294967040.0f;  // the largest that fits into 32 bits
        return {BINS_A_DIGI * start, (u32)min((float)count * bins_a_digi, MAX_COUNT)};
    }
};

// The bin of a digi: those of earlier buckets come first, and within a bucket
// digis have their bins by time, as if times were evenly spread.
__device__ __forceinline__ u32 bin_of(u64 digi, BucketBins bucket, const Times& times) {
    const u32 time = (digi_time(digi) & times.mask) - times.first;
    return bucket.first + (u32)((u64)time * bucket.factor >> 32);
}

// Counts a digi; returns how many its bin has so far.
template <class Sort> __device__ __forceinline__ u32 add_to_bin(Bins<Sort>& bins, u32 bin) {
    const u32 shift = bin % BINS_A_WORD * 8;
    return atomicAdd(&bins.counts[bin / BINS_A_WORD], 1u << shift) >> shift & 0xff;
}

// Byte by byte the sum of the bytes up to it.
__device__ __forceinline__ u32 inclusive_bytes(u32 word) { return word * 0x01010101u; }

__device__ __forceinline__ u32 sum_of_bytes(u32 word) { return inclusive_bytes(word) >> 24; }

// Start of a bin, after the bins' offsets are known.
template <class Sort> __device__ __forceinline__ u32 start_of(const Bins<Sort>& bins, u32 bin) {
    const u32 before = inclusive_bytes(bins.counts[bin / BINS_A_WORD]) << 8;
    return bins.starts[bin / BINS_A_WORD] + (before >> bin % BINS_A_WORD * 8 & 0xff);
}

template <class Sort> __device__ __forceinline__ u32 count_of(const Bins<Sort>& bins, u32 bin) {
    return bins.counts[bin / BINS_A_WORD] >> bin % BINS_A_WORD * 8 & 0xff;
}

// Barriers before and after.
template <class Sort> __device__ __forceinline__ void clear_bins(Bins<Sort>& bins) {
    clear<Sort::THREADS>(bins.counts, Bins<Sort>::WORDS + 1);
    if (threadIdx.x == 0) bins.starts[Bins<Sort>::WORDS] = 0;
}

// The bins of some words of counts that several digis share: bit `byte * 8 + word` of a mask.
static_assert(WORDS_EACH == 8 && BINS_A_WORD == 4 && MAX_IN_BIN < 128,
              "a mask has a bit for each bin, a byte one for more");

// Mask of the word's bins with several digis: the upper bit of each byte that is 2 or more.
__device__ __forceinline__ u32 of_several(u32 counts) { return (counts + 0x7e7e7e7eu) & 0x80808080u; }

// Lists the thread's bins that several digis share, from index `at` on.
template <class Sort> __device__ __forceinline__ void list_bins_of_several(Bins<Sort>& bins, u32 mask, u32 at) {
    for (; mask; mask &= mask - 1) {
        const u32 bit = (u32)__ffs((int)mask) - 1;
        bins.of_several[at++] = (u16)((threadIdx.x * WORDS_EACH + bit % 8) * BINS_A_WORD + bit / 8);
    }
}

// Finds where bins begin, and lists those that several digis share; returns how many there are. Barriers
// before and after.
template <class Sort> __device__ __forceinline__ u32 scan_bins(Bins<Sort>& bins) {
    const uint4* counts = reinterpret_cast<const uint4*>(bins.counts + threadIdx.x * WORDS_EACH);
    u32 sums[WORDS_EACH], sum = 0, mask = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS_EACH; i += 4) {
        const uint4 four = counts[i / 4];
        const u32 words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            sums[i + k] = sum_of_bytes(words[k]);
            sum += sums[i + k];
            mask |= of_several(words[k]) >> (7 - (i + k));
        }
    }
    // Both sums at once: neither is larger than half of a word.
    static_assert(Sort::CAPACITY < 1u << 16, "digis, and bins that several of them share");
    u32 total;
    const u32 both = block_exclusive_sum<Sort::THREADS>((u32)__popc(mask) << 16 | sum, bins.warp_sums, total);
    list_bins_of_several(bins, mask, both >> 16);
    u32 before = both & 0xffff;
    uint4* starts = reinterpret_cast<uint4*>(bins.starts + threadIdx.x * WORDS_EACH);
#pragma unroll
    for (u32 i = 0; i < WORDS_EACH; i += 8) {
        u32 pairs[4];
#pragma unroll
        for (u32 pair = 0; pair < 4; pair++) {
            const u32 middle = before + sums[i + 2 * pair];
            pairs[pair] = before | middle << 16;
            before = middle + sums[i + 2 * pair + 1];
        }
        starts[i / 8] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }
    __syncthreads();
    return total >> 16;
}

// Sorting some buckets in shared memory.

template <class Sort> struct Sorting {
    u64 sorted[Sort::CAPACITY];
    union {
        BucketBins buckets[BUCKETS];   // until all digis are counted
        u16 arrivals[Sort::CAPACITY];  // then the order of arrival of each digi, if that is needed
    };
    Bins<Sort> bins;
};

// The digi's bits with the time in the highest ones: the order within a bin, whose digis have the
// same channel.
__device__ __forceinline__ u64 time_first(u64 digi) { return digi << (64 - TIME_BITS) | digi >> TIME_BITS; }
__device__ __forceinline__ u64 digi_from_time_first(u64 item) { return item << TIME_BITS | item >> (64 - TIME_BITS); }

// Calls `take(item, at, digi, is_one)` for each of a thread's digis, with its index among all;
// calls with `is_one` false have an index too. Aligned pairs of digis are read at once, the
// remainders at the ends come last, as item SORTED_ITEMS.
template <u32 THREADS, class Take>
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
template <class Sort, class BucketOf>
__device__ __forceinline__ bool count_in_bins(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                              u32 (&bins_and_ranks)[SORTED_ITEMS + 1], Sorting<Sort>& shared) {
    bool is_full = false;
    for_each_own<Sort::THREADS>(digis, count, [&](u32 item, u32, u64 digi, bool is_one) {
        const BucketBins bucket = shared.buckets[is_one ? bucket_of(digi) : 0];
        const u32 bin = is_one ? bin_of(digi, bucket, times) : Bins<Sort>::NO_BIN;
        const u32 rank = add_to_bin(shared.bins, bin);
        is_full |= is_one && rank >= MAX_IN_BIN;
        bins_and_ranks[item] = rank << 16 | bin;
    });
    return __syncthreads_or(is_full);
}

// Moves digis to their bins, with their order of arrival if that is needed. Barriers before and
// after.
template <bool WITH_ARRIVALS, class Sort>
__device__ __forceinline__ void move_to_bins(const u64* digis, u32 count, const u32 (&bins_and_ranks)[SORTED_ITEMS + 1],
                                             Sorting<Sort>& shared) {
    for_each_own<Sort::THREADS>(digis, count, [&](u32 item, u32 at, u64 digi, bool is_one) {
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

    template <class Sort>
    __device__ __forceinline__ InBin(u32 at, const Sorting<Sort>& shared)
        : item(shared.sorted[at]), arrival(WITH_ARRIVALS ? shared.arrivals[at] : 0) {}

    __device__ __forceinline__ u32 time() const { return (u32)(item >> (64 - TIME_BITS)); }

    // Compares by time, then by arrival or, if that is not to be kept, by all other bits.
    __device__ __forceinline__ bool belongs_before(const InBin& other) const {
        if (!WITH_ARRIVALS) return item < other.item;
        return time() < other.time() || (time() == other.time() && arrival < other.arrival);
    }

    template <class Sort> __device__ __forceinline__ void put(u32 at, Sorting<Sort>& shared) const {
        shared.sorted[at] = item;
        if (WITH_ARRIVALS) shared.arrivals[at] = (u16)arrival;
    }
};

// Brings the digis of a bin into order, one after the other to where it belongs among those before it. Returns
// whether some have the same time, if these are to keep the order of arrival.
template <bool WITH_ARRIVALS, class Sort>
__device__ __forceinline__ bool order_bin(u32 begin, u32 count, Sorting<Sort>& shared) {
    bool has_equal = false;
// Bins have few.
#pragma unroll 1
    for (u32 i = begin + 1; i < begin + count; i++) {
        const InBin<WITH_ARRIVALS> current(i, shared);
        u32 at = i;
#pragma unroll 1
        for (; at > begin; at--) {
            const InBin<WITH_ARRIVALS> before(at - 1, shared);
            has_equal |= Sort::KEEPS_ARRIVAL && current.time() == before.time();
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
template <bool WITH_ARRIVALS, class Sort>
__device__ __forceinline__ bool order_bins(u32 count, Sorting<Sort>& shared) {
    bool has_equal = false;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += Sort::THREADS) {
        const u32 bin = shared.bins.of_several[i];
        has_equal |= order_bin<WITH_ARRIVALS>(start_of(shared.bins, bin), count_of(shared.bins, bin), shared);
    }
    return __syncthreads_or(has_equal);
}

// Sorts digis whose `shared.buckets` are known, with clear bins, in shared memory. If many have
// nearly the same time nothing is done; returns true if they were sorted. Barriers before and
// after.
template <class Sort, class BucketOf>
__device__ __forceinline__ bool sort_in_shared(const u64* digis, u32 count, BucketOf bucket_of, const Times& times,
                                               Sorting<Sort>& shared) {
    u32 bins_and_ranks[SORTED_ITEMS + 1];
    if (count_in_bins(digis, count, bucket_of, times, bins_and_ranks, shared)) return false;
    const u32 of_several = scan_bins(shared.bins);
    move_to_bins<false>(digis, count, bins_and_ranks, shared);
    if (order_bins<false>(of_several, shared) && Sort::KEEPS_ARRIVAL) {
        // Few groups have digis of the same channel and time.
        move_to_bins<true>(digis, count, bins_and_ranks, shared);
        order_bins<true>(of_several, shared);
    }
    return true;
}

// Sorts a range of digis from one array to another, which may be the same one.
template <class Sort, class BucketOf>
__device__ __forceinline__ bool sort_buckets(const u64* from, u64* to, Range range, BucketOf bucket_of,
                                             const Times& times, Sorting<Sort>& shared) {
    if (!sort_in_shared(from + range.begin, range.count(), bucket_of, times, shared)) return false;
    write_each_word<Sort::THREADS>(to + range.begin, range.count(),
                             [&](u32 i) { return digi_from_time_first(shared.sorted[i]); });
    return true;
}

}  // namespace
