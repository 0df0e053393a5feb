// Sorting by distribution: digis go to the bucket of their channel, and each
// bucket is small enough to be sorted in shared memory.
//
// The reason: a radix sort moves all digis through device memory once for
// each of its digits. Here they move twice, however long the key is, once to
// their buckets and once through shared memory. There, a digi's time tells its
// place well enough, as times are spread over the bucket: digis are counted
// into as many bins as there are digis, and the few that share one are sorted
// by insertion.
//
// A segment that fits into shared memory is sorted at once, one of medium size
// by a single block in both steps, a large one by many blocks with a kernel
// for each step. A bucket that does not fit, as where all digis have the same
// channel, is a segment once more: it is distributed by the upper bits of the
// time, then by the next ones.
//
// Dynamic shared memory: see `Distribution` and `Sorting`.
#include "block_scan.h"
#include "digi.h"
#include "streams.h"

namespace {

constexpr u32 THREADS = 512;
// Buckets at most: all channels.
constexpr u32 BUCKETS = CHANNELS;

// Which bits of a digi tell its bucket.
struct Digit {
    u32 shift, bits;
    __device__ __forceinline__ u32 operator()(u64 digi) const { return (u32)(digi >> shift) & ((1u << bits) - 1); }
    __device__ __forceinline__ u32 buckets() const { return 1u << bits; }
};

// Positions in the array of all digis.
struct Range {
    u32 begin, end;
    __device__ __forceinline__ u32 count() const { return end - begin; }
};

// The first and the last time of some digis.
struct Times {
    u32 first, last;
};

constexpr Times NO_TIMES = {~0u, 0};

__device__ __forceinline__ void include(Times& times, u64 digi) {
    times.first = min(times.first, digi_time(digi));
    times.last = max(times.last, digi_time(digi));
}

// Includes the times of all threads in those in shared memory.
__device__ __forceinline__ void include_all(Times& shared, Times own) {
    own = {warp_min(own.first), warp_max(own.last)};
    if (threadIdx.x % LANES != 0) return;
    atomicMin(&shared.first, own.first);
    atomicMax(&shared.last, own.last);
}

// ---- Distribution to buckets

// Digis of a tile: 48 KiB.
constexpr u32 DISTRIBUTED_ITEMS = 12;
constexpr u32 DISTRIBUTED_TILE = THREADS * DISTRIBUTED_ITEMS;

struct Distribution {
    u64 staged[DISTRIBUTED_TILE];
    u32 counts[BUCKETS];  // of the tile, then where its buckets begin in it
    u32 places[BUCKETS];  // where the next digi of a bucket goes
    u32 warp_sums[LANES];
};

__device__ __forceinline__ void clear(u32* words, u32 count) {
    for (u32 i = threadIdx.x; i < count; i += THREADS) words[i] = 0;
}

// Distributes a tile; `shared.places` are those of the next tile then.
// Barriers before and after.
__device__ __forceinline__ void distribute_tile(const u64* from, u64* to, Range tile, Digit digit,
                                                Distribution& shared) {
    clear(shared.counts, BUCKETS);
    __syncthreads();
    u64 digis[DISTRIBUTED_ITEMS];
    u32 ranks[DISTRIBUTED_ITEMS];
    // Pairs of positions in the array, which is aligned, whatever the range.
    const u32 first = tile.begin / 2 * 2 + 2 * threadIdx.x;
#pragma unroll
    for (u32 i = 0; i < DISTRIBUTED_ITEMS; i += 2) {
        const u32 at = first + i * THREADS;
        const bool low = at >= tile.begin && at < tile.end, high = at + 1 >= tile.begin && at + 1 < tile.end;
        if (low && high) {
            const ulonglong2 pair = *reinterpret_cast<const ulonglong2*>(from + at);
            digis[i] = pair.x;
            digis[i + 1] = pair.y;
        } else if (low || high) {
            digis[i] = digis[i + 1] = from[low ? at : at + 1];
        }
        if (low) ranks[i] = atomicAdd(&shared.counts[digit(digis[i])], 1u);
        if (high) ranks[i + 1] = atomicAdd(&shared.counts[digit(digis[i + 1])], 1u);
    }
    block_exclusive_sums<THREADS, BUCKETS>(shared.counts, shared.warp_sums);
#pragma unroll
    for (u32 i = 0; i < DISTRIBUTED_ITEMS; i++) {
        const u32 at = first + i / 2 * 2 * THREADS + i % 2;
        if (at >= tile.begin && at < tile.end) shared.staged[shared.counts[digit(digis[i])] + ranks[i]] = digis[i];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < tile.count(); i += THREADS) {
        const u64 digi = shared.staged[i];
        const u32 bucket = digit(digi);
        to[shared.places[bucket] + i - shared.counts[bucket]] = digi;
    }
    __syncthreads();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS) {
        const u32 end = bucket + 1 < BUCKETS ? shared.counts[bucket + 1] : tile.count();
        shared.places[bucket] += end - shared.counts[bucket];
    }
    __syncthreads();
}

