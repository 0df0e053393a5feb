// Walk through a row page: a step goes over a record, which has the rows of a time bin.
//
// The record has the addresses of its rows, so each lane checks every TEAM-th of them, and that
// each ends at the stated start of the next. The start of the next record follows from the last
// row.
#pragma once
#include "walk.h"

namespace {

// Bit of the row mask: the endpoint is the second of its region.
constexpr u32 SECOND_HALF = 1u << 15;

struct RowWalk : Walk<TEAM> {
    static constexpr u32 WINDOW = 1024;
    // The size of most records; the rest of larger ones is read from memory.
    static constexpr u32 REACH = 256;
    // Sums over a team: the end of the record from this bit on, and its samples below.
    static constexpr u32 END_SHIFT = 16;

    Geometry geometry;
    u32 first_row, known_rows, half, sample_bits;
    u32 records = 0;

    // A row of a record.
    struct Row {
        u32 samples, end;
        bool sound;
    };

    __device__ __forceinline__ RowWalk(const PageRecord& page, Geometry geometry, Piece* pieces, bool walking)
        : Walk(page, pieces, walking), geometry(geometry) {
        first_row = geometry.first_row(page.endpoint);
        known_rows = (1u << geometry.rows(page.endpoint)) - 1;
        half = page.endpoint & 1 ? SECOND_HALF : 0;
        sample_bits = bits_of_row_sample(page);
        if (walking && page.span == 0) end(true);
    }

    __device__ __forceinline__ void step(const Window& window, bool steps) {
        const u32 start = steps ? position + position % 2 : window.start;
        const u32 mask = window.half(start), rows = mask & ~SECOND_HALF;
        const bool right_half = mask == 0 || (mask & SECOND_HALF) == half;
        const bool may_be = steps && start + 2 <= page.end && right_half && (rows & ~known_rows) == 0;
        bool is_sound = may_be || !steps;
        const u32 counted = Lanes::sum(judge_rows(window, start + 2, may_be ? rows : 0, is_sound));
        const bool gives_up = Lanes::any(!is_sound);
        if (!steps) return;
        if (gives_up) return give_up();
        add_to_index(start);
        records++;
        samples += counted & low_bits(END_SHIFT);
        position = rows == 0 ? start + 2 : counted >> END_SHIFT;
        if (samples > page.samples) return give_up();
        if (records == page.span) end(true);
    }

    // Checks this lane's rows of a record whose addresses are at `addresses`. Returns their samples
    // and, if the last one is among them, its end.
    __device__ __forceinline__ u32 judge_rows(const Window& window, u32 addresses, u32 rows, bool& is_sound) const {
        const u32 count = (u32)__popc(rows), first = addresses + 2 * (max(count, 1u) - 1);
        u32 counted = 0;
        rows = without_lowest(rows, Lanes::rank());
        for (u32 number = Lanes::rank(); number < count; number += TEAM) {
            // The first row has no address: it starts after the addresses.
            const u32 address = addresses + 2 * number;
            const u32 start = number == 0 ? first : window.half_behind(address - 2);
            const bool is_last = number + 1 == count;
            const u32 pads = geometry.pads_in_row(first_row + (u32)__ffs((int)rows) - 1);
            const Row row = judge_row(window, max(start, first), pads);
            is_sound = is_sound && row.sound && start >= first && row.end <= page.end &&
                       (is_last || row.end == window.half_behind(address));
            counted += row.samples + (is_last ? row.end << END_SHIFT : 0);
            rows = without_lowest(rows, TEAM);
        }
        return counted;
    }

    // Checks the sequences of pads of a row.
    __device__ __forceinline__ Row judge_row(const Window& window, u32 position, u32 pads) const {
        const u32 sequences = window.byte_behind(position++);
        u32 free_pad = 0, samples = 0;
        bool is_sound = sequences > 0;
        for (u32 i = 0; i < sequences && is_sound; i++, position += 2) {
            const u32 pair = window.half_behind(position), first = pair & 0xff, end = pair >> 8;
            is_sound = first >= free_pad && end > samples && first + end - samples <= pads;
            free_pad = first + end - samples;
            samples = end;
        }
        return {samples, position + bytes_of_samples(samples, sample_bits), is_sound};
    }

    // Clears the `count` lowest set bits, at most the lanes of a team.
    __device__ __forceinline__ static u32 without_lowest(u32 rows, u32 count) {
#pragma unroll
        for (u32 i = 0; i < TEAM; i++) rows &= rows - (i < count ? 1 : 0);
        return rows;
    }
};

}  // namespace
