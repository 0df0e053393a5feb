// Stores samples in maps: the first stage of all variants with maps. A sample is in one map only,
// so no other thread writes its cell.
#include "finder/job.h"

namespace {

constexpr u32 THREADS = 256;

// Positions of the samples of each job, and their charges in its map. A thread for each sample;
// threads beyond the samples of a job write nothing.
PORTABLE_INLINE void fill(const Finding& all) {
    const Part part(all);
    const Job job = part.job();
    const u32 i = part.block * THREADS + threadIdx.x;
    if (i >= job.samples) return;
    const Sample sample = all.samples[job.first_sample + i];
    const u32 local_time = sample.time - job.first_time;
    u32 position = OUTSIDE;
    if (local_time < job.time_bins) {
        position = position_at(sample.pad >> 8, sample.pad & 0xff, local_time);
        part.maps().charge(position) = sample.charge;
    }
    job.list(all.positions)[i] = position;
}

}  // namespace

KERNEL_INSTANCE(fill_charges, Finding, (THREADS), fill)
