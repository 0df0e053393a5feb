// nvcc: -fmad=false
// Clusters of super-pixels, sorted or in order of creation: a block for each pair of modules of an event.
//
// Hits of flagged super-pixels come first, then those that grow from candidates, both in the order of
// the words: prefix sums over the block give each its index, so that the result is the same each time.
// Neighbours are looked for among the words of the bank; the lanes of a warp mostly read the same word.
// Fields of 4 x 16 pixels are numbers of 64 bits.
#include "pair_list.h"

namespace velo {

constexpr u32 CLUSTER_THREADS = 64;
// Blocks of a multiprocessor, which leave enough registers.
constexpr u32 CLUSTER_BLOCKS = 16;
// Unflagged words that are collected before their clusters grow.
constexpr u32 LIST = 512;

// Clusters of a flagged super-pixel: their number, columns, rows and fractions.
struct Pattern {
    u32 count;
    u32 column[2], row[2];
    float column_fraction[2], row_fraction[2];
};

struct FindClusters {
    Events events;
    const Pattern* patterns;
    // Hits in order of creation, of all pairs of modules or of those with many, and sorted ones.
    HitArrays unsorted;
    HitArrays sorted;
    PairHits* pairs;
};

struct FindHalfClusters {
    Events events;
    const Pattern* patterns;
    // Hits in order of creation, of all pairs of modules or of those with many, and sorted ones.
    HalfArrays unsorted;
    HalfArrays sorted;
    PairHits* pairs;
};

struct ClusterShared {
    PairBanks banks;
    PairList hits;
    u32 list[LIST];
    u32 warp_sums[CLUSTER_THREADS / 32];
};

constexpr u64 ALL_COLUMNS = 0x0001000100010001ull;

// Pixels that can be reached from `cluster` in steps to set pixels. Steps to the north-east and
// south-west are off by a row at the ends, as in the experiment.
__device__ __forceinline__ u64 grow(u64 cluster, u64 pixels) {
    constexpr u64 NOT_LAST = 0x7fff * ALL_COLUMNS, NOT_FIRST = 0xfffe * ALL_COLUMNS;
    constexpr u64 NORTH_EAST = 0xfffc * ALL_COLUMNS, SOUTH_WEST = 0x3fff * ALL_COLUMNS;
    while (true) {
        const u64 up = cluster & NOT_LAST, down = cluster & NOT_FIRST;
        const u64 steps = up << 1 | up >> 15 | down >> 1 | down << 15 | cluster << 16 | cluster >> 16 |
            (cluster & NORTH_EAST) << 17 | (cluster & SOUTH_WEST) >> 17;
        const u64 grown = cluster | (steps & pixels);
        if (grown == cluster) return cluster;
        cluster = grown;
    }
}

__device__ __forceinline__ u32 rows_of(u64 field, u32 column) { return (u32)(field >> (16 * column)) & 0xffffu; }
__device__ __forceinline__ u32 near(u32 rows) { return rows | rows << 1 | rows >> 1; }

__device__ __forceinline__ u32 sum_of_columns(u64 field) {
    return (u32)(__popc(rows_of(field, 1)) + 2 * __popc(rows_of(field, 2)) + 3 * __popc(rows_of(field, 3)));
}

__device__ __forceinline__ u32 sum_of_rows(u64 field) {
    return (u32)(__popcll(field & 0xaaaa * ALL_COLUMNS) + 2 * __popcll(field & 0xcccc * ALL_COLUMNS) +
                 4 * __popcll(field & 0xf0f0 * ALL_COLUMNS) + 8 * __popcll(field & 0xff00 * ALL_COLUMNS));
}

// Pixels around a super-pixel.
struct Window {
    // Six rows of its own columns and of the next one: from one below to one above.
    u32 columns[3];
    // Four columns to the west, its own and the two before, and the rows of the next one.
    u64 west, main;
    u32 east;

