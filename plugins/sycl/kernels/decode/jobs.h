// Offsets of samples: for each fragment, lists the pages that have time bins of it, in order, each with
// the number of samples before it. With these, pages can be decoded in any order, and all at once. As
// the kernels of decode between validation and decoding.
//
// Pages of all fragments form one long list, fragment by fragment, divided into tiles. Sums of tiles
// are computed first, then the exclusive scan over tiles, then over pages.
#pragma once
#include "../scan.h"
#include "headers.h"

namespace decode {

constexpr u32 JOB_THREADS = 256;
constexpr u32 PAGES_EACH = 4;
constexpr u32 JOB_TILE = JOB_THREADS * PAGES_EACH;
constexpr u32 SUMS_THREADS = 1024;

struct JobShared {
    u32 warp_sums[LANES];
};

// Numbers of pages and samples.
struct alignas(8) Sums {
    u32 jobs = 0;
    u32 samples = 0;

    DEVICE void add(u32 samples_of_page) {
        jobs += samples_of_page > 0;
        samples += samples_of_page;
    }
};

// Samples of the pages of a tile that a fragment needs.
struct Tile {
    const PageExtent* extents;
    u32 pages, first;
    Fragment fragment;

    DEVICE Tile(Item item, const PageExtent* extents, const Fragment* fragments, u32 pages, u32 tiles)
        : extents(extents),
          pages(pages),
          first(group_of(item) % tiles * JOB_TILE + thread_of(item) * PAGES_EACH),
          fragment(fragments[group_of(item) / tiles]) {}

    // Number of samples of this work-item's page.
    DEVICE u32 samples(u32 i) const {
        if (first + i >= pages) return 0;
        const PageExtent extent = extents[first + i];
        const u32 begin = extent.first_time_bin;
        const u32 end = begin + high_half(extent.time_bins_and_samples);
        const bool touches = begin < fragment.first_time_bin + fragment.time_bins && end > fragment.first_time_bin;
        return touches ? low_half(extent.time_bins_and_samples) : 0;
    }

    DEVICE Sums own() const {
        Sums own;
#pragma unroll
        for (u32 i = 0; i < PAGES_EACH; i++) own.add(samples(i));
        return own;
    }
};

template <u32 THREADS> DEVICE Sums exclusive_sums(Item item, Sums own, u32* warp_sums, Sums& total) {
    Sums before;
    before.jobs = block_exclusive_sum<THREADS>(item, own.jobs, warp_sums, total.jobs);
    group_barrier(item);
    before.samples = block_exclusive_sum<THREADS>(item, own.samples, warp_sums, total.samples);
    group_barrier(item);
    return before;
}

// Sums the jobs and samples of each tile of each fragment. A work-group for each tile.
DEVICE void count_jobs(Item item, const Tile& tile, Sums* sums, JobShared& shared) {
    Sums total;
    exclusive_sums<JOB_THREADS>(item, tile.own(), shared.warp_sums, total);
    if (thread_of(item) == 0) sums[group_of(item)] = total;
}

// The list of samples, as the interface has it.
struct SampleList {
    u64* begin;
    u64* count;
};

// Replaces `count` sums by those of the tiles before. One work-group. `job_offsets` receives the index
// of the first job of each fragment, then the number of all jobs, which ends those of the last.
DEVICE void sum_jobs(Item item, Sums* sums, u32* job_offsets, u32 tiles, u32 count, SampleList list,
                     JobShared& shared) {
    Sums before_all;
    for (u32 first = 0; first < count; first += SUMS_THREADS) {
        const u32 i = first + thread_of(item);
        Sums own;
        if (i < count) own = sums[i];
        Sums total;
        const Sums before = exclusive_sums<SUMS_THREADS>(item, own, shared.warp_sums, total);
        if (i < count) {
            sums[i].jobs = before_all.jobs + before.jobs;
            sums[i].samples = before_all.samples + before.samples;
            if (i % tiles == 0) job_offsets[i / tiles] = before_all.jobs + before.jobs;
        }
        before_all.jobs += total.jobs;
        before_all.samples += total.samples;
    }
    if (thread_of(item) > 0) return;
    job_offsets[count / tiles] = before_all.jobs;
    *list.begin = 0;
    *list.count = before_all.samples;
}

// Lists the jobs of all fragments. A work-group for each tile.
DEVICE void list_jobs(Item item, const Tile& tile, const Sums* sums, Job* jobs, JobShared& shared) {
    Sums total;
    Sums before = exclusive_sums<JOB_THREADS>(item, tile.own(), shared.warp_sums, total);
    const Sums before_tile = sums[group_of(item)];
    before.jobs += before_tile.jobs;
    before.samples += before_tile.samples;
#pragma unroll
    for (u32 i = 0; i < PAGES_EACH; i++) {
        const u32 samples = tile.samples(i);
        if (samples > 0) jobs[before.jobs] = {tile.first + i, before.samples};
        before.add(samples);
    }
}

}  // namespace decode
