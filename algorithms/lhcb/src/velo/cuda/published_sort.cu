// nvcc: -fmad=false
// Hits by angle as the experiment sorts them, and clusters of the readout, decoded and sorted: a block for each
// event, pair of modules by pair of modules; the rank of a hit is the number of smaller ones.
#include "pair_banks.h"
#include "published.h"

namespace velo::published {

constexpr u32 RANK_THREADS = 64;

struct SortByPhi {
    Events events;
    HitArrays from;
    // Of each hit its position in the order of creation; null if hits are in that order.
    const u32* created;
    HitArrays to;
    const PairHits* pairs;
};

struct DecodeRetina {
    Events events;
    // Index of the first hit of each pair of modules of the batch's events, and the end of the last one.
    const u32* offsets;
    // Hits in the order of the words, and sorted.
    HitArrays unsorted;
    HitArrays sorted;
    PairHits* pairs;
};

__device__ __forceinline__ void sort_by_phi(const SortByPhi& arguments) {
    const u32 event = arguments.events.first + blockIdx.x;
    if (arguments.events.headers[event].kind == RETINA) return;
    for (u32 index = 0; index < PAIRS; index++) {
        const PairHits pair = arguments.pairs[event * PAIRS + index];
        const u32* created = arguments.created;
        const auto is_earlier = [=](u32 one, u32 other) {
            return created == nullptr ? one < other : created[pair.first + one] < created[pair.first + other];
        };
        store_by_rank<RANK_THREADS>(arguments.from, arguments.to, pair.first, pair.count, ~0ull, is_earlier);
    }
}

// Key of a word that is no cluster: behind all others.
constexpr u64 NO_CLUSTER = 0xffffffffffffull;

__device__ __forceinline__ void store_no_cluster(const HitArrays& hits, u32 index) {
    hits.hits[index].id = (u32)NO_CLUSTER;
    hits.phi[index] = (i16)0x7fff;
}

__device__ __forceinline__ void store_decoded(
    const DecodeRetina& arguments, const EventHeader& header, u32 first_sensor, u32 word, u32 index) {
    const bool is_old = header.version == 2;
    const u32 bits = is_old ? 3 : 2, mask = (1u << bits) - 1;
    const float unit = is_old ? 0.125f : 0.25f;
    const u32 row_fraction = word & mask, row = word >> bits & 255;
    const u32 column_fraction = word >> (bits + 8) & mask, column = word >> (2 * bits + 8) & 0x3ff;
    const u32 sensor = first_sensor + (header.version >= 4 ? word >> 22 & 1 : 0);
    const u32 column_mark = !is_old && column_fraction != 0 ? 1u << 27 : 0;
    const u32 row_mark = !is_old && row_fraction != 0 ? 1u << 26 : 0;
    const float y = (0.5f + ((float)row + (float)row_fraction * unit)) * __uint_as_float(0x3d6147aeu);
    const u32 id = identifier(sensor, column, row) | column_mark | row_mark;
    store_hit(arguments.unsorted, index, arguments.events.geometry, id, (float)column_fraction * unit, y);
}

__device__ __forceinline__ void decode_retina(const DecodeRetina& arguments) {
    __shared__ PairBanks banks;
    __shared__ u32 clusters;
    const Events& events = arguments.events;
    const u32 event = events.first + blockIdx.x;
    const EventHeader header = events.headers[event];
    if (header.kind != RETINA) return;
    const u32* offsets = arguments.offsets + blockIdx.x * PAIRS;
    for (u32 pair = 0; pair < PAIRS; pair++) {
        if (threadIdx.x == 0) clusters = 0;
        if (threadIdx.x < LANES) find_banks(events, header, pair, banks);
        __syncthreads();
        const u32 first = offsets[pair], words = banks.words();
        for (u32 word = threadIdx.x; word < words; word += RANK_THREADS) {
            const u32 bank = banks.bank_of(word);
            const u32 content = events.words[banks.first_word[bank] + word - banks.before[bank]];
            if (content == 0) {
                store_no_cluster(arguments.unsorted, first + word);
            } else {
                store_decoded(arguments, header, banks.sensor[bank], content, first + word);
                atomicAdd(&clusters, 1u);
            }
        }
        __syncthreads();
        const auto is_earlier = [](u32 one, u32 other) { return one < other; };
        store_by_rank<RANK_THREADS>(arguments.unsorted, arguments.sorted, first, words, NO_CLUSTER, is_earlier);
        if (threadIdx.x == 0) arguments.pairs[event * PAIRS + pair] = {first, clusters, words, first - offsets[0]};
        __syncthreads();
    }
}

}  // namespace velo::published

using namespace velo::published;

KERNEL_INSTANCE(velo_published_sort_by_phi, SortByPhi, (RANK_THREADS), sort_by_phi)
KERNEL_INSTANCE(velo_published_decode, DecodeRetina, (RANK_THREADS), decode_retina)
