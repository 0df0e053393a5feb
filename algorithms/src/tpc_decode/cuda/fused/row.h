// Row pages: a thread finds the rows of a record, then a thread lists the pads of a row.
#pragma once
#include "../pages/geometry.h"
#include "../pages/target.h"
#include "block_scan.h"
#include "single_samples.h"

namespace {

// Finds the runs of a page; channels are pads of a row, which is stored in the run.
template <u32 RUNS>
struct RowPage : Staged<RUNS> {
    template <class Cell>
    __device__ __forceinline__ void load_cells(const Cell*, const PageRecord&, u32&) {}

    template <class Output>
    __device__ __forceinline__ typename Output::Cell cell(const Output& output, SampleRun run, u32 pad) const {
        return output.cell((u32)run.kind << 8 | pad);
    }
};

struct RowRuns {
    // Maximum number of rows: each has part of a mask or an address, a number of sequences, a
    // sequence, and a sample: seven bytes.
    static constexpr u32 MOST = 1160;
    // Time bins of a page: a thread for each.
    static constexpr u32 MAX_RECORDS = 255;
    static_assert(MAX_RECORDS <= THREADS, "a thread for each record");
    template <class Output>
    using Shared = RowPage<MOST>;
    template <class Output>
    using Samples = SingleSamples<RowRuns, Output>;

    // Contains barriers.
    template <class Shared>
    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, Geometry geometry) {
        SampleRun record = {};
        u32 rows = 0, runs;
        if (threadIdx.x < page.pieces) {
            record = shared.runs[threadIdx.x];
            rows = shared.half(record.packed) & 0x7fff;
        }
        const u32 first = block_exclusive_sum<THREADS>((u32)__popc(rows), shared.warp_sums, runs);
        find_rows(shared, record, rows, first, geometry.first_row(page.endpoint));
        __syncthreads();
        for (u32 i = threadIdx.x; i < runs; i += THREADS) list_row(shared, i);
    }

    // Makes runs of a record's rows, with the offset of the row instead of that of its samples.
    template <class Shared>
    __device__ __forceinline__ static void find_rows(Shared& shared, SampleRun record, u32 rows, u32 run,
                                                     u32 first_row) {
        const u32 count = (u32)__popc(rows);
        u32 sample = record.first, address = record.packed + 2u;
        u32 position = record.packed + 2 * count;
        for (; rows != 0; rows &= rows - 1) {
            const u32 row = first_row + (u32)__ffs((int)rows) - 1;
            shared.runs[run++] = {(u16)sample, (u16)position, (u16)threadIdx.x, (u16)row};
            sample += shared.byte(position + 2 * shared.byte(position));
            // There is no address after the last row: the bytes there are not used.
            position = shared.half(address);
            address += 2;
        }
    }

    template <class Shared>
    __device__ __forceinline__ static void list_row(Shared& shared, u32 number) {
        const SampleRun run = shared.runs[number];
        const u32 position = run.packed, sequences = shared.byte(position);
        u32 samples = 0;
        for (u32 i = 0; i < sequences; i++) {
            const u32 pair = shared.half(position + 1 + 2 * i), end = pair >> 8;
            for (u32 pad = pair & 0xff; samples < end; samples++, pad++)
                shared.channels[run.first + samples] = (u16)pad;
        }
        shared.runs[number].packed = (u16)(position + 1 + 2 * sequences);
        shared.mark(number, run.first, run.first + samples);
    }

    template <class Shared>
    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord& page, const SampleRun& run,
                                              u32 i) {
        const u32 bits = bits_of_row_sample(page), bit = i * bits;
        return shared.half(run.packed + bit / 8) >> (bit % 8) & ((1u << bits) - 1);
    }
};

}  // namespace
