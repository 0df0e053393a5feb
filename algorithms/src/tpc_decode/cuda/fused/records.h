// The records of a row page, one for each time bin: a chain, for where one begins follows from
// the last row of the one before. A thread follows it, and judges no more than it has to read; then
// a thread judges a record.
//
// Nothing is known of what is behind the headers. So nothing is read behind the end of the payload,
// and what a page says is made use of as far as that was judged.
#pragma once
#include "../pages/row_mask.h"
#include "staged.h"

namespace {

// A row as its bytes say: a number of sequences, these, and its samples.
template <class Page>
struct PackedRow {
    u32 packed;   // where its samples are
    u32 samples;
    bool sound;

    // Of a row that is before `end`, where the payload ends.
    __device__ __forceinline__ PackedRow(const Page& page, u32 position, u32 end) {
        const u32 sequences = page.byte(position);
        packed = position + 1 + 2 * sequences;
        sound = sequences > 0 && packed <= end;
        samples = sound ? page.byte(packed - 1) : 0;
    }

    __device__ __forceinline__ u32 end(u32 sample_bits) const { return packed + bytes_of_samples(samples, sample_bits); }
};

// Where the rows of a record are: the first one behind the addresses of the others. A record is at an
// even place.
template <class Page>
struct RecordRows {
    const Page& page;
    u32 mask, addresses;

    __device__ __forceinline__ RecordRows(const Page& page, u32 record) : RecordRows(page, record, mask_of(page, record)) {}
    __device__ __forceinline__ RecordRows(const Page& page, u32 record, u32 mask)
        : page(page), mask(rows_of_mask(mask)), addresses(record + 2) {}

    __device__ __forceinline__ static u32 mask_of(const Page& page, u32 record) { return page.even_half(record); }

    __device__ __forceinline__ u32 count() const { return (u32)__popc(mask); }
    __device__ __forceinline__ u32 first() const { return addresses + 2 * (max(count(), 1u) - 1); }
    // Of any but the first.
    __device__ __forceinline__ u32 position(u32 number) const { return page.even_half(addresses + 2 * (number - 1)); }
};

// Follows the chain, and leaves the places of records with those of their runs. Returns whether
// there are as many as the page announces. One thread.
template <class Shared>
__device__ __forceinline__ bool follow_records(Shared& shared, const PageRecord& page, Geometry geometry) {
    const RowMasks masks(geometry, page.endpoint);
    const u32 bits = bits_of_row_sample(page), end = page.end, span = page.span;
    u32 position = page.start;
#pragma unroll 1
    for (u32 record = 0; record < span; record++) {
        position += position % 2;
        if (position + 2 > end) return false;
        const u32 mask = RecordRows<Shared>::mask_of(shared, position);
        if (!masks.is_sound(mask)) return false;
        shared.runs[record].packed = (u16)position;
        const RecordRows<Shared> rows(shared, position, mask);
        position = rows.first();
        if (rows.count() == 0) continue;
        if (position >= end) return false;
        if (rows.count() > 1) position = rows.position(rows.count() - 1);
        if (position < rows.first() || position >= end) return false;
        const PackedRow<Shared> last(shared, position, end);
        position = last.end(bits);
        if (!last.sound || position > end) return false;
    }
    return true;
}

// What a record has, as far as it is sound.
struct RecordSums {
    u32 rows = 0, samples = 0;
    bool sound = true;
};

// Judges a record of the chain: each of its rows begins where the one before ends. Its
// last row was judged by who followed the chain.
template <class Shared>
__device__ __forceinline__ RecordSums sum_record(const Shared& shared, u32 record, const PageRecord& page) {
    const RecordRows<Shared> rows(shared, record);
    const u32 bits = bits_of_row_sample(page), count = rows.count();
    RecordSums sums;
    sums.rows = count;
    u32 position = rows.first();
#pragma unroll 1
    for (u32 i = 0; i < count && sums.sound; i++) {
        const PackedRow<Shared> row(shared, position, page.end);
        sums.samples += row.samples;
        position = row.end(bits);
        const bool is_last = i + 1 == count;
        sums.sound = row.sound && position <= page.end && (is_last || position == rows.position(i + 1));
        // Nothing has room behind the end.
        sums.sound = sums.sound && (is_last || position < page.end);
    }
    return sums;
}

}  // namespace