    __device__ __forceinline__ void add_neighbour(i32 to_east, i32 to_north, u32 pattern) {
        // Its own address counts for itself alone.
        if (to_east < 0 || to_north < -1 || (to_east == 0 && to_north == 0)) return;
        const u32 first = pattern & 15, second = pattern >> 4;
        const u32 shift = (u32)(4 * to_north + 4);
        // Of twelve rows those from the third on are kept.
        const u32 low = first << shift >> 3 & 63, high = second << shift >> 3 & 63;
        if (to_east == 0) {
            columns[0] |= low;
            columns[1] |= high;
        } else {
            columns[2] |= low;
        }
    }

    __device__ __forceinline__ void add_pixels(i32 column, i32 row, u32 pattern) {
        const u64 both = ((u64)(pattern & 15) | (u64)(pattern >> 4) << 16) << (4 * row);
        if (column < 2) {
            west |= both << (32 * column);
        } else if (column < 4) {
            main |= both << (32 * (column - 2));
        } else {
            east |= (u32)both & 0xffffu;
        }
    }

    // Bits of the pixels that have no neighbour to the north or east.
    __device__ __forceinline__ u32 candidates() const {
        const u32 first = columns[0] & ~(columns[0] >> 1) & ~near(columns[1]);
        const u32 second = columns[1] & ~(columns[1] >> 1) & ~near(columns[2]);
        return (first >> 1 & 15) | (second >> 1 & 15) << 4;
    }
};

// Pixels of a cluster with the sums of their columns and rows in the window; no pixels if there is no
// cluster.
struct Sums {
    u32 pixels, columns, rows;
};

__device__ __forceinline__ Sums cluster_of(const Window& window, u32 bit) {
    constexpr u64 FIRST_AND_LAST_ROW = 0x8001 * ALL_COLUMNS;
    constexpr u64 LAST_ROW_OR_FIRST_COLUMN = 0x800080008000ffffull;
    const u64 own = 1ull << (16 * (2 + bit / 4) + 8 + bit % 4);
    const u64 cluster = grow(own, window.main);
    const bool touches_east = (near(rows_of(cluster, 3)) & window.east) != 0;
    const bool has_later = cluster > (own | (own - 1));
    if (touches_east || has_later || (cluster & FIRST_AND_LAST_ROW) != 0) return {0, 0, 0};
    const u64 start = (u64)(near(rows_of(cluster, 0)) & rows_of(window.west, 3)) << 48;
    const u64 extension = start == 0 ? 0 : grow(start, window.west);
    if ((extension & LAST_ROW_OR_FIRST_COLUMN) != 0) return {0, 0, 0};
    const u32 own_pixels = (u32)__popcll(cluster);
    return {
        own_pixels + (u32)__popcll(extension),
        sum_of_columns(cluster) + 4 * own_pixels + sum_of_columns(extension),
        sum_of_rows(cluster) + sum_of_rows(extension),
    };
}

// Finds the clusters of a pair of modules.
template <class Arguments> class ClusterFinder {
    const Arguments& arguments;
    ClusterShared& shared;
    const u32 words, version;
    // Index of the first hit, and those written.
    const u32 base;
    u32 written = 0;
    // Candidates of this thread.
    u32 candidates = 0;
    // True if all hits fit into the list.
    bool is_listed = false;

    __device__ __forceinline__ u32 word_at(u32 bank, u32 word) const {
        return arguments.events.words[shared.banks.first_word[bank] + word - shared.banks.before[bank]];
    }

    __device__ __forceinline__ u32 sensor_of(u32 bank, u32 content) const {
        return shared.banks.sensor[bank] + (version >= 4 ? content >> 23 & 1 : 0);
    }

    __device__ __forceinline__ void store_cluster(
        u32 index, u32 sensor, u32 column, u32 row, float column_fraction, float row_fraction) const {
        const float y = (((float)row + 0.5f) + row_fraction) * __uint_as_float(0x3d6147aeu);
        const u32 id = identifier(sensor, column, row);
        if (is_listed) {
            shared.hits.put(index, id, column_fraction, y);
        } else {
            store_hit(arguments.unsorted, base + index, arguments.events.geometry, sensor, id, column, column_fraction, y);
        }
    }

    __device__ __forceinline__ void store_flagged(u32 index, u32 sensor, u32 content) const {
        const Pattern& pattern = arguments.patterns[content & 255];
        const u32 column = 2 * (content >> 14 & 0x1ff), row = 4 * (content >> 8 & 63);
        for (u32 i = 0; i < pattern.count; i++) {
            store_cluster(index + i, sensor, column + pattern.column[i], row + pattern.row[i],
                          pattern.column_fraction[i], pattern.row_fraction[i]);
        }
    }

    __device__ __forceinline__ void store_grown(u32 index, u32 sensor, u32 content, const Sums& sums) const {
        const i32 n = (i32)sums.pixels;
        const i32 x = (i32)sums.columns + n * (2 * (i32)(content >> 14 & 0x1ff) - 6);
        const i32 y = (i32)sums.rows + n * (4 * (i32)(content >> 8 & 63) - 8);
        const i32 column = x / n, row = y / n;
        store_cluster(index, sensor, (u32)column, (u32)row, (float)x / (float)n - (float)column,
                      (float)y / (float)n - (float)row);
    }

    __device__ Window window_of(u32 bank, u32 content) const {
        const i32 column = (i32)(content >> 14 & 0x1ff), row = (i32)(content >> 8 & 63);
        const u32 sensor_bit = version >= 4 ? content & 1u << 23 : 0;
        Window window = {{(content & 15) << 1, (content >> 4 & 15) << 1, 0}, 0, 0, 0};
        const u32* own = arguments.events.words + shared.banks.first_word[bank];
        const u32 count = shared.banks.before[bank + 1] - shared.banks.before[bank];
        for (u32 other = 0; other < count; other++) {
            const u32 word = own[other];
            const i32 to_east = (i32)(word >> 14 & 0x1ff) - column, to_north = (i32)(word >> 8 & 63) - row;
            // Neither in the window, nor a neighbour.
            if ((u32)(to_east + 3) > 4 || (u32)(to_north + 2) > 3) continue;
            window.add_neighbour(to_east, to_north, word & 255);
            const bool is_same_sensor = version < 4 || (word & 1u << 23) == sensor_bit;
            if ((word & 1u << 31) == 0 && is_same_sensor) window.add_pixels(to_east + 3, to_north + 2, word & 255);
        }
        return window;
    }

    // Grows the clusters of the words in the list. All threads take part.
    __device__ void grow_list(u32 count) {
        for (u32 first = 0; first < count; first += CLUSTER_THREADS) {
            const u32 at = first + threadIdx.x;
            Sums sums[2] = {{0, 0, 0}, {0, 0, 0}};
            u32 content = 0, bank = 0;
            if (at < count) {
                const u32 word = shared.list[at];
                bank = bank_of(shared.banks, word);
                content = word_at(bank, word);
                const Window window = window_of(bank, content);
                const u32 bits = window.candidates();
                candidates += (u32)__popc(bits);
                if ((bits & 0x33) != 0) sums[0] = cluster_of(window, (u32)__ffs((int)(bits & 0x33)) - 1);
                if ((bits & 0xcc) != 0) sums[1] = cluster_of(window, (u32)__ffs((int)(bits & 0xcc)) - 1);
            }
            const u32 found = (sums[0].pixels > 0 ? 1 : 0) + (sums[1].pixels > 0 ? 1 : 0);
            u32 total;
            u32 index = written + block_exclusive_sum<CLUSTER_THREADS>(found, shared.warp_sums, total);
            for (u32 half = 0; half < 2; half++) {
                if (sums[half].pixels > 0) store_grown(index++, sensor_of(bank, content), content, sums[half]);
            }
            written += total;
            __syncthreads();
        }
    }

  public:
    __device__ ClusterFinder(const Arguments& arguments, ClusterShared& shared, u32 version, u32 base)
        : arguments(arguments), shared(shared), words(shared.banks.before[shared.banks.banks]), version(version),
          base(base) {}

    // Finds the clusters, and stores them.
    template <bool SORTED> __device__ PairHits find() {
        u32 flagged = 0, unflagged = 0;
        for (u32 word = threadIdx.x; word < words; word += CLUSTER_THREADS) {
            const u32 content = word_at(bank_of(shared.banks, word), word);
            if (content >> 31 != 0) {
                flagged += arguments.patterns[content & 255].count;
            } else {
                unflagged++;
            }
        }
        u32 all_flagged, all_unflagged, next = 0, listed = 0;
        block_exclusive_sum<CLUSTER_THREADS>(flagged, shared.warp_sums, all_flagged);
        __syncthreads();
        block_exclusive_sum<CLUSTER_THREADS>(unflagged, shared.warp_sums, all_unflagged);
        __syncthreads();
        written = all_flagged;
        is_listed = all_flagged + 2 * all_unflagged <= LIST_CAPACITY;
        for (u32 first = 0; first < words; first += CLUSTER_THREADS) {
            const u32 word = first + threadIdx.x;
            const bool is_word = word < words;
            const u32 bank = is_word ? bank_of(shared.banks, word) : 0;
            const u32 content = is_word ? word_at(bank, word) : 0;
            const bool is_flagged = is_word && content >> 31 != 0;
            const u32 count = is_flagged ? arguments.patterns[content & 255].count : 0;
            // Two sums in one: clusters of flagged words, and unflagged words.
            const u32 both = count | (is_word && !is_flagged ? 1u << 16 : 0u);
            u32 total;
            const u32 before = block_exclusive_sum<CLUSTER_THREADS>(both, shared.warp_sums, total);
            if (is_flagged) {
                store_flagged(next + (before & 0xffff), sensor_of(bank, content), content);
            } else if (is_word) {
                shared.list[listed + (before >> 16)] = word;
            }
            next += total & 0xffff;
            listed += total >> 16;
            __syncthreads();
            if (listed > LIST - CLUSTER_THREADS) {
                grow_list(listed);
                listed = 0;
            }
        }
        grow_list(listed);
        u32 all_candidates;
        // With barriers, after which all hits can be read.
        block_exclusive_sum<CLUSTER_THREADS>(candidates, shared.warp_sums, all_candidates);
        __syncthreads();
        const float* geometry = arguments.events.geometry;
        if (is_listed && SORTED) {
            store_sorted<CLUSTER_THREADS>(shared.hits, written, geometry, arguments.sorted, base);
        } else if (is_listed) {
            store_unsorted<CLUSTER_THREADS>(shared.hits, written, geometry, arguments.unsorted, base);
        } else if (SORTED) {
            sort_in_memory<CLUSTER_THREADS>(arguments.unsorted, written, arguments.sorted, base);
        }
        return {base, written, all_flagged + all_candidates, 0};
    }
};

template <bool SORTED, class Arguments> __device__ __forceinline__ void find_clusters(const Arguments& arguments) {
    __shared__ ClusterShared shared;
    const u32 event = arguments.events.first + blockIdx.x / PAIRS, pair = blockIdx.x % PAIRS;
    const EventHeader header = arguments.events.headers[event];
    // Whole blocks.
    if (header.kind == RETINA) return;
    const u32 before = find_banks(arguments.events, header, pair, shared.banks);
    const u32 base = arguments.events.bases[event] + before;
    ClusterFinder<Arguments> finder(arguments, shared, header.version, base);
    const PairHits found = finder.template find<SORTED>();
    if (threadIdx.x == 0) arguments.pairs[event * PAIRS + pair] = found;
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_find_clusters, FindClusters, (CLUSTER_THREADS, CLUSTER_BLOCKS), find_clusters<false>)
KERNEL_INSTANCE(velo_find_hits, FindClusters, (CLUSTER_THREADS, CLUSTER_BLOCKS), find_clusters<true>)
KERNEL_INSTANCE(velo_find_half_clusters, FindHalfClusters, (CLUSTER_THREADS, CLUSTER_BLOCKS), find_clusters<false>)
KERNEL_INSTANCE(velo_find_half_hits, FindHalfClusters, (CLUSTER_THREADS, CLUSTER_BLOCKS), find_clusters<true>)
