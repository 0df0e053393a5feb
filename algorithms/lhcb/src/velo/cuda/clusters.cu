// nvcc: -fmad=false
// Clusters of super-pixels, sorted or in order of creation: a warp for each pair of modules of an event.
//
// Words of the banks are in shared memory, packed so that one subtraction compares column and row. Flagged
// ones are hits at once. Of the others, as soon as there is one for each lane, the lanes look for candidates;
// of candidates, as soon as there is one for each lane, the lanes grow the clusters. Ballots give each its
// index, so that the result is the same each time: hits of flagged super-pixels first, then those that grow
// from candidates, both in the order of the words. Fields of 4 x 16 pixels are numbers of 64 bits.
#include "pair_banks.h"
#include "pair_list.h"
#include "window.h"

namespace velo {

struct FindClusters {
    Events events;
    const Pattern* patterns;
    // Hits in order of creation, of all pairs of modules or of those with many, and sorted ones.
    AnyHits unsorted;
    AnyHits sorted;
    PairHits* pairs;
    SelectedPairs launched;
};

// Unflagged words, and candidates, that wait for lanes.
constexpr u32 WAITING_WORDS = 2 * LANES;
constexpr u32 WAITING_CANDIDATES = 4 * LANES;

struct ClusterShared {
    PairBanks banks;
    u32 words[WAITING_WORDS];
    // Index of the word, and in three bits the pixel.
    u32 candidates[WAITING_CANDIDATES];
};

// A word of a bank: the row in bits 0 to 5, the column in bits 8 to 16, the pattern in bits 18 to 25, the sensor
// of two in bit 26, and the flag in bit 27. Bits 6, 7 and 17 take the signs of differences.
constexpr u32 PACKED_SENSOR = 1u << 26;
constexpr u32 PACKED_FLAG = 1u << 27;
constexpr u32 PACKED_ADDRESS = (1u << 18) - 1;

__device__ __forceinline__ u32 packed(u32 content, u32 version) {
    return (content >> 8 & 63) | (content >> 14 & 0x1ff) << 8 | (content & 255) << 18 |
        (version >= 4 ? (content >> 23 & 1) * PACKED_SENSOR : 0) | (content >> 31) * PACKED_FLAG;
}
__device__ __forceinline__ u32 packed_row(u32 word) { return word & 63; }
__device__ __forceinline__ u32 packed_column(u32 word) { return word >> 8 & 0x1ff; }
__device__ __forceinline__ u32 packed_pattern(u32 word) { return word >> 18 & 255; }

// Distances of addresses from the first row and column of a range, and the bits that are 0 inside of it.
// Of neighbours: columns 0 and 1 to the east, rows -1 to 2 to the north.
constexpr u32 NEIGHBOUR_ROWS = 1;
constexpr u32 OUTSIDE_NEIGHBOURS = PACKED_ADDRESS & ~(1u << 8 | 3u);
// Of the window: columns -3 to 4, of which those up to 1 count, and rows -2 to 1; unflagged, same sensor.
constexpr u32 WINDOW_COLUMNS = 3;
constexpr u32 WINDOW_ROWS = 2;
constexpr u32 OUTSIDE_WINDOW = (PACKED_ADDRESS & ~(7u << 8 | 3u)) | PACKED_SENSOR | PACKED_FLAG;

// Pixels of a cluster with the sums of their columns and rows in the window.
struct Sums {
    u32 pixels, columns, rows;
};

__device__ __forceinline__ u32 sum_of_columns(u64 field) {
    return (u32)(__popc(rows_of(field, 1)) + 2 * __popc(rows_of(field, 2)) + 3 * __popc(rows_of(field, 3)));
}

__device__ __forceinline__ u32 sum_of_rows(u64 field) {
    return (u32)(__popcll(field & 0xaaaa * ALL_COLUMNS) + 2 * __popcll(field & 0xcccc * ALL_COLUMNS) +
                 4 * __popcll(field & 0xf0f0 * ALL_COLUMNS) + 8 * __popcll(field & 0xff00 * ALL_COLUMNS));
}

__device__ __forceinline__ Sums sums_of(const ClusterFields& cluster) {
    const u32 main = (u32)__popcll(cluster.main);
    return {
        main + (u32)__popcll(cluster.west),
        sum_of_columns(cluster.main) + 4 * main + sum_of_columns(cluster.west),
        sum_of_rows(cluster.main) + sum_of_rows(cluster.west),
    };
}

// Finds the clusters of a pair of modules. A warp calls it. Hits are in the list, or in device memory
// if they are too many.
template <bool LISTED, class Arrays> class ClusterFinder {
    const FindClusters& arguments;
    ClusterShared& shared;
    PairList& list;
    const u32* packed_words;
    const u32 version, base, lane;
    // Words and candidates that were put in, and those that were taken out.
    u32 words_in = 0, words_out = 0, candidates_in = 0, candidates_out = 0;
    // Hits of flagged words and of candidates; those of flagged words of the whole pair.
    u32 flagged = 0, grown = 0, all_flagged = 0;

    __device__ __forceinline__ u32 word_at(u32 bank, u32 word) const {
        if (LISTED) return packed_words[word];
        return packed(arguments.events.words[shared.banks.first_word[bank] + word - shared.banks.before[bank]], version);
    }

    __device__ __forceinline__ u32 sensor_of(u32 bank, u32 word) const {
        return shared.banks.sensor[bank] + ((word & PACKED_SENSOR) != 0 ? 1 : 0);
    }

    // Calls `visit` for each word of a bank whose difference of `origin` has none of the bits of `outside`.
    template <class Visit> __device__ __forceinline__ void for_each_near(u32 bank, u32 origin, u32 outside, Visit visit) const {
        const u32 end = shared.banks.before[bank + 1];
        for (u32 first = shared.banks.before[bank]; first < end; first += 32) {
            const u32 count = min(32u, end - first);
            u32 inside = 0;
            for (u32 at = 0; at < count; at += 4) {
                u32 of_four = 0;
#pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    // Words behind the last one in shared memory are left out below.
                    if (!LISTED && at + i >= count) break;
                    if (((word_at(bank, first + at + i) - origin) & outside) == 0) of_four |= 1u << i;
                }
                inside |= of_four << at;
            }
            if (count < 32) inside &= (1u << count) - 1;
            for (; inside != 0; inside &= inside - 1) visit(word_at(bank, first + (u32)__ffs((int)inside) - 1));
        }
    }

