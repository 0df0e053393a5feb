// Walks through dense link pages. As validate/dense_link.h of decode.
#pragma once
#include "window.h"

namespace decode {

// A page fills up its last words with at most this number of bytes.
constexpr u32 MAX_PADDING = 31;

// Walk of a team through a dense link page: a step goes over a block.
//
// The start of a link follows from the level of the previous one, which is two bytes: that chain
// determines the time, so each lane follows it independently, with no other work in between. Then
// each lane counts the channels of every TEAM-th link.
struct DenseLinkWalk : Walk<TEAM> {
    // Links of a lane.
    static constexpr u32 LINKS_EACH = (MAX_FECS_IN_HALF + TEAM - 1) / TEAM;
    static constexpr u32 WINDOW = 1024;
    // Bytes of the block head and of link heads; the last one is read as aligned words.
    static constexpr u32 MAX_HEAD = 12;
    static constexpr u32 REACH = 2 + (MAX_FECS_IN_HALF - 1) * MAX_HEAD + MAX_HEAD + 4;
    // Counters of lanes: cards from this bit on, a bit each, and channels below.
    static constexpr u32 CARDS_SHIFT = 16;

    u32 blocks = 0;  // started so far
    u32 first_fec, cards;
    u32 free_time_bin;  // the first that is valid for the next block

    DEVICE DenseLinkWalk(const PageRecord& page, Geometry geometry, bool walking)
        : Walk(page, walking), free_time_bin(page.first_time_bin) {
        first_fec = geometry.first_fec(page.endpoint);
        cards = geometry.end_of_fecs(page.endpoint) - first_fec;
        if (walking && page.blocks == 0) end_page();
    }

    DEVICE void step(Item item, const Window& window, bool steps) {
        const u32 start = steps ? position : window.start;
        const BlockHead head(window.half(start), page.version);
        const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
        // More links than an endpoint has cards are damage, and may exceed the window.
        const bool may_be = steps && head.links <= cards && head.crossing < BC_PER_ORBIT &&
                            time_bin >= free_time_bin && time_bin <= page.first_time_bin + page.span;
        const u32 links = may_be ? head.links : 0;
        u32 own[LINKS_EACH] = {};
        const u32 packed = find_links(item, window, start + 2, links, own);
        const u32 counted = Lanes::sum(item, count_links(item, window, links, own));
        if (!steps) return;
        // All links have different cards of this endpoint if there is a bit for each.
        if (!may_be || u32(sycl::popcount(counted >> CARDS_SHIFT)) != links) return give_up();
        free_time_bin = time_bin + 1;
        end_block(packed, counted & low_bits(CARDS_SHIFT), head.sample_bits);
    }

    // Finds the links of a block, of which this lane keeps its share. Returns the position of samples.
    DEVICE static u32 find_links(Item item, const Window& window, u32 offset, u32 links, u32 (&own)[LINKS_EACH]) {
#pragma unroll
        for (u32 i = 0; i < MAX_FECS_IN_HALF; i++) {
            if (i % TEAM == Lanes::rank(item)) own[i / TEAM] = offset;
            if (i < links) offset += head_at(window, offset).bytes();
        }
        return offset;
    }

    DEVICE static LinkHead head_at(const Window& window, u32 offset) {
        const u32 first = window.half(offset);
        return LinkHead(first & 0xff, first >> 8);
    }

    // Counts the channels and cards of this lane's links.
    DEVICE u32 count_links(Item item, const Window& window, u32 links, const u32 (&own)[LINKS_EACH]) const {
        u32 counted = 0;
#pragma unroll
        for (u32 i = 0; i < LINKS_EACH; i++) {
            if (i * TEAM + Lanes::rank(item) >= links) continue;
            u32 words[3];
            three_words(window.aligned(own[i]), own[i], words);
            const WholeLinkHead head(words);
            const u32 card = head.fec - first_fec;
            counted += head.channels() + (card < cards ? 1u << (CARDS_SHIFT + card) : 0);
        }
        return counted;
    }