// Distributes a range to where `shared.places` says.
__device__ void distribute(const u64* from, u64* to, Range range, Digit digit, Distribution& shared) {
    // A tile less a pair, as the first pair may begin before the range.
    constexpr u32 STEP = DISTRIBUTED_TILE - 2;
    for (u32 at = range.begin; at < range.end; at += min(STEP, range.end - at)) {
        distribute_tile(from, to, {at, at + min(STEP, range.end - at)}, digit, shared);
    }
}

// ---- Sorting in shared memory

// Digis that are sorted at once: 72 KiB.
constexpr u32 SORTED_ITEMS = 18;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;
// A group has the buckets that begin in a window of positions. None of them is
// longer than a window, so that the group fits.
constexpr u32 WINDOW = CAPACITY / 2;
// More in a bin are not sorted by insertion.
constexpr u32 MOST_IN_BIN = 32;

struct Sorting {
    u64 sorted[CAPACITY];        // digis in the form that is in order
    u32 bins[CAPACITY / 2];      // two to a word: counts, then ends
    u32 starts[BUCKETS + 1];     // where buckets begin in the range
    u32 warp_sums[LANES];
    u32 most;                    // the fullest bin
    Times times;
};

// A bin for each digi. Bins of earlier buckets come first; within a bucket
// digis have their bins by time, as if times were evenly spread.
struct Binning {
    Digit digit;
    u32 first_bucket;
    u32 low_bits;  // of the time, those that are not the same in all of a bucket
    u32 first_time;
    float scale;  // one over the number of different times
    const u32* starts;

    __device__ __forceinline__ u32 operator()(u64 digi) const {
        const u32 bucket = digit(digi) - first_bucket;
        const u32 start = starts[bucket], count = starts[bucket + 1] - start;
        const u32 time = (digi_time(digi) & low_bits) - first_time;
        // No product of rounded factors falls where the time rises.
        return start + min((u32)((float)time * (scale * (float)count)), count - 1);
    }
};

__device__ __forceinline__ u32 half_of(u32 word, u32 bin) { return word >> bin % 2 * 16 & 0xffff; }

__device__ __forceinline__ u32 add_to_bin(u32* bins, u32 bin) {
    return half_of(atomicAdd(&bins[bin / 2], 1u << bin % 2 * 16), bin);
}

// Where the digis of a bin are once all are placed.
__device__ __forceinline__ u32 end_of_bin(const u32* bins, u32 bin) { return half_of(bins[bin / 2], bin); }

// Turns counts into starts. Barriers before and after; returns the largest count.
__device__ __forceinline__ u32 place_bins(Sorting& shared) {
    constexpr u32 WORDS = CAPACITY / 2 / THREADS;
    if (threadIdx.x == 0) shared.most = 0;
    __syncthreads();
    u32* own = shared.bins + threadIdx.x * WORDS;
    u32 sum = 0, most = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) {
        const u32 low = own[i] & 0xffff, high = own[i] >> 16;
        sum += low + high;
        most = max(most, max(low, high));
    }
    if (most > 1) atomicMax(&shared.most, most);
    u32 total;
    u32 before = block_exclusive_sum<THREADS>(sum, shared.warp_sums, total);
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) {
        const u32 low = own[i] & 0xffff, high = own[i] >> 16;
        own[i] = before | (before + low) << 16;
        before += low + high;
    }
    __syncthreads();
    return shared.most;
}