    __device__ __forceinline__ u32 count_flagged(u32 words) const {
        u32 count = 0;
        for (u32 word = lane; word < words; word += LANES) {
            const u32 content = word_at(shared.banks.bank_of(word), word);
            if ((content & PACKED_FLAG) != 0) count += arguments.patterns[packed_pattern(content)].count;
        }
        return warp_sum(count);
    }

    // Stores the hits of the flagged ones of some words; returns false if the list is too short.
    __device__ __forceinline__ bool store_flagged(bool is_flagged, u32 bank, u32 word) {
        const Pattern& pattern = arguments.patterns[packed_pattern(word)];
        const u32 count = is_flagged ? pattern.count : 0;
        const lanemask_t one = __ballot_sync(FULL_MASK, count > 0), two = __ballot_sync(FULL_MASK, count > 1);
        const u32 before = (u32)popc(one & lanemask_lt(lane)) + (u32)popc(two & lanemask_lt(lane));
        const u32 total = (u32)popc(one) + (u32)popc(two);
        if (LISTED && !list.has_capacity_for(total)) return false;
        for (u32 i = 0; i < count; i++) {
            const u32 column = 2 * packed_column(word) + pattern.column[i], row = 4 * packed_row(word) + pattern.row[i];
            const float y = (((float)row + 0.5f) + pattern.row_fraction[i]) * __uint_as_float(0x3d6147aeu);
            const u32 id = identifier(sensor_of(bank, word), column, row);
            if (LISTED) {
                list.put_at_start(before + i, id, pattern.column_fraction[i], y);
            } else {
                store_hit(typed<Arrays>(arguments.unsorted), base + flagged + before + i, arguments.events.geometry, id, pattern.column_fraction[i], y);
            }
        }
        list.add_at_start(total);
        flagged += total;
        return true;
    }

    // Looks for the candidates of the next unflagged words.
    __device__ __forceinline__ void find_candidates() {
        const u32 count = min((u32)LANES, words_in - words_out);
        u32 index = 0, bits = 0;
        if (lane < count) {
            index = shared.words[(words_out + lane) % WAITING_WORDS];
            const u32 bank = shared.banks.bank_of(index), word = word_at(bank, index);
            Neighbours neighbours(packed_pattern(word));
            const u32 origin = (word & PACKED_ADDRESS) - NEIGHBOUR_ROWS;
            for_each_near(bank, origin, OUTSIDE_NEIGHBOURS, [&](u32 other) {
                const u32 distance = other - origin;
                neighbours.add(packed_column(distance), packed_row(distance), packed_pattern(other));
            });
            bits = neighbours.candidates();
        }
        words_out += count;
        // Each half has one at most.
        const u32 lower = bits & 0x33, upper = bits & 0xcc;
        const lanemask_t in_lower = __ballot_sync(FULL_MASK, lower != 0), in_upper = __ballot_sync(FULL_MASK, upper != 0);
        u32 at = candidates_in + (u32)popc(in_lower & lanemask_lt(lane)) + (u32)popc(in_upper & lanemask_lt(lane));
        if (lower != 0) shared.candidates[at++ % WAITING_CANDIDATES] = index << 3 | ((u32)__ffs((int)lower) - 1);
        if (upper != 0) shared.candidates[at % WAITING_CANDIDATES] = index << 3 | ((u32)__ffs((int)upper) - 1);
        candidates_in += (u32)popc(in_lower) + (u32)popc(in_upper);
        __syncwarp();
    }

