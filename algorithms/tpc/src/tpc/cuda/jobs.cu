// Splits the list of decoded positions by sector: those of a fragment are contiguous, page after
// page, and damaged pages have none.
#include "../../tpc_cluster_finder/cuda/finder/job.h"
#include "scan.h"

namespace tpc_chain {

// Time bins of a fragment, and those in which it finds clusters.
struct FragmentTimes {
    u32 first_time, time_bins;
    u32 own_begin, own_end;
};

}  // namespace tpc_chain

namespace {

using tpc_chain::FragmentTimes;

constexpr u32 THREADS = 64;

}  // namespace

// Lists a job for each sector in each fragment. `pages` are the decoded pages, with the indices of
// their first samples; `job_offsets` has the offset of the pages of each fragment, then the number
// of pages, then that of all samples; `first_pages` the first page of each sector. A thread for
// each fragment of a sector.
extern "C" __global__ void __launch_bounds__(THREADS)
    list_jobs(const uint2* pages, const u32* job_offsets, const FragmentTimes* fragments, u32 fragment_count,
              const u32* first_pages, u32 sectors, u32 first_sector, Job* jobs) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    const u32 number = i / sectors, slot = i % sectors;
    if (number >= fragment_count) return;
    const u32 begin = job_offsets[number], end = job_offsets[number + 1];
    const u32 all = job_offsets[fragment_count], samples = job_offsets[fragment_count + 1];
    const auto position_of = [&](u32 first_page) {
        const u32 page = lower_bound(begin, end, [&](u32 other) { return pages[other].x < first_page; });
        return page < all ? pages[page].y : samples;
    };
    const u32 first = position_of(first_pages[slot]);
    const u32 behind = slot + 1 < sectors ? position_of(first_pages[slot + 1]) : position_of(~0u);
    const FragmentTimes times = fragments[number];
    jobs[i] = {first_sector + slot, 0,           behind - first,  first,
               times.first_time,    times.time_bins, times.own_begin, times.own_end};
}
KERNEL_EXPORT(list_jobs)
