// nvcc: -fmad=false
// Hits of the clusters that the readout has found, sorted: a warp for each pair of modules of an event.
// Words that are 0 are no clusters, and leave no gap.
#include "pair_banks.h"
#include "pair_list.h"

namespace velo {

struct DecodeClusters {
    Events events;
    // Hits in order of the words, of pairs of modules with many, and sorted ones.
    AnyHits unsorted;
    AnyHits sorted;
    PairHits* pairs;
    SelectedPairs launched;
};

// A cluster: its identifier, and its point on the sensor.
struct DecodedCluster {
    u32 id;
    float fraction, y;

    __device__ __forceinline__ DecodedCluster(u32 content, u32 sensor, bool has_eighths) {
        const u32 fraction_bits = has_eighths ? 3 : 2, fraction_mask = (1u << fraction_bits) - 1;
        const float unit = has_eighths ? 0.125f : 0.25f;
        const u32 row_fraction = content & fraction_mask, row = content >> fraction_bits & 255;
        const u32 column_fraction = content >> (fraction_bits + 8) & fraction_mask;
        const u32 column = content >> (2 * fraction_bits + 8) & 0x3ff;
        const u32 marks = has_eighths ? 0 : (column_fraction != 0 ? 1u << 27 : 0) | (row_fraction != 0 ? 1u << 26 : 0);
        id = identifier(sensor, column, row) | marks;
        fraction = (float)column_fraction * unit;
        y = (0.5f + ((float)row + (float)row_fraction * unit)) * __uint_as_float(0x3d6147aeu);
    }
};

template <class Arrays> __device__ __forceinline__ void decode_clusters(const DecodeClusters& arguments) {
    SMEM_DYN(unsigned char, memory);
    __shared__ PairBanks all_banks[PAIR_WARPS];
    const Events& events = arguments.events;
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const u32 number = blockIdx.x * PAIR_WARPS + warp;
    // Whole warps.
    const SelectedPairs& launched = arguments.launched;
    if (number >= launched.count) return;
    const u32 of_all = number_of_pair(launched, number, events.first);
    const u32 event = of_all / PAIRS, pair = of_all % PAIRS;
    const EventHeader header = events.headers[event];
    if (header.kind != RETINA) return;
    PairBanks& banks = all_banks[warp];
    unsigned char* list_memory = memory + warp * PairList::bytes(launched.list_capacity);
    PairList list(list_memory, launched.list_capacity);
    const u32 base = events.bases[event] + find_banks(events, header, pair, banks);
    const u32 words = banks.words();
    if (words > launched.max_words) return;
    const bool is_listed = words <= launched.list_capacity;
    for (u32 first = 0; first < words; first += LANES) {
        const u32 word = first + lane;
        u32 content = 0, bank = 0;
        if (word < words) {
            bank = banks.bank_of(word);
            content = events.words[banks.first_word[bank] + word - banks.before[bank]];
        }
        const lanemask_t found = __ballot_sync(FULL_MASK, content != 0);
        if (content != 0) {
            const u32 before = (u32)popc(found & lanemask_lt(lane));
            const u32 sensor = banks.sensor[bank] + (header.version >= 4 ? content >> 22 & 1 : 0);
            const DecodedCluster cluster(content, sensor, header.version == 2);
            if (is_listed) {
                list.put_at_start(before, cluster.id, cluster.fraction, cluster.y);
            } else {
                store_hit(typed<Arrays>(arguments.unsorted), base + list.count() + before, events.geometry, cluster.id, cluster.fraction, cluster.y);
            }
        }
        list.add_at_start((u32)popc(found));
    }
    __syncwarp();
    if (is_listed) {
        list.store_sorted(events.geometry, typed<Arrays>(arguments.sorted), base);
    } else {
        sort_unlisted<Arrays>(arguments, list.count(), base, list_memory);
    }
    if (lane == 0) arguments.pairs[of_all] = {base, list.count(), words, 0};
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_decode_clusters, DecodeClusters, (PAIR_THREADS, PAIR_BLOCKS), decode_clusters<HitArrays>)
KERNEL_INSTANCE(velo_decode_half_clusters, DecodeClusters, (PAIR_THREADS, PAIR_BLOCKS), decode_clusters<HalfArrays>)
