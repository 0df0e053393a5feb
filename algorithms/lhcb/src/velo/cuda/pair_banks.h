// Banks of a pair of modules in the shared memory of a warp.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

// Pairs of modules of a block: one for each warp.
constexpr u32 PAIR_THREADS = 64;
constexpr u32 PAIR_WARPS = PAIR_THREADS / LANES;
// Blocks of a multiprocessor of the kernels that sort hits too: the sort of large pairs must not take their registers.
constexpr u32 PAIR_BLOCKS = 20;

// Pairs of modules of a launch, with a warp for each.
struct SelectedPairs {
    // Hits that fit into shared memory.
    u32 list_capacity;
    // Pairs with more words, or hits, than this are left out.
    u32 max_words;
    u32 count;
    // Of each event * PAIRS + pair; null for all pairs of the events.
    const u32* selected;
};

// Number among the pairs of all events of one of a launch.
__device__ __forceinline__ u32 number_of_pair(const SelectedPairs& launched, u32 index, u32 first_event) {
    return launched.selected == nullptr ? first_event * PAIRS + index : launched.selected[index];
}

// Of each bank the index of its first word, its first sensor, and the words in the banks before: for banks
// that are not there, all words.
struct PairBanks {
    u32 first_word[MAX_BANKS_OF_PAIR], sensor[MAX_BANKS_OF_PAIR], before[MAX_BANKS_OF_PAIR + 1];

    // Index of the bank of a word.
    __device__ __forceinline__ u32 bank_of(u32 word) const {
        u32 bank = word >= before[4] ? 4 : 0;
        bank += word >= before[bank + 2] ? 2 : 0;
        return bank + (word >= before[bank + 1] ? 1 : 0);
    }

    __device__ __forceinline__ u32 words() const { return before[MAX_BANKS_OF_PAIR]; }
};
static_assert(MAX_BANKS_OF_PAIR == 8, "bank_of halves eight");

// Finds the banks of a pair of modules; returns the slots before its first. A warp calls it.
__device__ __forceinline__ u32 find_banks(const Events& events, const EventHeader& event, u32 pair, PairBanks& found) {
    const u32 lane = threadIdx.x % LANES;
    const Bank* banks = events.banks + event.first_bank;
    const u32 count = event.banks, per_pair = event.version >= 4 ? 4 : 8;
    // Complete events have all of them.
    const bool is_complete = count == PAIRS * per_pair;
    const auto is_before = [&](u32 pair) {
        return [=](u32 bank) { return first_sensor(event, banks[bank]) / 8 < pair; };
    };
    const u32 first = is_complete ? pair * per_pair : lower_bound(0, count, is_before(pair));
    const u32 end = is_complete ? first + per_pair : lower_bound(first, count, is_before(pair + 1));
    u32 words = 0;
    if (lane < end - first) {
        const Bank bank = banks[first + lane];
        const bool has_count = event.version < 4 && bank.words > 0;
        found.first_word[lane] = bank.first_word + (has_count ? 1 : 0);
        found.sensor[lane] = first_sensor(event, bank);
        words = has_count ? events.words[bank.first_word] : bank.words;
    }
    const u32 up_to = warp_inclusive_sum(words);
    if (lane == 0) found.before[0] = 0;
    if (lane < MAX_BANKS_OF_PAIR) found.before[lane + 1] = up_to;
    __syncwarp();
    const u32 words_before = end == first ? 0 : banks[first].first_word - banks[0].first_word;
    return event.kind == RETINA ? words_before : 2 * words_before;
}

}  // namespace velo