    // Grows the clusters of the next candidates; returns false if the list is too short.
    __device__ __forceinline__ bool grow_clusters() {
        const u32 count = min((u32)LANES, candidates_in - candidates_out);
        u32 word = 0, bank = 0;
        Sums sums = {0, 0, 0};
        if (lane < count) {
            const u32 candidate = shared.candidates[(candidates_out + lane) % WAITING_CANDIDATES];
            bank = shared.banks.bank_of(candidate >> 3);
            word = word_at(bank, candidate >> 3);
            Window window = {0, 0, 0};
            const u32 origin = (word & (PACKED_ADDRESS | PACKED_SENSOR)) - (WINDOW_COLUMNS << 8) - WINDOW_ROWS;
            for_each_near(bank, origin, OUTSIDE_WINDOW, [&](u32 other) {
                const u32 distance = other - origin;
                window.add(packed_column(distance), packed_row(distance), packed_pattern(other));
            });
            sums = sums_of(cluster_of(window, candidate & 7));
        }
        candidates_out += count;
        const lanemask_t found = __ballot_sync(FULL_MASK, sums.pixels > 0);
        const u32 total = (u32)popc(found);
        if (LISTED && !list.has_capacity_for(total)) return false;
        if (sums.pixels > 0) store_grown((u32)popc(found & lanemask_lt(lane)), bank, word, sums);
        list.add_at_end(total);
        grown += total;
        __syncwarp();
        return true;
    }

    __device__ __forceinline__ void store_grown(u32 before, u32 bank, u32 word, const Sums& sums) const {
        const i32 n = (i32)sums.pixels;
        const i32 x = (i32)sums.columns + n * (2 * (i32)packed_column(word) - 6);
        const i32 y = (i32)sums.rows + n * (4 * (i32)packed_row(word) - 8);
        const i32 column = x / n, row = y / n;
        const float column_fraction = (float)x / (float)n - (float)column, row_fraction = (float)y / (float)n - (float)row;
        const float local_y = (((float)row + 0.5f) + row_fraction) * __uint_as_float(0x3d6147aeu);
        const u32 id = identifier(sensor_of(bank, word), (u32)column, (u32)row);
        if (LISTED) {
            list.put_at_end(before, id, column_fraction, local_y);
        } else {
            store_hit(typed<Arrays>(arguments.unsorted), base + all_flagged + grown + before, arguments.events.geometry, id, column_fraction, local_y);
        }
    }

    // Takes words and candidates while there is one for each lane, or, if they are the last ones, all of them;
    // returns false if the list is too short. One loop with each step once: the code has to fit into the cache.
    __device__ __forceinline__ bool empty_queues(bool are_last) {
        while (true) {
            const u32 words = words_in - words_out, candidates = candidates_in - candidates_out;
            if (candidates >= LANES || (are_last && words == 0 && candidates > 0)) {
                if (!grow_clusters()) return false;
            } else if (words >= LANES || (are_last && words > 0)) {
                find_candidates();
            } else {
                return true;
            }
        }
    }

  public:
    __device__ __forceinline__ ClusterFinder(
        const FindClusters& arguments, ClusterShared& shared, PairList& list, const u32* packed_words, u32 version, u32 base)
        : arguments(arguments), shared(shared), list(list), packed_words(packed_words), version(version), base(base),
          lane(threadIdx.x % LANES) {}

