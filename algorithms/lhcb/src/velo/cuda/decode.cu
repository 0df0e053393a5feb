// nvcc: -fmad=false
// Hits of the clusters that the readout has found, sorted: a block for each pair of modules of an event.
// Words that are 0 are no clusters, and leave no gap.
#include "pair_list.h"

namespace velo {

constexpr u32 DECODE_THREADS = 64;

struct DecodeClusters {
    Events events;
    // Hits in order of the words, of pairs of modules with many, and sorted ones.
    HitArrays unsorted;
    HitArrays sorted;
    PairHits* pairs;
};

struct DecodeHalfClusters {
    Events events;
    // Hits in order of the words, of pairs of modules with many, and sorted ones.
    HalfArrays unsorted;
    HalfArrays sorted;
    PairHits* pairs;
};

struct DecodeShared {
    PairBanks banks;
    PairList hits;
    u32 warp_sums[DECODE_THREADS / 32];
};

template <class Arguments> __device__ __forceinline__ void decode_clusters(const Arguments& arguments) {
    __shared__ DecodeShared shared;
    const Events& events = arguments.events;
    const u32 event = events.first + blockIdx.x / PAIRS, pair = blockIdx.x % PAIRS;
    const EventHeader header = events.headers[event];
    // Whole blocks.
    if (header.kind != RETINA) return;
    const u32 base = events.bases[event] + find_banks(events, header, pair, shared.banks);
    const u32 words = shared.banks.before[shared.banks.banks];
    const u32 fraction_bits = header.version == 2 ? 3 : 2;
    const float unit = header.version == 2 ? 0.125f : 0.25f;
    const u32 fraction_mask = (1u << fraction_bits) - 1;
    const bool is_listed = words <= LIST_CAPACITY;
    u32 count = 0;
    for (u32 first = 0; first < words; first += DECODE_THREADS) {
        const u32 word = first + threadIdx.x;
        const u32 bank = word < words ? bank_of(shared.banks, word) : 0;
        const u32 content =
            word < words ? events.words[shared.banks.first_word[bank] + word - shared.banks.before[bank]] : 0;
        u32 total;
        const u32 before = block_exclusive_sum<DECODE_THREADS>(content != 0, shared.warp_sums, total);
        if (content != 0) {
            const u32 row_fraction = content & fraction_mask, row = content >> fraction_bits & 255;
            const u32 column_fraction = content >> (fraction_bits + 8) & fraction_mask;
            const u32 column = content >> (2 * fraction_bits + 8) & 0x3ff;
            const u32 sensor = shared.banks.sensor[bank] + (header.version >= 4 ? content >> 22 & 1 : 0);
            const bool has_marks = header.version != 2;
            const u32 marks = (has_marks && column_fraction != 0 ? 1u << 27 : 0) |
                (has_marks && row_fraction != 0 ? 1u << 26 : 0);
            const float y = (0.5f + ((float)row + (float)row_fraction * unit)) * __uint_as_float(0x3d6147aeu);
            const u32 id = identifier(sensor, column, row) | marks;
            const float fraction = (float)column_fraction * unit;
            if (is_listed) {
                shared.hits.put(count + before, id, fraction, y);
            } else {
                store_hit(arguments.unsorted, base + count + before, events.geometry, sensor, id, column, fraction, y);
            }
        }
        count += total;
        __syncthreads();
    }
    if (is_listed) {
        store_sorted<DECODE_THREADS>(shared.hits, count, events.geometry, arguments.sorted, base);
    } else {
        sort_in_memory<DECODE_THREADS>(arguments.unsorted, count, arguments.sorted, base);
    }
    if (threadIdx.x == 0) arguments.pairs[event * PAIRS + pair] = {base, count, words, 0};
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_decode_clusters, DecodeClusters, (DECODE_THREADS), decode_clusters)
KERNEL_INSTANCE(velo_decode_half_clusters, DecodeHalfClusters, (DECODE_THREADS), decode_clusters)
