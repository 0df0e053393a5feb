// Offsets of samples: for each fragment, lists the pages that have time bins of it, in order, each
// with the number of samples before it. With these, pages can be decoded in any order, and all at
// once.
//
// Pages of all fragments form one long list, fragment by fragment, divided into tiles. Sums of
// tiles are computed first, then the exclusive scan over tiles, then over pages. This reads 8 bytes
// for each page and fragment, which is negligible compared with the page.
#include "scan.h"
#include "pages/page.h"

namespace tpc_decode {

// Arguments of assigning offsets to samples.
struct Placing {
    // First time bin, number of time bins and samples of each page.
    const uint2* extents;
    const Fragment* fragments;
    // Jobs and samples of each tile of each fragment; then those of the tiles before.
    uint2* sums;
    // The index of the first job of each fragment, then the number of all jobs, then that of all
    // samples.
    u32* job_offsets;
    Job* jobs;
    u32 pages, tiles, fragment_count;
};

}  // namespace tpc_decode

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

    __device__ __forceinline__ explicit Tile(const Placing& all)
        : extents(all.extents),
          pages(all.pages),
          first(blockIdx.x % all.tiles * TILE + threadIdx.x * PAGES_EACH),
          fragment(all.fragments[blockIdx.x / all.tiles]) {}

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

// Sums the jobs and samples of each tile of each fragment. A block for each tile.
__device__ __forceinline__ void count(const Placing& all) {
    __shared__ u32 warp_sums[LANES];
    const Tile tile(all);
    Sums total;
    exclusive_sums<THREADS>(tile.own(), warp_sums, total);
    if (threadIdx.x == 0) all.sums[blockIdx.x] = make_uint2(total.jobs, total.samples);
}

// Replaces sums by those of the tiles before. One block.
__device__ __forceinline__ void sum(const Placing& all) {
    __shared__ u32 warp_sums[LANES];
    const u32 tiles = all.tiles, count = all.fragment_count * tiles;
    Sums before_all;
    for (u32 first = 0; first < count; first += SUMS_THREADS) {
        const u32 i = first + threadIdx.x;
        const uint2 of_tile = i < count ? all.sums[i] : make_uint2(0, 0);
        Sums own, total;
        own.jobs = of_tile.x;
        own.samples = of_tile.y;
        const Sums before = exclusive_sums<SUMS_THREADS>(own, warp_sums, total);
        if (i < count) all.sums[i] = make_uint2(before_all.jobs + before.jobs, before_all.samples + before.samples);
        if (i < count && i % tiles == 0) all.job_offsets[i / tiles] = before_all.jobs + before.jobs;
        before_all.jobs += total.jobs;
        before_all.samples += total.samples;
    }
    if (threadIdx.x > 0) return;
    all.job_offsets[all.fragment_count] = before_all.jobs;
    all.job_offsets[all.fragment_count + 1] = before_all.samples;
}

// Lists the jobs of all fragments. A block for each tile.
__device__ __forceinline__ void list(const Placing& all) {
    __shared__ u32 warp_sums[LANES];
    const Tile tile(all);
    Sums total;
    Sums before = exclusive_sums<THREADS>(tile.own(), warp_sums, total);
    const uint2 before_tile = all.sums[blockIdx.x];
    before.jobs += before_tile.x;
    before.samples += before_tile.y;
#pragma unroll
    for (u32 i = 0; i < PAGES_EACH; i++) {
        const u32 samples = tile.samples(i);
        if (samples > 0) all.jobs[before.jobs] = {tile.first + i, before.samples};
        before.add(samples);
    }
}

}  // namespace

KERNEL_INSTANCE(place_count, Placing, (THREADS), count)
KERNEL_INSTANCE(place_sum, Placing, (SUMS_THREADS), sum)
KERNEL_INSTANCE(place_jobs, Placing, (THREADS), list)
