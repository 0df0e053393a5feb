// Row pages: a thread finds the rows of a record, then a thread lists the pads of a row.
//
// They are judged on the way, all of a page before anything of it leaves: the page has to be gone
// through anyway, and its chain is short.
#pragma once
#include "../pages/target.h"
#include "block_scan.h"
#include "records.h"

namespace {

// A page; channels are pads of a row, which the run says.
template <u32 RUNS>
struct RowPage : Staged<RUNS> {
    template <class Cell>
    __device__ __forceinline__ void load_cells(const Cell*, const PageRecord&, const Cell*&) {}

    template <class Output>
    __device__ __forceinline__ typename Output::Cell cell(const Output& output, SampleRun run, u32 pad) const {
        return output.cell((u32)run.kind << 8 | pad);
    }
};

struct RowRuns {
    // A row has a share in a mask or an address, a number of sequences, one of them,
    // and a sample: seven bytes.
    static constexpr u32 MOST = 1160;
    // Time bins of a page: a thread for each.
    static constexpr u32 MOST_RECORDS = 255;
    static_assert(MOST_RECORDS <= THREADS, "a thread for each record");
    template <class Output>
    using Shared = RowPage<MOST>;

    // Of records, samples are counted below and rows above: a record has nine rows at most, and a row
    // 255 samples, whatever the page says.
    static constexpr u32 ROWS_SHIFT = 20;
    static_assert(MOST_RECORDS * MAX_ROWS_IN_HALF * 255 < 1u << ROWS_SHIFT, "there is room for all samples");
    static_assert(MOST_RECORDS * MAX_ROWS_IN_HALF < 1u << (32 - ROWS_SHIFT), "there is room for all rows");

    // Returns whether the page is sound. Barriers within and at the end.
    template <class Shared>
    __device__ __forceinline__ static bool find(Shared& shared, const PageRecord& page, u32 first_sample,
                                                Geometry geometry) {
        const bool follows = threadIdx.x > 0 || follow_records(shared, page, geometry);
        if (__syncthreads_or(!follows)) return false;
        const bool has_record = threadIdx.x < page.span;
        const u32 record = has_record ? shared.runs[threadIdx.x].packed : 0;
        RecordSums sums;
        if (has_record) sums = sum_record(shared, record, page);
        u32 all;
        const u32 before = block_exclusive_sum<THREADS>(sums.rows << ROWS_SHIFT | sums.samples, shared.warp_sums, all);
        const u32 runs = all >> ROWS_SHIFT, samples = all & low_bits(ROWS_SHIFT);
        // Pages that say more than they can have are damaged; there is no room for what they say.
        if (runs > MOST || samples > MAX_SAMPLES || samples != page.samples) return false;
        if (has_record && sums.sound) {
            const u32 first = first_sample + (before & low_bits(ROWS_SHIFT));
            find_rows(shared, record, first, before >> ROWS_SHIFT, geometry.first_row(page.endpoint));
        }
        if (__syncthreads_or(!sums.sound)) return false;
        bool sound = true;
        for (u32 i = threadIdx.x; i < runs; i += THREADS) sound = list_row(shared, i, geometry) && sound;
        return !__syncthreads_or(!sound);
    }

    // Makes runs of a record's rows, with the place of the row instead of that of its samples.
    template <class Shared>
    __device__ __forceinline__ static void find_rows(Shared& shared, u32 record, u32 sample, u32 run, u32 first_row) {
        const RecordRows<Shared> rows(shared, record);
        u32 position = rows.first(), address = rows.addresses;
        for (u32 mask = rows.mask; mask != 0; mask &= mask - 1) {
            const u32 row = first_row + (u32)__ffs((int)mask) - 1;
            shared.runs[run++] = {(u16)sample, (u16)position, (u16)threadIdx.x, (u16)row};
            sample += shared.byte(position + 2 * shared.byte(position));
            // Behind the last row there is no address: what stands there is not used.
            position = shared.even_half(address);
            address += 2;
        }
    }

    // Returns whether the row is sound. Nothing is listed beyond its samples.
    template <class Shared>
    __device__ __forceinline__ static bool list_row(Shared& shared, u32 number, Geometry geometry) {
        SampleRun run = shared.runs[number];
        const u32 position = run.packed, sequences = shared.byte(position);
        const u32 all = shared.byte(position + 2 * sequences), pads = geometry.pads_in_row(run.kind);
        u32 samples = 0, free_pad = 0;
        for (u32 i = 0; i < sequences; i++) {
            const u32 pair = shared.half(position + 1 + 2 * i), end = pair >> 8;
            u32 pad = pair & 0xff;
            const u32 end_pad = pad + end - samples;
            if (pad < free_pad || end <= samples || end > all || end_pad > pads) return false;
            free_pad = end_pad;
            for (; samples < end; samples++, pad++) shared.list(run.first + samples, number, pad);
        }
        run.packed = (u16)(position + 1 + 2 * sequences);
        shared.add(number, run, run.first + samples);
        return true;
    }

    template <class Shared>
    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord& page, const SampleRun& run,
                                              u32 i) {
        const u32 bits = bits_of_row_sample(page), bit = i * bits;
        return shared.half(run.packed + bit / 8) >> (bit % 8) & ((1u << bits) - 1);
    }
};

}  // namespace
