// Clears suppressed peaks in the map. A separate kernel because noise suppression has to read all
// peaks.
#include "finder/job.h"

namespace {

constexpr u32 THREADS = 256;

// A thread for each raw peak.
PORTABLE_INLINE void update(const Finding& all) {
    const Part part(all);
    const Job job = part.job();
    const u32* own = job.list(all.raw);
    const u8* keeps = job.list(all.marks);
    const u32 count = part.counts().raw, step = all.blocks_of_job * THREADS;
    for (u32 i = part.block * THREADS + threadIdx.x; i < count; i += step) {
        part.maps().peak(own[i]) = (u8)(keeps[i] * PEAK | ABOVE);
    }
}

}  // namespace

KERNEL_INSTANCE(update_peaks, Finding, (THREADS), update)
