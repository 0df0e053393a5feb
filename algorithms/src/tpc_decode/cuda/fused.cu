// Pages through shared memory: loaded 16 bytes a thread, taken apart there by all threads
// of a block, and written in whole vectors.
//
// Where blocks begin was found out when the page was validated, and written down: two
// words for a thousand bytes. So a page is no chain any more that one warp has to follow.
// Each thread goes to a block of its own and lists its channels; then all threads take
// samples as they come, four in a row, whatever block they are of. A block of threads
// takes page after page, so that the loads of some overlap with the work of others.
//
// Dynamic shared memory: see `Staged`.
#include "fused/dense_link.h"
#include "fused/link.h"
#include "fused/row.h"
#include "pages/target.h"

namespace {

// Values that are stored at once.
constexpr u32 EACH = 4;

// Nobody reads them soon: the cache is for the maps.
__device__ __forceinline__ void store(u64* to, const u64 (&values)[EACH]) {
    ulonglong2* pairs = reinterpret_cast<ulonglong2*>(to);
    __stcs(&pairs[0], make_ulonglong2(values[0], values[1]));
    __stcs(&pairs[1], make_ulonglong2(values[2], values[3]));
}
__device__ __forceinline__ void store(u32* to, const u32 (&values)[EACH]) {
    __stcs(reinterpret_cast<uint4*>(to), make_uint4(values[0], values[1], values[2], values[3]));
}

// The samples of a staged page.
template <class Strands, class Output>
struct Samples {
    using Value = typename Output::Value;

    const typename Strands::Shared& shared;
    const PageRecord& page;
    const Output& output;
    typename Strands::template Pads<Output> pads;

    __device__ __forceinline__ Value operator()(u32 sample) const {
        u32 channel;
        const Strand strand = shared.strand_of(sample, channel);
        const u32 adc = Strands::adc(shared, page, strand, sample - strand.first_sample);
        return output.make(page.first_time_bin + strand.time_bin, pads.cell(output, strand, channel), adc);
    }

    // Places in the list come in aligned fours, whatever place the page begins at.
    __device__ __forceinline__ void emit(u32 slot) const {
        const u32 skipped = slot % EACH, end = skipped + page.samples;
        Value* values = output.values - skipped;
        for (u32 first = EACH * threadIdx.x; first < end; first += EACH * THREADS) {
            if (first >= skipped && first + EACH <= end) {
                Value four[EACH];
#pragma unroll
                for (u32 i = 0; i < EACH; i++) four[i] = (*this)(first + i - skipped);
                store(values + first, four);
            } else {
#pragma unroll 1
                for (u32 i = max(first, skipped); i < min(first + EACH, end); i++) values[i] = (*this)(i - skipped);
            }
        }
    }
};

template <class Strands, class Target>
__device__ __forceinline__ void decode(const u8* pages, const PageRecord* records, const Piece* index,
                                       u32 stride, Geometry geometry, const typename Target::Output::Cell* cells,
                                       const Job* jobs, const u32* begins, u32 fragment, const Target& target) {
    using Shared = typename Strands::Shared;
    using Output = typename Target::Output;
    SMEM_DYN(Shared, shared);
    const u32 end = begins[fragment + 1];
    for (u32 number = begins[fragment] + blockIdx.x; number < end; number += gridDim.x) {
        const Job job = jobs[number];
        shared->load(page_at(pages, job.page), record_at(records, job.page));
        __syncthreads();
        // Not kept in registers, which are scarce.
        const PageRecord& page = shared->page;
        Strands::find(*shared, page, index + (u64)job.page * stride, geometry);
        __syncthreads();
        const Output output = target.of(page, job.slot);
        const Samples<Strands, Output> samples = {*shared, page, output, {cells, page, geometry}};
        samples.emit(job.slot);
        __syncthreads();
    }
}

}  // namespace

// Decodes the pages of a fragment to digits, with their places in the `index`, `stride` a
// page. Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_row_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                     const u32* geometry, const Job* jobs, const u32* begins, u32 fragment, u64* digits) {
    const DigitTarget target = {digits};
    decode<RowStrands>(pages, records, index, stride, {geometry}, nullptr, jobs, begins, fragment, target);
}
KERNEL_EXPORT(fused_row_digits)

// The same to positions and charges.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_row_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const Job* jobs, const u32* begins, u32 fragment,
                      const Fragment* fragments, const float* gains, u32* positions, u16* maps) {
    const ChargeTarget target = {fragments + fragment, gains, positions, maps};
    decode<RowStrands>(pages, records, index, stride, {geometry}, nullptr, jobs, begins, fragment, target);
}
KERNEL_EXPORT(fused_row_charges)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_link_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const u16* cells, const Job* jobs, const u32* begins, u32 fragment,
                      u64* digits) {
    const DigitTarget target = {digits};
    decode<LinkStrands>(pages, records, index, stride, {geometry}, cells, jobs, begins, fragment, target);
}
KERNEL_EXPORT(fused_link_digits)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_link_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                       const u32* geometry, const ChargeCell* cells, const Job* jobs, const u32* begins,
                       u32 fragment, const Fragment* fragments, u32* positions, u16* maps) {
    const ChargeTarget target = {fragments + fragment, nullptr, positions, maps};
    decode<LinkStrands>(pages, records, index, stride, {geometry}, cells, jobs, begins, fragment, target);
}
KERNEL_EXPORT(fused_link_charges)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_dense_link_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                            const u32* geometry, const u16* cells, const Job* jobs, const u32* begins,
                            u32 fragment, u64* digits) {
    const DigitTarget target = {digits};
    decode<DenseLinkStrands>(pages, records, index, stride, {geometry}, cells, jobs, begins, fragment, target);
}
KERNEL_EXPORT(fused_dense_link_digits)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_dense_link_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                             const u32* geometry, const ChargeCell* cells, const Job* jobs, const u32* begins,
                             u32 fragment, const Fragment* fragments, u32* positions, u16* maps) {
    const ChargeTarget target = {fragments + fragment, nullptr, positions, maps};
    decode<DenseLinkStrands>(pages, records, index, stride, {geometry}, cells, jobs, begins, fragment, target);
}
KERNEL_EXPORT(fused_dense_link_charges)
