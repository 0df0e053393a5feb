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
#include "fused/staged.h"

namespace {

// Output as lists: digits, or positions and a parallel list of charges.
struct StoredDigitOutput : DigitOutput {
    __device__ __forceinline__ void move(u32 samples) { values += (i32)samples; }

    // Streaming store: the list is not read soon.
    __device__ __forceinline__ void store(u32 sample, u64 digit) const { __stcs(&values[sample], digit); }
    // Stores two samples at an aligned address.
    __device__ __forceinline__ void store_pair(u64 digit, u64 next) const {
        __stcs(reinterpret_cast<ulonglong2*>(values), make_ulonglong2(digit, next));
    }
};

struct StoredDigitTarget {
    using Output = StoredDigitOutput;

    __device__ __forceinline__ static const u16* cells(const Decoding& all) { return all.pad_cells; }
    __device__ __forceinline__ static Output of(const Decoding& all, const PageRecord& page, u32 slot) {
        return {DigitTarget::of(all, page, slot)};
    }
};

// A position and, inside of the fragment, a charge.
struct ListedCharge {
    u32 position;
    u16 charge;
};

struct ListedOutput : ChargeMaker {
    using Value = ListedCharge;

    u32* positions;
    u16* charges;

    __device__ __forceinline__ ListedOutput(const ChargeMaker& maker, u32* positions, u16* charges)
        : ChargeMaker(maker), positions(positions), charges(charges) {}

    __device__ __forceinline__ void move(u32 samples) {
        positions += (i32)samples;
        charges += (i32)samples;
    }

    __device__ __forceinline__ Value make(u32 time_bin, Cell cell, u32 adc) const {
        if (has(time_bin)) return {position_of(cell.column, time(time_bin)), charge(cell, adc)};
        return {OUTSIDE, time_bin < first_time_bin ? (u16)0 : BEHIND};
    }

    __device__ __forceinline__ void store(u32 sample, Value value) const {
        positions[sample] = value.position;
        charges[sample] = value.charge;
    }

    __device__ __forceinline__ void store_pair(Value value, Value next) const {
        *reinterpret_cast<uint2*>(positions) = make_uint2(value.position, next.position);
        *reinterpret_cast<u32*>(charges) = value.charge | (u32)next.charge << 16;
    }
};

struct ListedTarget {
    using Output = ListedOutput;

    __device__ __forceinline__ static const ChargeCell* cells(const Decoding& all) { return all.charge_cells; }
    __device__ __forceinline__ static Output of(const Decoding& all, const PageRecord& page, u32 slot) {
        return {maker_of(all.fragments[all.fragment], all.gains, page), all.positions + slot, all.charges + slot};
    }
};

// The jobs of this block among those of a fragment.
struct Share {
    u32 begin, end;

    __device__ __forceinline__ explicit Share(const Decoding& all) {
        const u64 first = all.first_job(), jobs = all.end_of_jobs() - first;
        begin = (u32)(first + jobs * blockIdx.x / gridDim.x);
        end = (u32)(first + jobs * (blockIdx.x + 1) / gridDim.x);
    }
};

// Decodes the pages of a fragment. Any number of blocks.
template <class Runs, class Target> __device__ __forceinline__ void decode(const Decoding& all) {
    using Output = typename Target::Output;
    using Shared = typename Runs::template Shared<Output>;
    SMEM_DYN(Shared, shared);
    const Share share(all);
    u32 loaded = NO_TABLE;
    if (threadIdx.x == 0 && share.begin < share.end) shared->tasks[share.begin % 2] = task_of(all, share.begin);
    __syncthreads();
    for (u32 number = share.begin; number < share.end; number++) {
        // A reference rather than a copy in registers, which are scarce.
        const Task& task = shared->tasks[number % 2];
        shared->load(all, task);
        shared->load_cells(Target::cells(all), task.page, loaded);
        __syncthreads();
        // By a warp with little other work.
        if (threadIdx.x == THREADS - 1 && number + 1 < share.end)
            shared->tasks[(number + 1) % 2] = task_of(all, number + 1);
        Runs::find(*shared, task.page, all.geometry);
        __syncthreads();
        const Output output = Target::of(all, task.page, task.job.slot);
        const typename Runs::template Samples<Output> samples = {*shared, task.page, output};
        samples.emit(task.first_number());
        __syncthreads();
    }
}

}  // namespace

KERNEL_INSTANCE(fused_row_digits, Decoding, (THREADS, RESIDENT_BLOCKS), decode<RowRuns, StoredDigitTarget>)
KERNEL_SHARED(fused_row_digits, RowRuns::Shared<StoredDigitOutput>)
KERNEL_INSTANCE(fused_row_charges, Decoding, (THREADS, RESIDENT_BLOCKS), decode<RowRuns, ListedTarget>)
KERNEL_SHARED(fused_row_charges, RowRuns::Shared<ListedOutput>)
KERNEL_INSTANCE(fused_link_digits, Decoding, (THREADS, RESIDENT_BLOCKS), decode<LinkRuns, StoredDigitTarget>)
KERNEL_SHARED(fused_link_digits, LinkRuns::Shared<StoredDigitOutput>)
KERNEL_INSTANCE(fused_link_charges, Decoding, (THREADS, RESIDENT_BLOCKS), decode<LinkRuns, ListedTarget>)
KERNEL_SHARED(fused_link_charges, LinkRuns::Shared<ListedOutput>)
KERNEL_INSTANCE(fused_dense_link_digits, Decoding, (THREADS, RESIDENT_BLOCKS),
                decode<DenseLinkRuns, StoredDigitTarget>)
KERNEL_SHARED(fused_dense_link_digits, DenseLinkRuns::Shared<StoredDigitOutput>)
KERNEL_INSTANCE(fused_dense_link_charges, Decoding, (THREADS, RESIDENT_CHARGE_BLOCKS),
                decode<DenseLinkRuns, ListedTarget>)
KERNEL_SHARED(fused_dense_link_charges, DenseLinkRuns::Shared<ListedOutput>)
