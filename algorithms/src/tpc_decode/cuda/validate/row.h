// The way through a row page: a step goes over a sequence of pads, and over the heads
// of its row and of its time bin where it is the first.
#pragma once
#include "walk.h"

namespace {

// In the mask of rows: the endpoint is the second of its region.
constexpr u32 SECOND_HALF = 1u << 15;

struct RowWalk : Walk {
    // A byte of alignment, a mask and seven addresses; the head of a row and a sequence,
    // and the rest of two aligned words.
    static constexpr u32 REACH = 1 + 2 + 14 + 1 + 2 + 8;

    Geometry geometry;
    u32 first_row, known_rows, half, sample_bits;
    u32 records = 0;      // that were begun
    u32 rows = 0;         // a bit for each row of the record that is still to come
    u32 row_number = 0;   // of the next row in the record
    u32 sequences = 0;    // of the row that are still to come
    u32 pads = 0, free_pad = 0, row_samples = 0;

    __device__ __forceinline__ RowWalk(const PageRecord& page, Geometry geometry, Piece* pieces, bool walking)
        : Walk(page, pieces, walking), geometry(geometry) {
        first_row = geometry.first_row(page.endpoint);
        known_rows = (1u << geometry.rows(page.endpoint)) - 1;
        half = page.endpoint & 1 ? SECOND_HALF : 0;
        sample_bits = bits_of_row_sample(page);
        if (walking && page.span == 0) end(true);
    }

    __device__ __forceinline__ void step(const Window& window) {
        if (rows == 0 && !begin_record(window)) return give_up();
        if (rows > 0) {
            if (sequences == 0 && !begin_row(window)) return give_up();
            if (!pass_sequence(window)) return give_up();
            if (sequences == 0 && !end_row()) return give_up();
        }
        if (rows == 0 && records == page.span) end(true);
    }

    __device__ __forceinline__ bool begin_record(const Window& window) {
        position += position % 2;
        const u32 start = position, mask = low_half(window.word(position));
        position += 2;
        const bool right_half = mask == 0 || (mask & SECOND_HALF) == half;
        rows = mask & ~SECOND_HALF;
        if (position > page.end || !right_half || (rows & ~known_rows) != 0) return false;
        records++;
        index.add(start, samples);
        if (rows == 0) return true;
        // Addresses are looked at when their rows come; they may be no longer in the window then.
#pragma unroll
        for (u32 i = 0; i < 4; i++) window.slot->notes[i] = window.word(position + i * sizeof(u32));
        position += 2 * ((u32)__popc(rows) - 1);
        row_number = 0;
        return true;
    }

    // The first row has no address: it begins behind those of the others.
    __device__ __forceinline__ bool begin_row(const Window& window) {
        if (row_number > 0) {
            const u32 pair = window.slot->notes[(row_number - 1) / 2];
            if ((row_number % 2 ? low_half(pair) : high_half(pair)) != position) return false;
        }
        row_number++;
        sequences = window.word(position) & 0xff;
        position += 1;
        pads = geometry.pads_in_row(first_row + (u32)__ffs((int)rows) - 1);
        free_pad = 0;
        row_samples = 0;
        return sequences > 0;
    }

    __device__ __forceinline__ bool pass_sequence(const Window& window) {
        const u32 word = window.word(position), first = word & 0xff, end = word >> 8 & 0xff;
        if (first < free_pad || end <= row_samples || first + end - row_samples > pads) return false;
        free_pad = first + end - row_samples;
        row_samples = end;
        position += 2;
        sequences--;
        return true;
    }

    __device__ __forceinline__ bool end_row() {
        position += bytes_of_samples(row_samples, sample_bits);
        samples += row_samples;
        rows &= rows - 1;
        return position <= page.end && samples <= page.samples;
    }
};

}  // namespace
