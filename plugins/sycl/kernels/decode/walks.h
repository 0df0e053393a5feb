// Walks through pages of rows and of links. As validate/links.h of decode.
#pragma once
#include "window.h"

namespace decode {

// Walk through a row page: a step goes over a record, which has the rows of a time bin.
//
// The record has the addresses of its rows, so each lane checks every TEAM-th of them, and that each
// ends at the stated start of the next. The start of the next record follows from the last row.
struct RowWalk : Walk<TEAM> {
    static constexpr u32 WINDOW = 1024;
    // The size of most records; the rest of larger ones is read from memory.
    static constexpr u32 REACH = 256;
    // Bit of the row mask: the endpoint is the second of its region.
    static constexpr u32 SECOND_HALF = 1u << 15;
    // Sums over a team: the end of the record from this bit on, and its samples below.
    static constexpr u32 END_SHIFT = 16;

    Geometry geometry;
    u32 first_row, known_rows, half, sample_bits;
    u32 records = 0;

    // Result of a row of a record.
    struct Judged {
        u32 samples, end;
        bool sound;
    };

    DEVICE RowWalk(const PageRecord& page, Geometry geometry, bool walking) : Walk(page, walking), geometry(geometry) {
        first_row = geometry.first_row(page.endpoint);
        known_rows = low_bits(geometry.rows(page.endpoint));
        half = page.endpoint & 1 ? SECOND_HALF : 0;
        sample_bits = bits_of_row_sample(page);
        if (walking && page.span == 0) end(true);
    }

    DEVICE void step(Item item, const Window& window, bool steps) {
        const u32 start = steps ? position + position % 2 : window.start;
        const u32 mask = window.half(start);
        const u32 rows = mask & ~SECOND_HALF;
        const bool right_half = mask == 0 || (mask & SECOND_HALF) == half;
        const bool may_be = steps && start + 2 <= page.end && right_half && (rows & ~known_rows) == 0;
        bool is_sound = may_be || !steps;
        const u32 counted = Lanes::sum(item, judge_rows(item, window, start + 2, may_be ? rows : 0, is_sound));
        const bool gives_up = Lanes::any(item, !is_sound);
        if (!steps) return;
        if (gives_up) return give_up();
        records++;
        samples += counted & low_bits(END_SHIFT);
        position = rows == 0 ? start + 2 : counted >> END_SHIFT;
        if (samples > page.samples) return give_up();
        if (records == page.span) end(true);
    }

    // Checks this lane's rows of a record whose addresses are at `addresses`. Returns their samples
    // and, if the last one is among them, its end.
    DEVICE u32 judge_rows(Item item, const Window& window, u32 addresses, u32 rows, bool& is_sound) const {
        const u32 count = u32(sycl::popcount(rows));
        const u32 first = addresses + 2 * (max_of(count, 1u) - 1);
        u32 counted = 0;
        rows = without_lowest(rows, Lanes::rank(item));
        for (u32 number = Lanes::rank(item); number < count; number += TEAM) {
            // The first row has no address: it starts after the addresses.
            const u32 address = addresses + 2 * number;
            const u32 start = number == 0 ? first : window.half_behind(address - 2);
            const bool is_last = number + 1 == count;
            const u32 pads = geometry.pads_in_row(first_row + u32(sycl::ctz(rows)));
            const Judged row = judge_row(window, max_of(start, first), pads);
            is_sound = is_sound && row.sound && start >= first && row.end <= page.end &&
                       (is_last || row.end == window.half_behind(address));
            counted += row.samples + (is_last ? row.end << END_SHIFT : 0);
            rows = without_lowest(rows, TEAM);
        }
        return counted;
    }

    // Checks the sequences of pads of a row.
    DEVICE Judged judge_row(const Window& window, u32 position, u32 pads) const {
        const u32 sequences = window.byte_behind(position++);
        u32 free_pad = 0;
        u32 samples = 0;
        bool is_sound = sequences > 0;
        for (u32 i = 0; i < sequences && is_sound; i++, position += 2) {
            const u32 pair = window.half_behind(position);
            const u32 first = pair & 0xff;
            const u32 end = pair >> 8;
            is_sound = first >= free_pad && end > samples && first + end - samples <= pads;
            free_pad = first + end - samples;
            samples = end;
        }
        return {samples, position + bytes_of_samples(samples, sample_bits), is_sound};
    }

