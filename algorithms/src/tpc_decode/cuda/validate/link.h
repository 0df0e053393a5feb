// Walk through a link page: a step goes over a block for each lane of a team.
//
// The start of a block follows from the number of words of the previous one: each lane follows that
// chain up to its own block, and checks that one.
#pragma once
#include "walk.h"

namespace {

constexpr u32 LINK_MAGIC = 0xfc;
constexpr u32 SAMPLES_IN_DATA_WORD = 10;
constexpr u32 MAX_DATA_WORDS = 15;

// The header of a block: a bit for each channel, then its other fields.
struct LinkHeader {
    u64 low;
    u32 high;
    u32 crossing, data_words, fec, magic;

    __device__ __forceinline__ explicit LinkHeader(uint4 words) {
        low = (u64)words.y << 32 | words.x;
        high = low_half(words.z);
        crossing = words.z >> 16 & 0xfff;
        data_words = data_words_of(words.z);
        fec = words.w >> 8 & 0xff;
        magic = words.w >> 24;
    }

    __device__ __forceinline__ static u32 data_words_of(u32 third_word) { return third_word >> 28; }

    __device__ __forceinline__ u32 channels() const { return (u32)(__popcll(low) + __popc(high)); }
};

struct LinkWalk : Walk<TEAM> {
    // Blocks are contiguous: the complete page is read, some of it again with each window.
    static constexpr u32 WINDOW = 2048;
    static constexpr u32 REACH = ((TEAM - 1) * (1 + MAX_DATA_WORDS) + 1) * GRANULE;
    // Sums over a team: blocks with samples from this bit on, and channels below.
    static constexpr u32 BLOCKS_SHIFT = 16;

    u32 blocks = 0;
    u32 first_fec, end_of_fecs;
    u32 previous = 0;  // time bin and card of the previous block, plus one

    __device__ __forceinline__ LinkWalk(const PageRecord& page, Geometry geometry, Piece* pieces, bool walking)
        : Walk(page, pieces, walking) {
        first_fec = geometry.first_fec(page.endpoint);
        end_of_fecs = geometry.end_of_fecs(page.endpoint);
        if (walking && page.blocks == 0) end(true);
    }

    __device__ __forceinline__ void step(const Window& window, bool steps) {
        const u32 taken = min(page.blocks - blocks, TEAM), rank = Lanes::rank();
        const bool has_block = steps && rank < taken;
        const u32 start = own_block(window, steps ? position : window.start);
        const LinkHeader header(window.granule(start));
        const u32 crossing = page.time_offset + header.crossing;
        const u32 time_bin = (page.orbit_start + crossing) / BC_PER_TIME_BIN - page.first_time_bin;
        const u32 order = 1 + (time_bin << 8 | header.fec);
        const u32 channels = has_block ? header.channels() : 0;
        const u32 data_words = (channels + SAMPLES_IN_DATA_WORD - 1) / SAMPLES_IN_DATA_WORD;
        const u32 end_of_block = start + GRANULE * (1 + data_words);
        const u32 below = __shfl_up_sync(FULL_MASK, order, 1);
        const bool in_order = order > (rank == 0 ? previous : below);
        const bool is_sound = header.magic == LINK_MAGIC && header.fec >= first_fec && header.fec < end_of_fecs &&
                              crossing < BC_PER_ORBIT && time_bin <= page.span && in_order &&
                              header.data_words == data_words && end_of_block <= page.end;
        const bool gives_up = Lanes::any(has_block && !is_sound);
        const u32 own = channels + (channels > 0 ? 1u << BLOCKS_SHIFT : 0);
        const u32 up_to_own = Lanes::inclusive_sum(own), counted = Lanes::of_rank(up_to_own, TEAM - 1);
        const u32 next = Lanes::of_rank(end_of_block, taken - 1), last = Lanes::of_rank(order, taken - 1);
        if (!steps) return;
        if (gives_up) return give_up();
        const u32 before = up_to_own - own;
        if (channels > 0)
            index.put(index.count + (before >> BLOCKS_SHIFT), start, samples + (before & low_bits(BLOCKS_SHIFT)));
        index.count += counted >> BLOCKS_SHIFT;
        samples += counted & low_bits(BLOCKS_SHIFT);
        position = next;
        previous = last;
        blocks += taken;
        if (samples > page.samples) return give_up();
        if (blocks == page.blocks) end(true);
    }

    // The start of this lane's block, if the first one starts at `offset`.
    __device__ __forceinline__ static u32 own_block(const Window& window, u32 offset) {
#pragma unroll
        for (u32 i = 1; i < TEAM; i++)
            if (i <= Lanes::rank())
                offset += GRANULE * (1 + LinkHeader::data_words_of(window.aligned(offset)[2]));
        return offset;
    }
};

}  // namespace