    // Only the last block may continue in the next page.
    DEVICE void end_block(u32 packed, u32 channels, u32 sample_bits) {
        blocks++;
        position = packed + bytes_of_samples(channels, sample_bits);
        if (position > (blocks == page.blocks ? joined_end() : page.end)) return give_up();
        samples += channels;
        if (blocks == page.blocks) end_page();
    }

    DEVICE void end_page() {
        const u32 unused = joined_end() - position;
        end(unused <= (page.continues ? 0 : MAX_PADDING));
    }
};

// Walk of a single lane through a dense link page: a step goes over some links of a block.
//
// A single lane can only check one link at a time, which is hardly more work than finding the next
// one: if there are enough pages for all lanes, this is the least work. The number of links differs
// between blocks: a sub-group's lanes all go over the same number in a step, so that none waits for
// others with more.
struct LoneDenseLinkWalk : Walk<1> {
    static constexpr u32 WINDOW = GRANULE * LANES;
    // Links of a step: with fewer, a larger part of the instructions is between blocks; with more,
    // lanes wait for others at the end of a block.
    static constexpr u32 LINKS = 4;
    // Bytes of the block head, and of link heads read as aligned words.
    static constexpr u32 MAX_HEAD = 12;
    static constexpr u32 REACH = 2 + LINKS * MAX_HEAD + sizeof(u32);
    // A window or a page is fetched once this number of lanes waits for one, as long as other lanes
    // can continue; and the number of windows that are loaded together.
    static constexpr u32 PATIENCE = 8;
    static constexpr u32 TOGETHER = PATIENCE;

    u32 blocks;         // remaining
    u32 cards;          // of the endpoint, a bit each
    u32 free_time_bin;  // the first that is valid for the next block
    // State of the lane's current block: its remaining links and cards.
    u32 links = 0;
    u32 unseen = 0;
    u32 channels = 0;
    u32 sample_bits = 0;

    DEVICE LoneDenseLinkWalk(const PageRecord& page, Geometry geometry, bool walking)
        : Walk(page, walking), blocks(page.blocks), free_time_bin(page.first_time_bin) {
        cards = (1u << geometry.end_of_fecs(page.endpoint)) - (1u << geometry.first_fec(page.endpoint));
        if (walking && blocks == 0) end_page();
    }

    DEVICE void step(const Window& window) {
        const bool is_sound = links > 0 || begin_block(window);
        u32 wrong = 0;
#pragma unroll
        for (u32 i = 0; i < LINKS; i++) {
            if (links > 0) wrong |= pass_link(window);
        }
        if (!is_sound || wrong != 0) return give_up();
        if (links == 0) end_block();
    }

    // Starts a block; returns true if it is valid here.
    DEVICE bool begin_block(const Window& window) {
        const BlockHead head(window.half(position), page.version);
        const u32 time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
        const bool may_be = head.crossing < BC_PER_ORBIT && time_bin >= free_time_bin &&
                            time_bin <= page.first_time_bin + page.span;
        free_time_bin = time_bin + 1;
        position += 2;
        links = head.links;
        sample_bits = head.sample_bits;
        unseen = cards;
        channels = 0;
        return may_be;
    }

    // Goes over a link; returns a nonzero value unless its card is of this endpoint and occurs for the
    // first time in this block.
    DEVICE u32 pass_link(const Window& window) {
        u32 words[3];
        three_words(window.aligned(position), position, words);
        const WholeLinkHead head(words);
        const u32 card = 1u << head.fec;
        const u32 wrong = card & ~unseen;
        unseen ^= card;
        channels += head.channels();
        position += head.bytes();
        links--;
        return wrong;
    }

    // Only the last block may continue in the next page.
    DEVICE void end_block() {
        blocks--;
        position += bytes_of_samples(channels, sample_bits);
        if (position > (blocks == 0 ? joined_end() : page.end)) return give_up();
        samples += channels;
        if (blocks == 0) end_page();
    }

    DEVICE void end_page() {
        const u32 unused = joined_end() - position;
        end(unused <= (page.continues ? 0 : MAX_PADDING));
    }
};

}  // namespace decode