__device__ __forceinline__ void sort_by_insertion(u64* items, u32 count) {
    for (u32 i = 1; i < count; i++) {
        const u64 item = items[i];
        u32 at = i;
        for (; at > 0 && items[at - 1] > item; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

// Batcher's bitonic sort in the form in which all exchanges go the same way,
// so that any count will do. Barriers before and after.
__device__ void sort_by_exchanges(u64* items, u32 count) {
    for (u32 width = 2; width / 2 < count; width *= 2) {
        for (u32 distance = width / 2; distance > 0; distance /= 2) {
            const u32 flip = distance == width / 2 ? width - 1 : distance;
            for (u32 pair = threadIdx.x; pair < CAPACITY; pair += THREADS) {
                const u32 low = pair / distance * 2 * distance + pair % distance, high = low ^ flip;
                if (high >= count) continue;
                const u64 a = items[low], b = items[high];
                if (a > b) {
                    items[low] = b;
                    items[high] = a;
                }
            }
            __syncthreads();
        }
    }
}

// Sorts a range of whole buckets, of which `shared.starts` are known.
// Barriers before and after. `from` and `to` may be the same.
__device__ void sort_range(const u64* from, u64* to, Range range, const Binning& binning, Sorting& shared) {
    const u32 count = range.count();
    clear(shared.bins, CAPACITY / 2);
    __syncthreads();
    for_each_word<THREADS>(from + range.begin, count, [&](u32, u64 digi) { add_to_bin(shared.bins, binning(digi)); });
    const u32 most = place_bins(shared);
    for_each_word<THREADS>(from + range.begin, count, [&](u32, u64 digi) {
        shared.sorted[add_to_bin(shared.bins, binning(digi))] = ordered_from_digi(digi);
    });
    __syncthreads();
    if (most > MOST_IN_BIN) {
        sort_by_exchanges(shared.sorted, count);
    } else if (most > 1) {
        for (u32 bin = threadIdx.x; bin < count; bin += THREADS) {
            const u32 begin = bin ? end_of_bin(shared.bins, bin - 1) : 0, end = end_of_bin(shared.bins, bin);
            sort_by_insertion(shared.sorted + begin, end - begin);
        }
        __syncthreads();
    }
    write_each_word<THREADS>(to + range.begin, count, [&](u32 i) { return digi_from_ordered(shared.sorted[i]); });
    __syncthreads();
}

__device__ __forceinline__ float scale_of(u32 first, u32 last) { return 1.0f / ((float)(last - first) + 1.0f); }

// ---- Buckets that lie together

// The buckets of a region and what is known of their times.
struct Region {
    const u32* buckets;  // where each begins, and where the last one ends
    Digit digit;
    u32 low_bits;
    Times times;
};

// The number of buckets that begin before a position. With a barrier.
__device__ __forceinline__ u32 buckets_before(const Region& region, u32 position) {
    u32 before = 0;
    for (u32 first = 0; first < region.digit.buckets(); first += THREADS) {
        const u32 bucket = first + threadIdx.x;
        before += __syncthreads_count(bucket < region.digit.buckets() && region.buckets[bucket] < position);
    }
    return before;
}

__device__ void sort_buckets(const u64* from, u64* to, const Region& region, u32 first, u32 last, Sorting& shared) {
    const Range range = {region.buckets[first], region.buckets[last]};
    if (range.count() == 0) return;
    for (u32 i = threadIdx.x; i <= last - first; i += THREADS)
        shared.starts[i] = region.buckets[first + i] - range.begin;
    __syncthreads();
    const float scale = scale_of(region.times.first, region.times.last);
    const Binning binning = {region.digit, first, region.low_bits, region.times.first, scale, shared.starts};
    sort_range(from, to, range, binning, shared);
}

// Buckets that don't fit into shared memory.
struct Unfit {
    u32 count;
    Range ranges[1];
};

// Sorts the buckets that begin in a window. Only the last of them can be
// longer than a window; if it is longer than what fits it is left, and listed.
__device__ void sort_window(const u64* from, u64* to, const Region& region, Range window, Unfit* unfit,
                            Sorting& shared) {
    const u32 first = buckets_before(region, window.begin), last = buckets_before(region, window.end);
    if (first == last) return;
    const Range final_bucket = {region.buckets[last - 1], region.buckets[last]};
    const bool is_long = final_bucket.count() > WINDOW;
    sort_buckets(from, to, region, first, is_long ? last - 1 : last, shared);
    if (!is_long) return;
    if (final_bucket.count() <= CAPACITY) {
        sort_buckets(from, to, region, last - 1, last, shared);
    } else if (threadIdx.x == 0) {
        unfit->ranges[atomicAdd(&unfit->count, 1u)] = final_bucket;
    }
}

}  // namespace

// Sorts segments that fit into shared memory, in place. A block a segment.
extern "C" __global__ void __launch_bounds__(THREADS, 2) channel_bucket_small(u64* digis, const Range* segments) {
    SMEM_DYN(Sorting, shared_memory);
    Sorting& shared = *shared_memory;
    const Range range = segments[blockIdx.x];
    const Digit channel = {CHANNEL_SHIFT, CHANNEL_BITS};
    if (threadIdx.x == 0) shared.times = NO_TIMES;
    clear(shared.starts, BUCKETS + 1);
    __syncthreads();
    Times own = NO_TIMES;
    for_each_word<THREADS>(digis + range.begin, range.count(), [&](u32, u64 digi) {
        atomicAdd(&shared.starts[channel(digi)], 1u);
        include(own, digi);
    });
    include_all(shared.times, own);
    const u32 total = block_exclusive_sums<THREADS, BUCKETS>(shared.starts, shared.warp_sums);
    if (threadIdx.x == 0) shared.starts[BUCKETS] = total;
    __syncthreads();
    const float scale = scale_of(shared.times.first, shared.times.last);
    const Binning binning = {channel, 0, (1u << TIME_BITS) - 1, shared.times.first, scale, shared.starts};
    sort_range(digis, digis, range, binning, shared);
}
KERNEL_EXPORT(channel_bucket_small)

// Counts the digis of each bucket in each part of a region, and finds the
// region's first and last time. `counts` has BUCKETS words a part.
// `times` has two words a region: the first time, and the complement of the
// last, all bits of both set at the start. A block a part.
extern "C" __global__ void __launch_bounds__(THREADS)
    channel_bucket_count(const u64* digis, const Range* parts, const u32* region_of_part, u32* counts, u32* times,
                         u32 shift, u32 bits) {
    __shared__ u32 own[BUCKETS];
    const Range range = parts[blockIdx.x];
    const Digit digit = {shift, bits};
    Times own_times = NO_TIMES;
    clear(own, BUCKETS);
    __syncthreads();
    for_each_word<THREADS>(digis + range.begin, range.count(), [&](u32, u64 digi) {
        atomicAdd(&own[digit(digi)], 1u);
        include(own_times, digi);
    });
    __syncthreads();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS)
        counts[blockIdx.x * BUCKETS + bucket] = own[bucket];
    const u32 first = warp_min(own_times.first), last = warp_max(own_times.last);
    if (threadIdx.x % LANES != 0) return;
    const u32 region = region_of_part[blockIdx.x];
    atomicMin(&times[2 * region], first);
    atomicMin(&times[2 * region + 1], ~last);
}
KERNEL_EXPORT(channel_bucket_count)

// Turns the counts of the parts of a region into the places of their first
// digis, and finds where the buckets begin: BUCKETS + 1 words a region. A
// region has the parts first_parts[region] .. first_parts[region + 1]. A block
// a region.
extern "C" __global__ void __launch_bounds__(THREADS)
    channel_bucket_place(const Range* parts, const u32* first_parts, u32* counts, u32* buckets) {
    __shared__ u32 starts[BUCKETS];
    __shared__ u32 warp_sums[LANES];
    const u32 first = first_parts[blockIdx.x], last = first_parts[blockIdx.x + 1];
    const u32 begin = parts[first].begin, end = parts[last - 1].end;
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS) {
        u32 count = 0;
#pragma unroll 8
        for (u32 part = first; part < last; part++) count += counts[part * BUCKETS + bucket];
        starts[bucket] = count;
    }
    block_exclusive_sums<THREADS, BUCKETS>(starts, warp_sums);
    u32* own = buckets + blockIdx.x * (BUCKETS + 1);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS) {
        u32 place = begin + starts[bucket];
        own[bucket] = place;
        for (u32 part = first; part < last; part++) {
            const u32 count = counts[part * BUCKETS + bucket];
            counts[part * BUCKETS + bucket] = place;
            place += count;
        }
    }
    if (threadIdx.x == 0) own[BUCKETS] = end;
}
KERNEL_EXPORT(channel_bucket_place)

