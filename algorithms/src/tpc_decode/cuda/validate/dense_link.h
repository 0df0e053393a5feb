// The way through a dense link page: a step goes over a block, as far as it is in the
// window.
//
// Channels are counted link by link. To count the bits of all links of a block at once
// takes fewer instructions on the way from link to link, but was slower on an H200 by a
// third: words that were just read are read again.
#pragma once
#include "../pages/link_head.h"
#include "walk.h"

namespace {

// A page fills up its last words with so many bytes at most.
constexpr u32 MAX_PADDING = 31;

struct DenseLinkWalk : Walk {
    // A link's head of three words, and the rest of an aligned word.
    static constexpr u32 LINK_REACH = 12 + 4;
    static constexpr u32 REACH = 2 + LINK_REACH;

    u32 blocks = 0;      // that were begun
    u32 links = 0;       // of the block that are still to come
    u32 free_cards;      // of the endpoint that the block has not had
    u32 all_cards;
    u32 free_time_bin;   // the first that the next block may have
    u32 block_start = 0, block_samples = 0, sample_bits = 12;

    __device__ __forceinline__ DenseLinkWalk(const PageRecord& page, Geometry geometry, Piece* pieces, bool walking)
        : Walk(page, pieces, walking), free_time_bin(page.first_time_bin) {
        all_cards = (1u << geometry.end_of_fecs(page.endpoint)) - (1u << geometry.first_fec(page.endpoint));
        free_cards = all_cards;
        if (walking && page.blocks == 0) end_page();
    }

    // All lanes begin their blocks together, so that few wait for others with more links.
    __device__ __forceinline__ void step(const Window& window) {
        if (links == 0 && !begin_block(window)) return give_up();
        while (links > 0 && window.reaches(position + LINK_REACH))
            if (!pass_link(window)) return give_up();
        if (links > 0) return;
        if (!end_block()) return give_up();
        if (blocks == page.blocks) end_page();
    }

    __device__ __forceinline__ bool begin_block(const Window& window) {
        const BlockHead head(window.word(position), page.version);
        const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
        if (head.crossing >= BC_PER_ORBIT || time_bin < free_time_bin ||
            time_bin > page.first_time_bin + page.span)
            return false;
        free_time_bin = time_bin + 1;
        free_cards = all_cards;
        block_start = position;
        block_samples = 0;
        sample_bits = head.sample_bits;
        links = head.links;
        blocks++;
        position += 2;
        return true;
    }

    // Counts the channels of a link.
    __device__ __forceinline__ bool pass_link(const Window& window) {
        u32 words[3];
        three_words(window.aligned(position), position, words);
        const WholeLinkHead head(words);
        if (!(free_cards >> head.fec & 1)) return false;
        free_cards ^= 1u << head.fec;
        block_samples += head.channels();
        position += head.bytes();
        links--;
        return true;
    }

    // Only the last block may go on in the next page.
    __device__ __forceinline__ bool end_block() {
        position += bytes_of_samples(block_samples, sample_bits);
        if (position > (blocks == page.blocks ? joined_end() : page.end)) return false;
        if (block_samples > 0) index.add(block_start, samples);
        samples += block_samples;
        return true;
    }

    __device__ __forceinline__ void end_page() {
        const u32 unused = joined_end() - position;
        end(unused <= (page.continues ? 0 : MAX_PADDING));
    }
};

}  // namespace
