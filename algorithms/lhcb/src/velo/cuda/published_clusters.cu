// nvcc: -fmad=false
// Clusters as the experiment finds them: a block for each event. Flagged super-pixels are looked up by pattern;
// a thread grows the cluster of a candidate in masks of bits. Atomics give hits their slots in a pair of modules.
#include "published.h"
#include "window.h"

namespace velo::published {

// Banks at a time, which neighbouring threads take, and threads that take the words of each.
constexpr u32 CLUSTER_BANKS = 16;
constexpr u32 CLUSTER_WORDS = 16;
constexpr u32 MASK_THREADS = CLUSTER_BANKS * CLUSTER_WORDS;
// Hits of candidates are created after those of flagged super-pixels.
constexpr u32 FROM_CANDIDATE = 1u << 31;

struct FindMaskedClusters {
    Events events;
    const Pattern* patterns;
    const u8* bank_of_sensor;
    const u32* candidate_offsets;
    const u32* candidates;
    const u32* candidate_counts;
    // Index of the first hit of each pair of modules of the batch's events, and the end of the last one.
    const u32* offsets;
    HitArrays hits;
    // Of each hit its position in the order of the experiment's CPU code.
    u32* created;
    PairHits* pairs;
};

// Pixels of a cluster with the sums of their columns and rows in the window, pixel by pixel.
struct Sums {
    u32 pixels = 0, columns = 0, rows = 0;

    __device__ __forceinline__ explicit Sums(const ClusterFields& cluster) {
        add(cluster.west, 0);
        add(cluster.main, 4);
    }

  private:
    __device__ __forceinline__ void add(u64 field, u32 first_column) {
        while (field != 0) {
            const u32 bit = (u32)__ffsll((long long)field) - 1;
            pixels++;
            columns += first_column + bit / 16;
            rows += bit % 16;
            field &= field - 1;
        }
    }
};

class ClusterStore {
    const FindMaskedClusters& arguments;
    u32* counts;
    const u32* offsets;

  public:
    __device__ __forceinline__ ClusterStore(const FindMaskedClusters& arguments, u32* counts)
        : arguments(arguments), counts(counts), offsets(arguments.offsets + blockIdx.x * PAIRS) {}

    __device__ __forceinline__ void add(
        u32 sensor, u32 column, u32 row, float column_fraction, float row_fraction, u32 created) const {
        const u32 pair = sensor / 8;
        const u32 index = offsets[pair] + atomicAdd(&counts[pair], 1u);
        const float y = (((float)row + 0.5f) + row_fraction) * __uint_as_float(0x3d6147aeu);
        const u32 id = identifier(sensor, column, row);
        store_hit(arguments.hits, index, arguments.events.geometry, id, column_fraction, y);
        arguments.created[index] = created;
    }

    __device__ __forceinline__ void add_flagged(u32 sensor, u32 word, u32 created) const {
        const Pattern& pattern = arguments.patterns[word & 255];
        const u32 column = 2 * (u32)column_of(word), row = 4 * (u32)row_of(word);
        for (u32 i = 0; i < pattern.count; i++) {
            add(sensor, column + pattern.column[i], row + pattern.row[i], pattern.column_fraction[i],
                pattern.row_fraction[i], created + i);
        }
    }

    __device__ __forceinline__ void add_grown(u32 sensor, u32 word, const Sums& sums, u32 created) const {
        const i32 n = (i32)sums.pixels;
        const i32 x = (i32)sums.columns + n * (2 * column_of(word) - 6), y = (i32)sums.rows + n * (4 * row_of(word) - 8);
        const i32 column = x / n, row = y / n;
        add(sensor, (u32)column, (u32)row, (float)x / (float)n - (float)column, (float)y / (float)n - (float)row, created);
    }
};

// Unflagged pixels of the same sensor around a word of a bank.
__device__ __forceinline__ Window window_of(const EventHeader& header, const BankWords& bank, u32 word) {
    const u32 sensor = sensor_of(header, bank, word);
    Window window = {0, 0, 0};
    for (u32 other = 0; other < bank.count; other++) {
        const u32 content = bank.words[other];
        if (content >> 31 != 0 || sensor_of(header, bank, content) != sensor) continue;
        const i32 column = column_of(content) - column_of(word) + 3, row = row_of(content) - row_of(word) + 2;
        if (column < 0 || column > 4 || row < 0 || row > 3) continue;
        window.add((u32)column, (u32)row, content & 255);
    }
    return window;
}

__device__ __forceinline__ void find_masked_clusters(const FindMaskedClusters& arguments) {
    __shared__ u32 counts[PAIRS];
    const u32 event = arguments.events.first + blockIdx.x;
    const EventHeader header = arguments.events.headers[event];
    if (header.kind == RETINA) return;
    if (threadIdx.x < PAIRS) counts[threadIdx.x] = 0;
    __syncthreads();
    const ClusterStore store(arguments, counts);
    // Words in the order of the event; each can make two hits.
    const u32* first_word = header.banks == 0 ? nullptr : words_of(arguments.events, header, 0).words;
    const auto creation = [&](const u32* word) { return 2 * (u32)(word - first_word); };
    for (u32 index = threadIdx.x % CLUSTER_BANKS; index < header.banks; index += CLUSTER_BANKS) {
        const BankWords bank = words_of(arguments.events, header, index);
        for (u32 i = threadIdx.x / CLUSTER_BANKS; i < bank.count; i += CLUSTER_WORDS) {
            const u32 word = bank.words[i];
            if (word >> 31 != 0) store.add_flagged(sensor_of(header, bank, word), word, creation(bank.words + i));
        }
    }
    const u32* candidates = arguments.candidates + arguments.candidate_offsets[blockIdx.x];
    const u32 count = arguments.candidate_counts[blockIdx.x];
    for (u32 i = threadIdx.x; i < count; i += MASK_THREADS) {
        const u32 candidate = candidates[i];
        const u32 bit = 7 - (candidate & 7), sensor = candidate >> 3 & 255;
        const u32 index = arguments.bank_of_sensor[blockIdx.x * SENSORS + sensor];
        const BankWords bank = words_of(arguments.events, header, index);
        const u32* word = bank.words + (candidate >> 11);
        const Sums sums(cluster_of(window_of(header, bank, *word), bit));
        const u32 half = bit % 4 / 2;
        if (sums.pixels > 0) store.add_grown(sensor, *word, sums, FROM_CANDIDATE | (creation(word) + half));
    }
    __syncthreads();
    if (threadIdx.x < PAIRS) {
        const u32* offsets = arguments.offsets + blockIdx.x * PAIRS;
        const u32 pair = threadIdx.x, first = offsets[pair];
        arguments.pairs[event * PAIRS + pair] = {first, counts[pair], offsets[pair + 1] - first, first - offsets[0]};
    }
}

}  // namespace velo::published

using namespace velo::published;

KERNEL_INSTANCE(velo_published_find_clusters, FindMaskedClusters, (MASK_THREADS), find_masked_clusters)
