// Row pages as published: a work-group decodes a page, time bin by time bin, and its work-items share
// the rows of the time bin. As row.cu of decode.
//
// Each record has the offsets of its rows, but not the number of samples before them. So the first
// work-items read the end of each row's list of sequences first; then each group of work-items takes
// a row, with the samples strided over them.
#pragma once
#include "target.h"

namespace decode {

constexpr u32 ROW_THREADS = 64;
// Bit of the row mask: the endpoint is the second of its region.
constexpr u32 SECOND_HALF = 1u << 15;

// Numbers of samples of each row, for this record and for the next.
struct RowShared {
    u32 samples[2][MAX_ROWS_IN_HALF];
};

DEVICE u32 half_at(const u8* bytes) { return bytes[0] | u32(bytes[1]) << 8; }

// A row of a record.
struct Row {
    const u8* bytes;

    DEVICE u32 sequences() const { return bytes[0]; }
    DEVICE u32 first_pad(u32 sequence) const { return bytes[1 + 2 * sequence]; }
    // Number of samples up to the end of a sequence.
    DEVICE u32 end(u32 sequence) const { return bytes[2 + 2 * sequence]; }
    DEVICE u32 samples() const { return end(sequences() - 1); }
    DEVICE const u8* packed() const { return bytes + 1 + 2 * sequences(); }
};

// A record with data: a mask, the addresses of all rows except the first, and the rows.
struct Record {
    const u8* page;
    const u8* bytes;
    u32 mask;

    DEVICE u32 rows() const { return u32(sycl::popcount(mask)); }
    DEVICE Row row(u32 number) const {
        if (number == 0) return {bytes + 2 * rows()};
        return {page + half_at(bytes + 2 * number)};
    }
    // The index in the endpoint of the record's n-th row.
    DEVICE u32 row_of_endpoint(u32 number) const {
        u32 rest = mask;
        for (u32 i = 0; i < number; i++) rest &= rest - 1;
        return u32(sycl::ctz(rest));
    }
};

// Stores samples first, first + stride, … of a row.
template <class Output>
DEVICE void decode_row(Row row, u32 row_number, u32 bits, u32 time_bin, u32 slot, u32 first, u32 stride,
                       const Output& output) {
    const u8* packed = row.packed();
    const u32 samples = row.samples();
    u32 sequence = 0;
    u32 before = 0;
    u32 end = row.end(0);
    for (u32 i = first; i < samples; i += stride) {
        while (i >= end) {
            before = end;
            end = row.end(++sequence);
        }
        const u32 pad = row.first_pad(sequence) + i - before;
        const u32 bit = i * bits;
        const u32 adc = half_at(packed + bit / 8) >> (bit % 8) & low_bits(bits);
        output.values[slot + i] = output.make(time_bin, output.cell(row_number << 8 | pad), adc);
    }
}

// Decodes the pages of a fragment. A work-group for each page; there may be more of them.
template <class Target>
DEVICE void decode_rows(Item item, const Decoding& all, Geometry geometry, const Target& target, RowShared& shared) {
    const u32 number = all.first_job() + group_of(item);
    if (number >= all.end_of_jobs()) return;
    const Job job = all.jobs[number];
    const PageRecord page = record_at(all.records, job.page);
    const auto output = target.of(page, job.slot);
    const u8* bytes = page_at(all.pages, job.page);
    const u32 thread = thread_of(item);
    const u32 first_row = geometry.first_row(page.endpoint);
    const u32 threads_of_row = ROW_THREADS / geometry.rows(page.endpoint);
    const u32 own_row = thread / threads_of_row;
    const u32 bits = bits_of_row_sample(page);
    u32 position = page.start;
    u32 slot = 0;
    u32 turn = 0;
    for (u32 n = 0; n < page.span; n++) {
        position += position % 2;
        const Record record = {bytes, bytes + position, half_at(bytes + position) & ~SECOND_HALF};
        position += 2;
        if (record.mask != 0) {
            const u32 rows = record.rows();
            if (thread < rows) shared.samples[turn][thread] = record.row(thread).samples();
            group_barrier(item);
            u32 before = 0;
            for (u32 i = 0; i < rows; i++) {
                if (i == own_row) {
                    decode_row(record.row(i), first_row + record.row_of_endpoint(i), bits, page.first_time_bin + n,
                               slot + before, thread % threads_of_row, threads_of_row, output);
                }
                before += shared.samples[turn][i];
            }
            const Row last = record.row(rows - 1);
            position = u32(last.packed() - bytes) + bytes_of_samples(last.samples(), bits);
            slot += before;
            turn ^= 1;
        }
    }
}

}  // namespace decode
