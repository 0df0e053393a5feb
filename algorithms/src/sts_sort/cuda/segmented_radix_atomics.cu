// The same as segmented_radix.cu with counters that are changed by the methods of a class, as a layer
// has it that wraps atomics. Shared memory is laid out as there.
#include "segmented_radix/pass.h"

namespace {

// A word that many threads change at once, relaxed, for the whole device.
class AtomicWord {
  public:
    __device__ __forceinline__ explicit AtomicWord(u32& word) : word(&word) {}
    // Returns what it was before.
    __device__ __forceinline__ u32 fetch_add(u32 value) const { return atomicAdd(word, value); }

  private:
    u32* word;
};

struct AtomicsOfClass {
    __device__ __forceinline__ static void count(u32& counter) { (void)AtomicWord(counter).fetch_add(1); }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    segmented_radix_pass_atomics(const u64* from, u64* to, const u32* begins, u32 shift, u32 bits) {
    SMEM_DYN(Shared, shared_memory);
    sort_pass<AtomicsOfClass>(from, to, begins, shift, bits, *shared_memory);
}
KERNEL_EXPORT(segmented_radix_pass_atomics, SegmentedRadixPass)
KERNEL_SHARED(segmented_radix_pass_atomics, Shared)