    // Finds the clusters; returns false if the list is too short.
    __device__ __forceinline__ bool find() {
        const u32 words = shared.banks.words();
        if (!LISTED) all_flagged = count_flagged(words);
        for (u32 first = 0; first < words; first += LANES) {
            const u32 index = first + lane;
            const bool is_word = index < words;
            const u32 bank = is_word ? shared.banks.bank_of(index) : 0, word = is_word ? word_at(bank, index) : 0;
            if (!store_flagged(is_word && (word & PACKED_FLAG) != 0, bank, word)) return false;
            const bool is_unflagged = is_word && (word & PACKED_FLAG) == 0;
            const lanemask_t unflagged = __ballot_sync(FULL_MASK, is_unflagged);
            if (is_unflagged) shared.words[(words_in + (u32)popc(unflagged & lanemask_lt(lane))) % WAITING_WORDS] = index;
            words_in += (u32)popc(unflagged);
            __syncwarp();
            if (!empty_queues(first + LANES >= words)) return false;
        }
        return true;
    }

    // Hits that were found, and those that were estimated.
    __device__ __forceinline__ u32 count() const { return flagged + grown; }
    __device__ __forceinline__ u32 estimate() const { return flagged + candidates_in; }
};

// Copies the words of a pair of modules to shared memory, packed; three more, which are looked at and left out,
// follow in the memory of the list.
__device__ __forceinline__ void pack_words(const Events& events, const PairBanks& banks, u32 version, u32* words) {
    const u32 lane = threadIdx.x % LANES;
#pragma unroll 1
    for (u32 word = lane; word < banks.words(); word += LANES) {
        const u32 bank = banks.bank_of(word);
        words[word] = packed(events.words[banks.first_word[bank] + word - banks.before[bank]], version);
    }
    if (lane < 3) words[banks.words() + lane] = 0;
    __syncwarp();
}

// Finds the clusters of a pair of modules that has too many for the list in `memory`.
template <bool SORTED, class Arrays>
__device__ __noinline__ PairHits find_many(
    const FindClusters& arguments, ClusterShared& shared, unsigned char* memory, u32 version, u32 base) {
    PairList none(nullptr, 0);
    ClusterFinder<false, Arrays> finder(arguments, shared, none, nullptr, version, base);
    finder.find();
    __syncwarp();
    if (SORTED) sort_unlisted<Arrays>(arguments, finder.count(), base, memory);
    return {base, finder.count(), finder.estimate(), 0};
}

template <bool SORTED, class Arrays> __device__ __forceinline__ void find_clusters(const FindClusters& arguments) {
    SMEM_DYN(unsigned char, memory);
    __shared__ ClusterShared all_shared[PAIR_WARPS];
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const u32 number = blockIdx.x * PAIR_WARPS + warp;
    // Whole warps.
    const SelectedPairs& launched = arguments.launched;
    if (number >= launched.count) return;
    const u32 of_all = number_of_pair(launched, number, arguments.events.first);
    const u32 event = of_all / PAIRS, pair = of_all % PAIRS;
    const EventHeader header = arguments.events.headers[event];
    if (header.kind == RETINA) return;
    ClusterShared& shared = all_shared[warp];
    unsigned char* list_memory = memory + warp * PairList::bytes(launched.list_capacity);
    PairList list(list_memory, launched.list_capacity);
    u32* words = list.scratch();
    const u32 base = arguments.events.bases[event] + find_banks(arguments.events, header, pair, shared.banks);
    if (shared.banks.words() > launched.max_words) return;
    const float* geometry = arguments.events.geometry;
    PairHits found = {base, 0, 0, 0};
    bool is_listed = shared.banks.words() <= launched.list_capacity;
    if (is_listed) {
        pack_words(arguments.events, shared.banks, header.version, words);
        ClusterFinder<true, Arrays> finder(arguments, shared, list, words, header.version, base);
        is_listed = finder.find();
        found.count = finder.count();
        found.estimate = finder.estimate();
        if (is_listed && SORTED) {
            list.store_sorted(geometry, typed<Arrays>(arguments.sorted), base);
        } else if (is_listed) {
            list.store_unsorted(geometry, typed<Arrays>(arguments.unsorted), base);
        }
    }
    if (!is_listed) found = find_many<SORTED, Arrays>(arguments, shared, list_memory, header.version, base);
    if (lane == 0) arguments.pairs[of_all] = found;
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_find_clusters, FindClusters, (PAIR_THREADS), find_clusters<false, HitArrays>)
KERNEL_INSTANCE(velo_find_hits, FindClusters, (PAIR_THREADS, PAIR_BLOCKS), find_clusters<true, HitArrays>)
KERNEL_INSTANCE(velo_find_half_clusters, FindClusters, (PAIR_THREADS), find_clusters<false, HalfArrays>)
KERNEL_INSTANCE(velo_find_half_hits, FindClusters, (PAIR_THREADS, PAIR_BLOCKS), find_clusters<true, HalfArrays>)
