// Row pages as published: a block decodes a page, time bin by time bin, and its threads share the
// rows of the time bin.
//
// Each record has the offsets of its rows, but not the number of samples before them. So the first
// threads read the end of each row's list of sequences first; then each group of threads takes a
// row, with the samples strided over its threads.
//
// Shared memory: the numbers of samples of each row, for this record and for the next.
#include "pages/page.h"
#include "pages/target.h"

namespace {

constexpr u32 THREADS = 64;
constexpr u32 SECOND_HALF = 1u << 15;

__device__ __forceinline__ u32 half_at(const u8* bytes) { return bytes[0] | (u32)bytes[1] << 8; }

// A row of a record.
struct Row {
    const u8* bytes;

    __device__ __forceinline__ u32 sequences() const { return bytes[0]; }
    __device__ __forceinline__ u32 first_pad(u32 sequence) const { return bytes[1 + 2 * sequence]; }
    // Number of samples up to the end of a sequence.
    __device__ __forceinline__ u32 end(u32 sequence) const { return bytes[2 + 2 * sequence]; }
    __device__ __forceinline__ u32 samples() const { return end(sequences() - 1); }
    __device__ __forceinline__ const u8* packed() const { return bytes + 1 + 2 * sequences(); }
};

// A record with data: a mask, the addresses of all rows except the first, and the rows.
struct Record {
    const u8 *page, *bytes;
    u32 mask;

    __device__ __forceinline__ u32 rows() const { return (u32)__popc(mask); }
    __device__ __forceinline__ Row row(u32 number) const {
        if (number == 0) return {bytes + 2 * rows()};
        return {page + half_at(bytes + 2 * number)};
    }
    // The index in the endpoint of the record's n-th row.
    __device__ __forceinline__ u32 row_of_endpoint(u32 number) const {
        u32 rest = mask;
        for (u32 i = 0; i < number; i++) rest &= rest - 1;
        return (u32)__ffs((int)rest) - 1;
    }
};

// Stores samples first, first + stride, … of a row.
template <class Output>
__device__ __forceinline__ void decode_row(Row row, u32 row_number, u32 bits, u32 time_bin, u32 slot, u32 first,
                                           u32 stride, const Output& output) {
    const u8* packed = row.packed();
    const u32 samples = row.samples();
    u32 sequence = 0, before = 0, end = row.end(0);
    for (u32 i = first; i < samples; i += stride) {
        while (i >= end) {
            before = end;
            end = row.end(++sequence);
        }
        const u32 pad = row.first_pad(sequence) + i - before;
        const u32 bit = i * bits;
        const u32 adc = half_at(packed + bit / 8) >> (bit % 8) & ((1u << bits) - 1);
        output.values[slot + i] = output.make(time_bin, output.cell(row_number << 8 | pad), adc);
    }
}

// Decodes the pages of a fragment. A block for each page; there may be more blocks.
template <class Target> __device__ __forceinline__ void decode(const Decoding& all) {
    __shared__ u32 samples[2][MAX_ROWS_IN_HALF];
    const Geometry geometry = all.geometry;
    const u32 number = all.first_job() + blockIdx.x;
    if (number >= all.end_of_jobs()) return;
    const Job job = all.jobs[number];
    const PageRecord page = record_at(all.records, job.page);
    const auto output = Target::of(all, page, job.slot);
    const u8* bytes = page_at(all.pages, job.page);
    const u32 first_row = geometry.first_row(page.endpoint);
    const u32 threads_of_row = THREADS / geometry.rows(page.endpoint);
    const u32 own_row = threadIdx.x / threads_of_row;
    const u32 bits = bits_of_row_sample(page);
    u32 position = page.start, slot = 0, turn = 0;
    for (u32 n = 0; n < page.span; n++) {
        position += position % 2;
        const Record record = {bytes, bytes + position, half_at(bytes + position) & ~SECOND_HALF};
        position += 2;
        if (record.mask == 0) continue;
        const u32 rows = record.rows();
        if (threadIdx.x < rows) samples[turn][threadIdx.x] = record.row(threadIdx.x).samples();
        __syncthreads();
        u32 before = 0;
        for (u32 i = 0; i < rows; i++) {
            if (i == own_row)
                decode_row(record.row(i), first_row + record.row_of_endpoint(i), bits, page.first_time_bin + n,
                           slot + before, threadIdx.x % threads_of_row, threads_of_row, output);
            before += samples[turn][i];
        }
        const Row last = record.row(rows - 1);
        position = (u32)(last.packed() - bytes) + bytes_of_samples(last.samples(), bits);
        slot += before;
        turn ^= 1;
    }
}

}  // namespace

KERNEL_INSTANCE(row_digits, Decoding, (THREADS), decode<DigitTarget>)
KERNEL_INSTANCE(row_charges, Decoding, (THREADS), decode<ChargeTarget>)