// Distributes the digis of each part to their places. A block a part.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_distribute(const u64* from, u64* to, const Range* parts, const u32* places, u32 shift, u32 bits) {
    SMEM_DYN(Distribution, shared_memory);
    Distribution& shared = *shared_memory;
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS)
        shared.places[bucket] = places[blockIdx.x * BUCKETS + bucket];
    __syncthreads();
    distribute(from, to, parts[blockIdx.x], {shift, bits}, shared);
}
KERNEL_EXPORT(channel_bucket_distribute)

// Sorts the buckets of all regions, of which first_windows[region] ..
// first_windows[region + 1] are the windows. A block a window. Buckets that
// don't fit go to the list `unfit`.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_sort(const u64* from, u64* to, const u32* buckets, const u32* first_windows, u32 regions,
                        const u32* times, u32 shift, u32 bits, Unfit* unfit) {
    SMEM_DYN(Sorting, shared_memory);
    u32 low = 0, high = regions;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (first_windows[middle] <= blockIdx.x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Region region = {buckets + low * (BUCKETS + 1), {shift, bits}, (1u << TIME_BITS) - 1, {}};
    region.times = {times[2 * low], ~times[2 * low + 1]};
    if (shift < TIME_BITS) {
        // All that is left of the time in a bucket.
        region.low_bits = (1u << shift) - 1;
        region.times = {0, region.low_bits};
    }
    const u32 begin = region.buckets[0] + (blockIdx.x - first_windows[low]) * WINDOW;
    sort_window(from, to, region, {begin, begin + WINDOW}, unfit, *shared_memory);
}
KERNEL_EXPORT(channel_bucket_sort)

// Sorts segments of medium size, each step by the same block. Buckets that
// don't fit go to the list `unfit`: they are distributed to `scratch`. A block
// a segment.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_medium(u64* digis, u64* scratch, const Range* segments, Unfit* unfit) {
    union Shared {
        Distribution distribution;
        Sorting sorting;
    };
    SMEM_DYN(Shared, shared_memory);
    __shared__ u32 buckets[BUCKETS + 1];
    __shared__ Times times;
    Distribution& distribution = shared_memory->distribution;
    const Range range = segments[blockIdx.x];
    const Digit channel = {CHANNEL_SHIFT, CHANNEL_BITS};
    if (threadIdx.x == 0) times = NO_TIMES;
    clear(distribution.counts, BUCKETS);
    __syncthreads();
    Times own = NO_TIMES;
    for_each_word<THREADS>(digis + range.begin, range.count(), [&](u32, u64 digi) {
        atomicAdd(&distribution.counts[channel(digi)], 1u);
        include(own, digi);
    });
    include_all(times, own);
    block_exclusive_sums<THREADS, BUCKETS>(distribution.counts, distribution.warp_sums);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS)
        buckets[bucket] = distribution.places[bucket] = range.begin + distribution.counts[bucket];
    if (threadIdx.x == 0) buckets[BUCKETS] = range.end;
    __syncthreads();
    distribute(digis, scratch, range, channel, distribution);
    const Region region = {buckets, channel, (1u << TIME_BITS) - 1, times};
    for (u32 begin = range.begin; begin < range.end; begin += min(WINDOW, range.end - begin)) {
        sort_window(scratch, digis, region, {begin, begin + min(WINDOW, range.end - begin)}, unfit,
                    shared_memory->sorting);
    }
}
KERNEL_EXPORT(channel_bucket_medium)
