// Offsets of samples: for each fragment, lists the pages that have time bins of it, in order, each
// with the number of samples before it. With these, pages can be decoded in any order, and all at
// once.
//
// Pages of all fragments form one long list, fragment by fragment, divided into tiles. Sums of
// tiles are computed first, then the exclusive scan over tiles, then over pages. This reads 8 bytes
// for each page and fragment, which is negligible compared with the page.
#include "block_scan.h"
#include "pages/page.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 PAGES_EACH = 4;
constexpr u32 TILE = THREADS * PAGES_EACH;
constexpr u32 SUMS_THREADS = 1024;

// Numbers of pages and samples.
struct Sums {
    u32 jobs = 0, samples = 0;

    __device__ __forceinline__ void add(u32 samples_of_page) {
        jobs += samples_of_page > 0;
        samples += samples_of_page;
    }
};

// Samples of the pages of a tile that a fragment needs.
struct Tile {
    const uint2* extents;
    u32 pages, first;
    Fragment fragment;

    __device__ __forceinline__ Tile(const uint2* extents, u32 pages, const Fragment* fragments, u32 tiles)
        : extents(extents),
          pages(pages),
          first(blockIdx.x % tiles * TILE + threadIdx.x * PAGES_EACH),
          fragment(fragments[blockIdx.x / tiles]) {}

    // Number of samples of this thread's page.
    __device__ __forceinline__ u32 samples(u32 i) const {
        if (first + i >= pages) return 0;
        const uint2 extent = extents[first + i];
        const u32 begin = extent.x, end = begin + high_half(extent.y);
        const bool touches = begin < fragment.first_time_bin + fragment.time_bins && end > fragment.first_time_bin;
        return touches ? low_half(extent.y) : 0;
    }

    __device__ __forceinline__ Sums own() const {
        Sums own;
#pragma unroll
        for (u32 i = 0; i < PAGES_EACH; i++) own.add(samples(i));
        return own;
    }
};

template <u32 BLOCK>
__device__ __forceinline__ Sums exclusive_sums(Sums own, u32* warp_sums, Sums& total) {
    Sums before;
    before.jobs = block_exclusive_sum<BLOCK>(own.jobs, warp_sums, total.jobs);
    __syncthreads();
    before.samples = block_exclusive_sum<BLOCK>(own.samples, warp_sums, total.samples);
    __syncthreads();
    return before;
}

}  // namespace

// Sums the jobs and samples of each tile of each fragment into `sums`. A block for each tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    place_count(const uint2* extents, u32 pages, const Fragment* fragments, u32 tiles, uint2* sums) {
    __shared__ u32 warp_sums[LANES];
    const Tile tile(extents, pages, fragments, tiles);
    Sums total;
    exclusive_sums<THREADS>(tile.own(), warp_sums, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = make_uint2(total.jobs, total.samples);
}
KERNEL_EXPORT(place_count)

// Replaces `sums` by those of the tiles before. `job_offsets` gets the index of the first job of
// each fragment, then the number of all jobs, then that of all samples. One block.
extern "C" __global__ void __launch_bounds__(SUMS_THREADS)
    place_sum(uint2* sums, u32 fragments, u32 tiles, u32* job_offsets) {
    __shared__ u32 warp_sums[LANES];
    const u32 count = fragments * tiles;
    Sums all;
    for (u32 first = 0; first < count; first += SUMS_THREADS) {
        const u32 i = first + threadIdx.x;
        const uint2 of_tile = i < count ? sums[i] : make_uint2(0, 0);
        Sums own, total;
        own.jobs = of_tile.x;
        own.samples = of_tile.y;
        const Sums before = exclusive_sums<SUMS_THREADS>(own, warp_sums, total);
        if (i < count) sums[i] = make_uint2(all.jobs + before.jobs, all.samples + before.samples);
        if (i < count && i % tiles == 0) job_offsets[i / tiles] = all.jobs + before.jobs;
        all.jobs += total.jobs;
        all.samples += total.samples;
    }
    if (threadIdx.x > 0) return;
    job_offsets[fragments] = all.jobs;
    job_offsets[fragments + 1] = all.samples;
}
KERNEL_EXPORT(place_sum)

// Lists the jobs of all fragments. A block for each tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    place_jobs(const uint2* extents, u32 pages, const Fragment* fragments, u32 tiles, const uint2* sums, Job* jobs) {
    __shared__ u32 warp_sums[LANES];
    const Tile tile(extents, pages, fragments, tiles);
    Sums total;
    Sums before = exclusive_sums<THREADS>(tile.own(), warp_sums, total);
    const uint2 before_tile = sums[blockIdx.x];
    before.jobs += before_tile.x;
    before.samples += before_tile.y;
#pragma unroll
    for (u32 i = 0; i < PAGES_EACH; i++) {
        const u32 samples = tile.samples(i);
        if (samples > 0) jobs[before.jobs] = {tile.first + i, before.samples};
        before.add(samples);
    }
}
KERNEL_EXPORT(place_jobs)
