// Clears suppressed peaks in the map. A separate kernel because noise suppression has to read all
// peaks.
#include "finder/job.h"

namespace {
constexpr u32 THREADS = 256;
}

// A thread for each raw peak.
extern "C" __global__ void __launch_bounds__(THREADS)
    update_peaks(const Job* jobs, const u32* raw, const PeakCounts* counts, const u8* is_kept, u8* peaks, const __grid_constant__ Batch batch) {
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32* own = job.list(raw);
    const u8* keeps = job.list(is_kept);
    const u32 count = counts[part.slot].raw, step = batch.blocks_of_job * THREADS;
    for (u32 i = part.block * THREADS + threadIdx.x; i < count; i += step) {
        part.maps(nullptr, peaks, batch).peak(own[i]) = (u8)(keeps[i] * PEAK | ABOVE);
    }
}
KERNEL_EXPORT(update_peaks)
