// Pages through shared memory: loaded 16 bytes a thread, taken apart there by all threads
// of a block, and written by whole warps.
//
// Where blocks begin was found out when the page was validated, and written down: two
// words for a thousand bytes. So a page is no chain any more that one warp has to follow. (The chain of
// a row page is short: these are validated here. See fused/row.h.)
// Each thread goes to a block of its own and lists its channels; then the threads take
// samples as they come, neighbours those that are next to each other: what a warp lists
// is a piece of memory as wide as its alignment. Charges are listed beside their positions;
// charge_tiles.cu makes maps of them. A block of threads has pages that follow
// each other, so that what is known of their channels stays there, and the loads of some
// blocks overlap with the work of others.
//
// Dynamic shared memory: see `Staged`.
#include "fused/dense_link.h"
#include "fused/link.h"
#include "fused/listed.h"
#include "fused/row.h"

namespace {

// The samples of a staged page.
template <class Runs, class Output>
struct Samples {
    using Value = typename Output::Value;

    const typename Runs::template Shared<Output>& shared;
    const PageRecord& page;
    const Output& output;

    __device__ __forceinline__ Value operator()(u32 sample) const {
        u32 channel;
        const SampleRun run = shared.run_of(sample, channel);
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

// Pages on the device, and what is known of them.
struct Source {
    const u8* pages;
    const PageRecord* records;
    const Piece* index;
    u32 stride;  // entries of the index for each page
    Geometry geometry;
    const Job* jobs;
};

// Row pages are judged where they are decoded. By then their samples have got places: of a page that
// is rejected they are left over, so all are placed and decoded once more, without it.
struct Judgement {
    uint2* extents;
    u8* verdicts;
    u32* rejected;  // whether any page of the fragment was

    __device__ __forceinline__ void reject(u32 page) const {
        if (threadIdx.x > 0) return;
        extents[page].y &= ~low_bits(16);
        verdicts[page] = DAMAGED;
        atomicOr(rejected, 1u);
    }
};

// Of pages that have been judged before.
struct Judged {
    __device__ __forceinline__ void reject(u32) const {}
};

// The jobs of this block among those of a fragment.
struct Share {
    u32 begin, end;

    __device__ __forceinline__ Share(const u32* begins, u32 fragment) {
        const u64 first = begins[fragment], jobs = begins[fragment + 1] - first;
        begin = (u32)(first + jobs * blockIdx.x / gridDim.x);
        end = (u32)(first + jobs * (blockIdx.x + 1) / gridDim.x);
    }
};

template <class Runs, class Target, class Judge>
__device__ __forceinline__ void decode(const Source& source, Share share, const typename Target::Output::Cell* cells,
                                       const Target& target, const Judge& judge) {
    using Output = typename Target::Output;
    using Shared = typename Runs::template Shared<Output>;
    SMEM_DYN(Shared, shared);
    const typename Output::Cell* loaded = nullptr;
    for (u32 number = share.begin; number < share.end; number++) {
        const Job job = source.jobs[number];
        const PageRecord record = record_at(source.records, job.page);
        const u32 first = job.slot % GROUP;
        shared->load(page_at(source.pages, job.page), record, source.index + (u64)job.page * source.stride, first);
        shared->load_cells(cells, record, loaded);
        __syncthreads();
        // Not kept in registers, which are scarce.
        const PageRecord& page = shared->page;
        if (Runs::find(*shared, page, first, source.geometry)) {
            const Output output = target.of(page, job.slot);
            const Samples<Runs, Output> samples = {*shared, page, output};
            samples.emit(first);
        } else {
            judge.reject(job.page);
        }
        __syncthreads();
    }
}

}  // namespace

// Judges and decodes the pages of a fragment to digits; if this is done `again`, only where any was
// rejected before. Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_row_digits(const u8* pages, const PageRecord* records, const u32* geometry, const Job* jobs,
                     const u32* begins, u32 fragment, uint2* extents, u8* verdicts, u32* rejected, u32 again,
                     u64* digits) {
    if (again && rejected[fragment] == 0) return;
    const Source source = {pages, records, nullptr, 0, {geometry}, jobs};
    const StoredDigitTarget target = {digits};
    const Judgement judgement = {extents, verdicts, rejected + fragment};
    decode<RowRuns>(source, {begins, fragment}, nullptr, target, judgement);
}
KERNEL_EXPORT(fused_row_digits)
KERNEL_SHARED(fused_row_digits, RowRuns::Shared<StoredDigitOutput>)

// The same to positions and charges, a charge beside each position.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_row_charges(const u8* pages, const PageRecord* records, const u32* geometry, const Job* jobs,
                      const u32* begins, u32 fragment, uint2* extents, u8* verdicts, u32* rejected, u32 again,
                      const Fragment* fragments, const float* gains, u32* positions, u16* charges) {
    if (again && rejected[fragment] == 0) return;
    const Source source = {pages, records, nullptr, 0, {geometry}, jobs};
    const ListedTarget target = {fragments + fragment, gains, positions, charges};
    const Judgement judgement = {extents, verdicts, rejected + fragment};
    decode<RowRuns>(source, {begins, fragment}, nullptr, target, judgement);
}
KERNEL_EXPORT(fused_row_charges)
KERNEL_SHARED(fused_row_charges, RowRuns::Shared<ListedOutput>)

// Decodes the pages of a fragment to digits, with the places of blocks in the `index`, `stride` a page,
// and the pads of channels in `cells`. Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_link_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                     const u32* geometry, const Job* jobs, const u32* begins, u32 fragment, const u16* cells,
                     u64* digits) {
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const StoredDigitTarget target = {digits};
    decode<LinkRuns>(source, {begins, fragment}, cells, target, Judged{});
}
KERNEL_EXPORT(fused_link_digits, FusedDigits)
KERNEL_SHARED(fused_link_digits, LinkRuns::Shared<StoredDigitOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_link_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const Job* jobs, const u32* begins, u32 fragment,
                      const Fragment* fragments, const ChargeCell* cells, u32* positions, u16* charges) {
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const ListedTarget target = {fragments + fragment, nullptr, positions, charges};
    decode<LinkRuns>(source, {begins, fragment}, cells, target, Judged{});
}
KERNEL_EXPORT(fused_link_charges, FusedCharges)
KERNEL_SHARED(fused_link_charges, LinkRuns::Shared<ListedOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_dense_link_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                     const u32* geometry, const Job* jobs, const u32* begins, u32 fragment, const u16* cells,
                     u64* digits) {
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const StoredDigitTarget target = {digits};
    decode<DenseLinkRuns>(source, {begins, fragment}, cells, target, Judged{});
}
KERNEL_EXPORT(fused_dense_link_digits, FusedDigits)
KERNEL_SHARED(fused_dense_link_digits, DenseLinkRuns::Shared<StoredDigitOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_dense_link_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const Job* jobs, const u32* begins, u32 fragment,
                      const Fragment* fragments, const ChargeCell* cells, u32* positions, u16* charges) {
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const ListedTarget target = {fragments + fragment, nullptr, positions, charges};
    decode<DenseLinkRuns>(source, {begins, fragment}, cells, target, Judged{});
}
KERNEL_EXPORT(fused_dense_link_charges, FusedCharges)
KERNEL_SHARED(fused_dense_link_charges, DenseLinkRuns::Shared<ListedOutput>)
