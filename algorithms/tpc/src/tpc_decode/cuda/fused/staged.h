// A page in shared memory, and the lists from which its samples are made.
#pragma once
#include "../pages/page.h"
#include "../pages/target.h"
#include "../tuned/fused.h"
#include "scan.h"

namespace {

// A page in shared memory, and the lists from which its samples are made.

constexpr u32 THREADS = 256;

// Maximum part of a block in the next page: a valid block has at most ten cards, with the words
// before them, all masks, and all samples.
constexpr u32 MAX_CONTINUATION = 2 + MAX_FECS_IN_HALF * (2 + 10 + CHANNELS_IN_LINK * 12 / 8);
static_assert(MAX_CONTINUATION / GRANULE + 2 <= THREADS, "a load for each thread");
constexpr u32 STAGED_BYTES = PAGE_BYTES + (MAX_CONTINUATION + GRANULE - 1) / GRANULE * GRANULE;
// Maximum number of samples of a page: fewer than with samples of 10 bits and no other data.
constexpr u32 MAX_SAMPLES = 7680;
// Samples have indices that are shifted so that a group is one aligned piece of the output list:
// the first one of a page may have any index below this.
constexpr u32 GROUP = 32;
constexpr u32 MAX_NUMBERS = MAX_SAMPLES + GROUP;
constexpr u32 GROUPS = MAX_NUMBERS / GROUP;
static_assert(GROUPS <= THREADS, "a thread for each group");

// Contiguous samples: of a link's block, of a row's record. Runs have at least one sample.
struct SampleRun {
    u16 first;     // index of its first sample
    u16 packed;    // position of its samples
    u16 time_bin;  // after the page's first one
    u16 kind;      // row

    // A run of which only the head is known: the position is that of the head.
    __device__ __forceinline__ static SampleRun of_head(u32 position, u32 first) {
        return {(u16)first, (u16)position, 0, 0};
    }
};

// Position of a sample in its group.
struct GroupPosition {
    u32 up_to, behind;  // bits of the indices up to it, and of the next one

    __device__ __forceinline__ explicit GroupPosition(u32 sample)
        : up_to(~0u >> (GROUP - 1 - sample % GROUP)), behind(up_to + 1) {}
};

// The runs that start in a group of samples: a bit for each index, and the number of runs before.
struct __align__(8) GroupStarts {
    u32 bits, before;

    // The run that a sample belongs to.
    __device__ __forceinline__ u32 run_of(GroupPosition position) const {
        return before + (u32)__popc(bits & position.up_to) - 1;
    }
    // Returns true if the next sample of the group is the first one of the next run.
    __device__ __forceinline__ bool starts_behind(GroupPosition position) const { return bits & position.behind; }
};

// No table of channels is loaded.
constexpr u32 NO_TABLE = ~0u;

// Task of a block of threads: a page, and the destination of its samples.
struct Task {
    PageRecord page;
    Job job;

    // Index of the page's first sample.
    __device__ __forceinline__ u32 first_number() const { return job.slot % GROUP; }
};

__device__ __forceinline__ Task task_of(const Decoding& all, u32 number) {
    const Job job = all.jobs[number];
    return {record_at(all.records, job.page), job};
}

// A staged page with its lists.
template <u32 RUNS, class Run = SampleRun>
struct Staged {
    uint4 granules[STAGED_BYTES / GRANULE];
    Task tasks[2];  // current and next one, alternating
    Run runs[RUNS];
    GroupStarts starts[GROUPS];
    u16 channels[MAX_NUMBERS];  // of each sample; or the offset of its channel's cell
    u32 warp_sums[LANES];

    __device__ __forceinline__ const u32* word_of(u32 position) const {
        return reinterpret_cast<const u32*>(granules) + position / sizeof(u32);
    }
    // Four bytes from any offset on. Reads two aligned words.
    __device__ __forceinline__ u32 word(u32 position) const {
        const u32* words = word_of(position);
        return __funnelshift_r(words[0], words[1], position % sizeof(u32) * 8);
    }
    // Four bytes from any bit on; higher bits of its index are ignored.
    __device__ __forceinline__ u32 bits_at(u32 bit) const {
        constexpr u32 WORDS = 4096;
        static_assert(STAGED_BYTES <= WORDS * sizeof(u32), "all offsets of a page");
        const u32* words = reinterpret_cast<const u32*>(granules) + bit / 32 % WORDS;
        return __funnelshift_r(words[0], words[1], bit);
    }
    __device__ __forceinline__ const u8* bytes() const { return reinterpret_cast<const u8*>(granules); }
    __device__ __forceinline__ u32 byte(u32 position) const { return bytes()[position]; }
    __device__ __forceinline__ u32 half(u32 position) const { return byte(position) | byte(position + 1) << 8; }

