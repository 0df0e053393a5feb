// Decodes pages through shared memory: loaded 16 bytes a thread, parsed there by all threads of a
// block, and written by full warps.
//
// Validation of the page has found the offsets of blocks and stored them in an index: two words for
// a thousand bytes. So a page is no longer a chain that one warp has to follow. Each thread parses
// one block and lists its channels; then consecutive threads take consecutive samples: a warp
// writes a contiguous, aligned piece of the list. Charges are listed parallel to their positions;
// charge_tiles.cu makes maps of them. A block of threads has consecutive pages, so that the channel
// table stays in shared memory. The next task is fetched while the current page is parsed; the
// loads of some blocks overlap with the work of others.
//
// Dynamic shared memory: see `Staged`.
#include "fused/dense_link.h"
#include "fused/link.h"
#include "fused/listed.h"
#include "fused/row.h"

namespace {

// The jobs of this block among those of a fragment.
struct Share {
    u32 begin, end;

    __device__ __forceinline__ Share(const u32* job_offsets, u32 fragment) {
        const u64 first = job_offsets[fragment], jobs = job_offsets[fragment + 1] - first;
        begin = (u32)(first + jobs * blockIdx.x / gridDim.x);
        end = (u32)(first + jobs * (blockIdx.x + 1) / gridDim.x);
    }
};

template <class Runs, class Target>
__device__ __forceinline__ void decode(const Source& source, Share share,
                                       const typename Target::Output::Cell* cells, const Target& target) {
    using Output = typename Target::Output;
    using Shared = typename Runs::template Shared<Output>;
    SMEM_DYN(Shared, shared);
    u32 loaded = NO_TABLE;
    if (threadIdx.x == 0 && share.begin < share.end) shared->tasks[share.begin % 2] = source.task(share.begin);
    __syncthreads();
    for (u32 number = share.begin; number < share.end; number++) {
        // A reference rather than a copy in registers, which are scarce.
        const Task& task = shared->tasks[number % 2];
        shared->load(source, task);
        shared->load_cells(cells, task.page, loaded);
        __syncthreads();
        // By a warp with little other work.
        if (threadIdx.x == THREADS - 1 && number + 1 < share.end)
            shared->tasks[(number + 1) % 2] = source.task(number + 1);
        Runs::find(*shared, task.page, source.geometry);
        __syncthreads();
        const Output output = target.of(task.page, task.job.slot);
        const typename Runs::template Samples<Output> samples = {*shared, task.page, output};
        samples.emit(task.first_number());
        __syncthreads();
    }
}

}  // namespace

// Decodes the pages of a fragment to digits, with their block offsets in the `index`, `stride` a
// page, and the pads of channels in `cells`, which row pages don't have. Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_row_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                     const u32* geometry, const Job* jobs, const u32* job_offsets, u32 fragment, const u16* cells,
                     u64* digits) {
    (void)cells;
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const StoredDigitTarget target = {digits};
    decode<RowRuns>(source, {job_offsets, fragment}, nullptr, target);
}
KERNEL_EXPORT(fused_row_digits, FusedDigits)
KERNEL_SHARED(fused_row_digits, RowRuns::Shared<StoredDigitOutput>)

// Decodes to positions and charges, in parallel lists; `gains` are for row pages, cells for others.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_row_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const Job* jobs, const u32* job_offsets, u32 fragment,
                      const Fragment* fragments, const float* gains, const ChargeCell* cells, u32* positions,
                      u16* charges) {
    (void)cells;
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const ListedTarget target = {fragments + fragment, gains, positions, charges};
    decode<RowRuns>(source, {job_offsets, fragment}, nullptr, target);
}
KERNEL_EXPORT(fused_row_charges, FusedCharges)
KERNEL_SHARED(fused_row_charges, RowRuns::Shared<ListedOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_link_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                     const u32* geometry, const Job* jobs, const u32* job_offsets, u32 fragment, const u16* cells,
                     u64* digits) {
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const StoredDigitTarget target = {digits};
    decode<LinkRuns>(source, {job_offsets, fragment}, cells, target);
}
KERNEL_EXPORT(fused_link_digits, FusedDigits)
KERNEL_SHARED(fused_link_digits, LinkRuns::Shared<StoredDigitOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_link_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const Job* jobs, const u32* job_offsets, u32 fragment,
                      const Fragment* fragments, const float* gains, const ChargeCell* cells, u32* positions,
                      u16* charges) {
    (void)gains;
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const ListedTarget target = {fragments + fragment, nullptr, positions, charges};
    decode<LinkRuns>(source, {job_offsets, fragment}, cells, target);
}
KERNEL_EXPORT(fused_link_charges, FusedCharges)
KERNEL_SHARED(fused_link_charges, LinkRuns::Shared<ListedOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_BLOCKS)
    fused_dense_link_digits(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                     const u32* geometry, const Job* jobs, const u32* job_offsets, u32 fragment, const u16* cells,
                     u64* digits) {
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const StoredDigitTarget target = {digits};
    decode<DenseLinkRuns>(source, {job_offsets, fragment}, cells, target);
}
KERNEL_EXPORT(fused_dense_link_digits, FusedDigits)
KERNEL_SHARED(fused_dense_link_digits, DenseLinkRuns::Shared<StoredDigitOutput>)

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT_CHARGE_BLOCKS)
    fused_dense_link_charges(const u8* pages, const PageRecord* records, const Piece* index, u32 stride,
                      const u32* geometry, const Job* jobs, const u32* job_offsets, u32 fragment,
                      const Fragment* fragments, const float* gains, const ChargeCell* cells, u32* positions,
                      u16* charges) {
    (void)gains;
    const Source source = {pages, records, index, stride, {geometry}, jobs};
    const ListedTarget target = {fragments + fragment, nullptr, positions, charges};
    decode<DenseLinkRuns>(source, {job_offsets, fragment}, cells, target);
}
KERNEL_EXPORT(fused_dense_link_charges, FusedCharges)
KERNEL_SHARED(fused_dense_link_charges, DenseLinkRuns::Shared<ListedOutput>)
