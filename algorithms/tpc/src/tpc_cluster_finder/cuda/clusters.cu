// A cluster around each peak, as published: the threads of a block load the neighbours of all peaks
// together, then the outer cells next to neighbours that are above the threshold.
//
// Static shared memory: a position, a mask and 16 charges of each thread, 16.6 KB.
#include "finder/steps.h"
#include "finder/cluster.h"

namespace {

// As published for NVIDIA's Ampere.
constexpr u32 THREADS = 448;

// Adds the neighbours; returns a bit for each that is above the threshold.
PORTABLE_INLINE u32 add_neighbours(const u16* neighbours, u32 threshold, Sums& sums) {
    u32 above = 0;
#pragma unroll
    for (u32 i = 0; i < NEIGHBOURS; i++) {
        sums.add(neighbour(i), neighbours[i]);
        above |= (u32)((neighbours[i] & CHARGE) > threshold) << i;
    }
    return above;
}

// Adds the outer cells with a charge that belong to no peak.
PORTABLE_INLINE void add_ring(const u16* ring, Sums& sums) {
#pragma unroll
    for (u32 i = 0; i < RING; i++) {
        if (!(ring[i] & AT_PEAK)) sums.add(ring_cell(i), ring[i]);
    }
}

// A thread for each remaining peak; threads beyond the last one repeat it.
PORTABLE_INLINE void clusterize_batch(const Finding& all) {
    __shared__ u32 positions[THREADS];
    __shared__ u8 above[THREADS];
    __shared__ u16 around[THREADS * RING];
    const Part part(all);
    const Job job = part.job();
    const Settings& settings = part.settings(job);
    const Maps maps = part.maps();
    const u32 count = part.counts().kept, step = all.blocks_of_job * THREADS;
    for (u32 first = part.block * THREADS; first < count; first += step) {
        const u32 here = min(THREADS, count - first), own = min(u32(threadIdx.x), here - 1);
        const u32 peak = job.list(all.kept)[first + own];
        const u32 largest = maps.charge(peak);
        Sums sums;
        sums.add({0, 0}, largest);
        positions[threadIdx.x] = peak;
        __syncthreads();
        block_load<THREADS, NEIGHBOURS>(here, around, [&](u32 index, u32 cell) {
            return maps.charge(plus(positions[index], neighbour(cell)));
        });
        __syncthreads();
        above[threadIdx.x] = (u8)add_neighbours(around + own * NEIGHBOURS, (u32)settings.inner_threshold, sums);
        __syncthreads();
        block_load<THREADS, RING>(here, around, [&](u32 index, u32 cell) -> u32 {
            const Step step = ring_cell(cell);
            const bool is_reached = (above[index] >> neighbour_number(towards(step)) & 1) != 0;
            return is_reached ? maps.charge(plus(positions[index], step)) : 0;
        });
        __syncthreads();
        add_ring(around + own * RING, sums);
        PackedCluster cluster;
        u32 index = NO_CLUSTER;
        const bool is_wanted = threadIdx.x < here && is_own(peak, job);
        const Peak top = peak_at(peak, job, largest & CHARGE);
        if (is_wanted && sums.finish(top, all.pads_in_rows[row_of(peak)], settings, cluster)) {
            index = add_to_bucket(all, bucket_of(peak, job), cluster);
        }
        if (all.cluster_indices != nullptr && threadIdx.x < here) job.list(all.cluster_indices)[first + own] = index;
        __syncthreads();
    }
}

}  // namespace

KERNEL_INSTANCE(clusterize, Finding, (THREADS), clusterize_batch)
