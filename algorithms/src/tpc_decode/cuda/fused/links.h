// Pages of rows and of links: the lists from which their samples are made.
#pragma once
#include "../pages/page.h"
#include "../pages/target.h"
#include "block_scan.h"
#include "staged.h"

namespace {

// Common part of the link formats: a table of their channels.

constexpr u32 CHANNELS_OF_ENDPOINT = MAX_FECS_IN_HALF * CHANNELS_IN_LINK;
constexpr u32 ENDPOINTS_OF_SECTOR = 20;

// Tables of the data needed of each channel, prepared by the launcher: in the order of channels,
// padded to CHANNELS_OF_ENDPOINT. Digits need the same table for all sectors, charges have gains
// that differ by sector.
template <class Cell>
__device__ __forceinline__ u32 table_of(const PageRecord& page);
template <>
__device__ __forceinline__ u32 table_of<u16>(const PageRecord& page) {
    return page.endpoint;
}
template <>
__device__ __forceinline__ u32 table_of<ChargeCell>(const PageRecord& page) {
    return page.sector * ENDPOINTS_OF_SECTOR + page.endpoint;
}

// A page and the cells of its channels, for random access by samples.
template <u32 RUNS, class Cell, class Run = SampleRun>
struct LinkPage : Staged<RUNS, Run> {
    static constexpr u32 CELL_BYTES = sizeof(Cell);
    static constexpr u32 CELL_GRANULES = CHANNELS_OF_ENDPOINT * sizeof(Cell) / GRANULE;
    static_assert(CHANNELS_OF_ENDPOINT * sizeof(Cell) % GRANULE == 0, "whole granules");

    uint4 cell_granules[CELL_GRANULES];

    // Loads the cells of a page, unless they are loaded already. Barrier needed after.
    __device__ __forceinline__ void load_cells(const Cell* tables, const PageRecord& page, u32& loaded) {
        const u32 wanted = table_of<Cell>(page);
        if (wanted == loaded) return;
        loaded = wanted;
        const u8* bytes = reinterpret_cast<const u8*>(tables + wanted * CHANNELS_OF_ENDPOINT);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < CELL_GRANULES; i += THREADS) cell_granules[i] = granule_at(bytes + i * GRANULE);
    }

    template <class Output>
    __device__ __forceinline__ Cell cell(const Output&, SampleRun, u32 channel) const {
        return reinterpret_cast<const Cell*>(cell_granules)[channel];
    }

    // The cell of a channel, by its byte offset.
    __device__ __forceinline__ Cell cell_at(u32 byte_offset) const {
        return *reinterpret_cast<const Cell*>(reinterpret_cast<const u8*>(cell_granules) + byte_offset);
    }
};

// Link pages: a thread lists the channels of a block.

// Maximum number of blocks with samples in a page: each has 32 bytes.
constexpr u32 BLOCKS_OF_LINK_PAGE = 256;

struct LinkRuns {
    static constexpr u32 MOST = BLOCKS_OF_LINK_PAGE;
    template <class Output>
    using Shared = LinkPage<MOST, typename Output::Cell>;
    template <class Output>
    using Samples = SingleSamples<LinkRuns, Output>;

    template <class Shared>
    __device__ __forceinline__ static void find(Shared& shared, const PageRecord& page, Geometry geometry) {
        const u32 first_fec = geometry.first_fec(page.endpoint);
        for (u32 i = threadIdx.x; i < page.pieces; i += THREADS) {
            SampleRun run = shared.runs[i];
            const uint4 header = shared.granules[run.packed / GRANULE];
            const u32 first = ((header.w >> 8 & 0xff) - first_fec) * CHANNELS_IN_LINK;
            const u32 masks[3] = {header.x, header.y, low_half(header.z)};
            u32 sample = run.first;
#pragma unroll
            for (u32 part = 0; part < 3; part++) sample = shared.list_mask(masks[part], sample, first + part * 32);
            const u32 crossing = page.time_offset + (header.z >> 16 & 0xfff);
            run.packed = (u16)(run.packed + GRANULE);
            run.time_bin = (u16)((page.orbit_start + crossing) / BC_PER_TIME_BIN - page.first_time_bin);
            shared.runs[i] = run;
            shared.mark(i, run.first, sample);
        }
    }

    // Five samples in eight bytes.
    template <class Shared>
    __device__ __forceinline__ static u32 adc(const Shared& shared, const PageRecord&, const SampleRun& run, u32 i) {
        const u32 bit = i / 5 * 64 + i % 5 * 12;
        return shared.half(run.packed + bit / 8) >> (bit % 8) & 0xfff;
    }
};

// Row pages: a thread finds the rows of a record, then a thread lists the pads of a row.

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
