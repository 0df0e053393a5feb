// The same as epoch_parallel.cu with a slice of global memory for each block in the place of shared
// memory: what a layer has to do that knows no shared memory of a fixed size.
#include "slots/microslice.h"

namespace {

// Of a slice: more than a block needs, so that no two of them share a line of a cache.
constexpr u32 SLICE_WORDS = 1024;
static_assert(sizeof(Shared) <= SLICE_WORDS * sizeof(u32), "a slice has room for what a block shares");

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    unpack_by_slices(const u8* bytes, const Job* jobs, u32 job_count, const Board* boards, u32 rules,
                     const u32* first_slots, Counts* counts, u64* slots, u32* slices) {
    Shared& slice = *reinterpret_cast<Shared*>(slices + (u64)blockIdx.x * SLICE_WORDS);
    unpack_microslice(bytes, jobs, job_count, boards, rules, first_slots, counts, slots, slice);
}
KERNEL_EXPORT(unpack_by_slices)