    // Loads a payload, with its continuation appended, and the offsets of its blocks, as runs with
    // their heads instead of their samples. Barrier needed after.
    __device__ __forceinline__ void load(const Decoding& all, const Task& task) {
        if (threadIdx.x < GROUPS) starts[threadIdx.x] = {0, 0};
        const Piece* pieces = all.index + (u64)task.job.page * all.stride;
        const u32 count = task.page.pieces, first = task.first_number();
        // Most pages have at most one piece for each thread: its load overlaps with all others.
        Piece piece = {};
        if (threadIdx.x < count) piece = pieces[threadIdx.x];
        load_granules(page_at(all.pages, task.job.page) + threadIdx.x * GRANULE, task.page);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            if (i >= THREADS) piece = pieces[i];
            runs[i] = Run::of_head(piece.position, piece.first_sample + first);
        }
    }

    // Loads granules; `page` includes the thread's offset.
    __device__ __forceinline__ void load_granules(const u8* page, const PageRecord& record) {
        constexpr u32 LOADS = PAGE_BYTES / GRANULE / THREADS;
        static_assert(LOADS * THREADS * GRANULE == PAGE_BYTES, "the same number for each thread");
        // Heads of links are read in full words, which extend beyond the end by some bytes.
        const u32 start = record.start / GRANULE, end = record.end / GRANULE;
        const u32 behind = record.continuation > 0 ? record.continuation / GRANULE + 2 : 0;
        const u32 count = (behind > 0 ? end : min(end + 1, PAGE_BYTES / GRANULE)) - start;
        uint4 loaded[LOADS];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++)
            if (threadIdx.x + k * THREADS - start < count) loaded[k] = granule_at(page + k * THREADS * GRANULE);
        if (threadIdx.x < behind) granules[end + threadIdx.x] = granule_at(page + PAGE_BYTES + RDH_BYTES);
#pragma unroll
        for (u32 k = 0; k < LOADS; k++)
            if (threadIdx.x + k * THREADS - start < count) granules[threadIdx.x + k * THREADS] = loaded[k];
    }

    // Marks the start and the end of a run. For groups that start after its first sample, up to the
    // next run's first, it is the last run that started before.
    __device__ __forceinline__ void mark(u32 number, u32 first, u32 end) {
        atomicOr(&starts[first / GROUP].bits, 1u << first % GROUP);
        for (u32 group = first / GROUP + 1; group * GROUP <= end; group++) starts[group].before = number + 1;
    }

    // Lists the channels of a mask, from `first_channel` on; returns the index of the next sample.
    __device__ __forceinline__ u32 list_mask(u32 mask, u32 sample, u32 first_channel) {
        for (; mask != 0; mask &= mask - 1) channels[sample++] = (u16)(first_channel + (u32)__ffs((int)mask) - 1);
        return sample;
    }

    __device__ __forceinline__ u32 run_of(u32 sample) const {
        return starts[sample / GROUP].run_of(GroupPosition(sample));
    }
};

// The samples of a staged page, one for each thread.

template <class Runs, class Output>
struct SingleSamples {
    using Value = typename Output::Value;

    const typename Runs::template Shared<Output>& shared;
    const PageRecord& page;
    const Output& output;

    __device__ __forceinline__ Value operator()(u32 sample) const {
        const u32 channel = shared.channels[sample];
        const SampleRun run = shared.runs[shared.run_of(sample)];
        const u32 adc = Runs::adc(shared, page, run, sample - run.first);
        return output.make(page.first_time_bin + run.time_bin, shared.cell(output, run, channel), adc);
    }

    __device__ __forceinline__ void emit(u32 first) const {
        const u32 end = first + page.samples;
#pragma unroll 4
        for (u32 sample = threadIdx.x < first ? threadIdx.x + THREADS : threadIdx.x; sample < end; sample += THREADS)
            output.store(sample - first, (*this)(sample));
    }
};

// Pages of rows and of links: the lists from which their samples are made.

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