    // Clears the `count` lowest set bits, at most the lanes of a team.
    DEVICE static u32 without_lowest(u32 rows, u32 count) {
#pragma unroll
        for (u32 i = 0; i < TEAM; i++) rows &= rows - (i < count ? 1 : 0);
        return rows;
    }
};

constexpr u32 LINK_MAGIC = 0xfc;
constexpr u32 SAMPLES_IN_DATA_WORD = 10;
constexpr u32 MAX_DATA_WORDS = 15;

// The header of a block: a bit for each channel, then its other fields.
struct LinkHeader {
    u64 low;
    u32 high;
    u32 crossing, data_words, fec, magic;

    DEVICE explicit LinkHeader(sycl::uint4 words) {
        low = u64(words[1]) << 32 | words[0];
        high = low_half(words[2]);
        crossing = words[2] >> 16 & 0xfff;
        data_words = data_words_of(words[2]);
        fec = words[3] >> 8 & 0xff;
        magic = words[3] >> 24;
    }

    DEVICE static u32 data_words_of(u32 third_word) { return third_word >> 28; }

    DEVICE u32 channels() const { return u32(sycl::popcount(low)) + u32(sycl::popcount(high)); }
};

// Walk through a link page: a step goes over a block for each lane of a team.
//
// The start of a block follows from the number of words of the previous one: each lane follows that
// chain up to its own block, and checks that one.
struct LinkWalk : Walk<TEAM> {
    // Blocks are contiguous: the complete page is read, some of it again with each window.
    static constexpr u32 WINDOW = 2048;
    static constexpr u32 REACH = ((TEAM - 1) * (1 + MAX_DATA_WORDS) + 1) * GRANULE;

    u32 blocks = 0;
    u32 first_fec, end_of_fecs;
    u32 previous = 0;  // time bin and card of the previous block, plus one

    DEVICE LinkWalk(const PageRecord& page, Geometry geometry, bool walking) : Walk(page, walking) {
        first_fec = geometry.first_fec(page.endpoint);
        end_of_fecs = geometry.end_of_fecs(page.endpoint);
        if (walking && page.blocks == 0) end(true);
    }

    DEVICE void step(Item item, const Window& window, bool steps) {
        const u32 taken = min_of(page.blocks - blocks, TEAM);
        const u32 rank = Lanes::rank(item);
        const bool has_block = steps && rank < taken;
        const u32 start = own_block(item, window, steps ? position : window.start);
        const LinkHeader header(window.granule(start));
        const u32 crossing = page.time_offset + header.crossing;
        const u32 time_bin = (page.orbit_start + crossing) / BC_PER_TIME_BIN - page.first_time_bin;
        const u32 order = 1 + (time_bin << 8 | header.fec);
        const u32 channels = has_block ? header.channels() : 0;
        const u32 data_words = (channels + SAMPLES_IN_DATA_WORD - 1) / SAMPLES_IN_DATA_WORD;
        const u32 end_of_block = start + GRANULE * (1 + data_words);
        const u32 below = from_lower_lane(item, order, 1);
        const bool in_order = order > (rank == 0 ? previous : below);
        const bool is_sound = header.magic == LINK_MAGIC && header.fec >= first_fec && header.fec < end_of_fecs &&
                              crossing < BC_PER_ORBIT && time_bin <= page.span && in_order &&
                              header.data_words == data_words && end_of_block <= page.end;
        const bool gives_up = Lanes::any(item, has_block && !is_sound);
        const u32 counted = Lanes::of_rank(item, Lanes::inclusive_sum(item, channels), TEAM - 1);
        const u32 next = Lanes::of_rank(item, end_of_block, taken - 1);
        const u32 last = Lanes::of_rank(item, order, taken - 1);
        if (!steps) return;
        if (gives_up) return give_up();
        samples += counted;
        position = next;
        previous = last;
        blocks += taken;
        if (samples > page.samples) return give_up();
        if (blocks == page.blocks) end(true);
    }

    // The start of this lane's block, if the first one starts at `offset`.
    DEVICE static u32 own_block(Item item, const Window& window, u32 offset) {
#pragma unroll
        for (u32 i = 1; i < TEAM; i++) {
            if (i <= Lanes::rank(item))
                offset += GRANULE * (1 + LinkHeader::data_words_of(window.aligned(offset)[2]));
        }
        return offset;
    }
};

}  // namespace decode
