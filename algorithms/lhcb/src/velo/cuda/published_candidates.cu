// nvcc: -fmad=false
// Counts before hits are found, as the experiment makes them: the number of candidates is limited by a thread for each
// event, then a block for each event finds them and estimates the hits of each pair of modules.
#include "published.h"
#include "window.h"

namespace velo::published {

constexpr u32 LIMIT_THREADS = 256;
constexpr u32 WORD_THREADS = 64;
// Banks at a time, which neighbouring threads take, and threads that take the words of each.
constexpr u32 ESTIMATE_BANKS = 16;
constexpr u32 ESTIMATE_WORDS = 16;
constexpr u32 ESTIMATE_THREADS = ESTIMATE_BANKS * ESTIMATE_WORDS;

// Of each event of the batch the maximum number of candidates; of each sensor the index of its bank.
struct LimitCandidates {
    Events events;
    u32* limits;
    u8* bank_of_sensor;
};

// Words of each pair of modules, of events of retina clusters.
struct CountWords {
    Events events;
    u32* estimates;
};

struct EstimateHits {
    Events events;
    const Pattern* patterns;
    // Index of the first candidate of each event.
    const u32* candidate_offsets;
    // Index of the word in its bank << 11 | sensor << 3 | 7 - bit of the pixel.
    u32* candidates;
    u32* candidate_counts;
    // Of each pair of modules of each event.
    u32* estimates;
};

__device__ __forceinline__ void limit_candidates(const LimitCandidates& arguments) {
    const u32 index = blockIdx.x * LIMIT_THREADS + threadIdx.x;
    if (index >= arguments.events.count) return;
    const EventHeader header = arguments.events.headers[arguments.events.first + index];
    u32 words = 0;
    if (header.kind != RETINA) {
        for (u32 bank = 0; bank < header.banks; bank++) {
            const BankWords own = words_of(arguments.events, header, bank);
            words += own.count;
            u8* banks = arguments.bank_of_sensor + index * SENSORS + own.sensor;
            banks[0] = (u8)bank;
            if (header.version >= 4) banks[1] = (u8)bank;
        }
    }
    arguments.limits[index] = 2 * words;
}

__device__ __forceinline__ void count_words(const CountWords& arguments) {
    __shared__ u32 counts[PAIRS];
    const EventHeader header = arguments.events.headers[arguments.events.first + blockIdx.x];
    if (header.kind != RETINA) return;
    if (threadIdx.x < PAIRS) counts[threadIdx.x] = 0;
    __syncthreads();
    for (u32 bank = threadIdx.x; bank < header.banks; bank += WORD_THREADS) {
        const BankWords own = words_of(arguments.events, header, bank);
        atomicAdd(&counts[own.sensor / 8], own.count);
    }
    __syncthreads();
    if (threadIdx.x < PAIRS) arguments.estimates[blockIdx.x * PAIRS + threadIdx.x] = counts[threadIdx.x];
}

// Bits of the candidates of an unflagged word of a bank.
__device__ __forceinline__ u32 candidates_of(const BankWords& bank, u32 word) {
    Neighbours neighbours(word & 255);
    for (u32 other = 0; other < bank.count; other++) {
        const u32 content = bank.words[other];
        const i32 to_east = column_of(content) - column_of(word), to_north = row_of(content) - row_of(word);
        if (to_east < 0 || to_east > 1 || to_north < -1) continue;
        neighbours.add((u32)to_east, (u32)(to_north + 1), content & 255);
    }
    return neighbours.candidates();
}

__device__ __forceinline__ void estimate_hits(const EstimateHits& arguments) {
    __shared__ u32 estimates[PAIRS];
    __shared__ u32 candidates;
    const EventHeader header = arguments.events.headers[arguments.events.first + blockIdx.x];
    if (header.kind == RETINA) return;
    if (threadIdx.x < PAIRS) estimates[threadIdx.x] = 0;
    if (threadIdx.x == 0) candidates = 0;
    __syncthreads();
    u32* list = arguments.candidates + arguments.candidate_offsets[blockIdx.x];
    for (u32 bank = threadIdx.x % ESTIMATE_BANKS; bank < header.banks; bank += ESTIMATE_BANKS) {
        const BankWords own = words_of(arguments.events, header, bank);
        for (u32 index = threadIdx.x / ESTIMATE_BANKS; index < own.count; index += ESTIMATE_WORDS) {
            const u32 word = own.words[index];
            const u32 sensor = sensor_of(header, own, word);
            if (word >> 31 != 0) {
                atomicAdd(&estimates[sensor / 8], arguments.patterns[word & 255].count);
                continue;
            }
            const u32 bits = candidates_of(own, word);
            const u32 halves[2] = {bits & 0x33, bits & 0xcc};
            for (u32 half = 0; half < 2; half++) {
                if (halves[half] == 0) continue;
                const u32 bit = (u32)__ffs((int)halves[half]) - 1;
                list[atomicAdd(&candidates, 1u)] = index << 11 | sensor << 3 | (7 - bit);
                atomicAdd(&estimates[sensor / 8], 1u);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < PAIRS) arguments.estimates[blockIdx.x * PAIRS + threadIdx.x] = estimates[threadIdx.x];
    if (threadIdx.x == 0) arguments.candidate_counts[blockIdx.x] = candidates;
}

}  // namespace velo::published

using namespace velo::published;

KERNEL_INSTANCE(velo_published_limit_candidates, LimitCandidates, (LIMIT_THREADS), limit_candidates)
KERNEL_INSTANCE(velo_published_count_words, CountWords, (WORD_THREADS), count_words)
KERNEL_INSTANCE(velo_published_estimate_hits, EstimateHits, (ESTIMATE_THREADS), estimate_hits)
