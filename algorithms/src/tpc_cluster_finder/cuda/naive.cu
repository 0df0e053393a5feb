// A thread for each sample or peak in each stage, which reads what it needs from the maps: idle
// threads wait for the active ones of their warp, and neighbours that several threads read come
// from the caches.
//
// Peaks are appended to lists through an atomic counter, in any order.
#include "finder/buckets.h"
#include "finder/noise.h"
#include "finder/shares.h"

namespace {

constexpr u32 THREADS = 256;

PORTABLE_INLINE bool is_largest(const Maps& maps, u32 position, u32 charge) {
#pragma unroll
    for (u32 i = 0; i < NEIGHBOURS; i++) {
        const u32 other = maps.charge(plus(position, neighbour(i)));
        if (i < NEIGHBOURS_BEFORE ? charge < other : charge <= other) return false;
    }
    return true;
}

PORTABLE_INLINE bool is_peak(const Maps& maps, u32 position) { return (maps.peak(position) & PEAK) != 0; }

PORTABLE_INLINE bool is_valley_at(const Maps& maps, u32 peak, u32 charge, Step step, const Settings& settings) {
    return is_valley((i32)charge, maps.charge(plus(peak, step)), settings);
}

PORTABLE_INLINE bool is_noise(const Maps& maps, u32 peak, const Settings& settings) {
    const u32 charge = maps.charge(peak);
#pragma unroll 1
    for (u32 i = 0; i < NOISE_CELLS; i++) {
        const Step step = noise_cell(i), next = towards(step);
        const u32 other = plus(peak, step);
        if (!is_peak(maps, other) || maps.charge(other) <= charge) continue;
        if (is_valley_at(maps, peak, charge, next, settings)) continue;
        const bool is_far = step.times == 3 || step.times == -3;
        if (is_far && is_valley_at(maps, peak, charge, {next.pads, 2 * next.times}, settings)) continue;
        return true;
    }
    return false;
}

// The share of each peak that claims a charge, with its flags.
PORTABLE_INLINE u32 share(const Maps& maps, u32 position) {
    const u32 charge = maps.charge(position);
    if (is_peak(maps, position)) return charge | AT_PEAK;
    u32 adjacent = 0;
#pragma unroll
    for (u32 i = 0; i < NEIGHBOURS; i++) adjacent += is_peak(maps, plus(position, neighbour(i)));
    if (adjacent > 0) return share_of(charge, adjacent) | AT_PEAK;
    u32 behind = 0;
#pragma unroll
    for (u32 i = 0; i < RING; i++) {
        const Step step = ring_cell(i);
        if (is_peak(maps, plus(position, step))) {
            behind += (maps.peak(plus(position, half_way(step))) & ABOVE) != 0;
        }
    }
    return share_of(charge, behind);
}

// Adds the outer cells next to a neighbour that belong to no peak.
PORTABLE_INLINE void add_behind(const Maps& maps, u32 peak, Step inner, Sums& sums) {
#pragma unroll
    for (u32 i = 0; i < RING; i++) {
        const Step step = ring_cell(i), next = towards(step);
        if (next.pads != inner.pads || next.times != inner.times) continue;
        const u32 entry = maps.charge(plus(peak, step));
        if (!(entry & AT_PEAK)) sums.add(step, entry);
    }
}

PORTABLE_INLINE Sums sums_around(const Maps& maps, u32 peak, u32 threshold) {
    Sums sums;
    sums.add({0, 0}, maps.charge(peak));
#pragma unroll
    for (u32 i = 0; i < NEIGHBOURS; i++) {
        const Step inner = neighbour(i);
        const u32 entry = maps.charge(plus(peak, inner));
        sums.add(inner, entry);
        if ((entry & CHARGE) > threshold) add_behind(maps, peak, inner, sums);
    }
    return sums;
}

}  // namespace

// A thread for each sample.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_peaks_each(const Job* jobs, const Settings* sectors, const u32* noisy, const u32* positions, u16* charges,
                    u8* peaks, u32* raw, PeakCounts* counts, const __grid_constant__ Batch batch) {
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32 i = part.block * THREADS + threadIdx.x;
    if (i >= job.samples) return;
    const u32 position = job.list(positions)[i];
    if (is_outside(position)) return;
    const Maps maps = part.maps(charges, peaks, batch);
    const Settings& settings = sectors[job.sector];
    const u32 charge = is_noisy(noisy, job.sector, position) ? 0 : maps.charge(position);
    const bool found = (i32)charge > settings.qmax_cutoff && is_largest(maps, position, charge);
    maps.peak(position) = (u8)((found ? PEAK : 0) | ((i32)charge > settings.inner_threshold ? ABOVE : 0));
    if (found) job.list(raw)[atomicAdd(&counts[part.slot].raw, 1u)] = position;
}
KERNEL_EXPORT(find_peaks_each)

// A thread for each raw peak.
extern "C" __global__ void __launch_bounds__(THREADS)
    suppress_noise_each(const Job* jobs, const Settings* sectors, u16* charges, u8* peaks, const u32* raw, u8* is_kept,
                        u32* kept, PeakCounts* counts, const __grid_constant__ Batch batch) {
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const Settings& settings = sectors[job.sector];
    const Maps maps = part.maps(charges, peaks, batch);
    PeakCounts& own = counts[part.slot];
    const u32 count = own.raw, step = batch.blocks_of_job * THREADS;
    for (u32 i = part.block * THREADS + threadIdx.x; i < count; i += step) {
        const u32 peak = job.list(raw)[i];
        const bool keeps = !is_noise(maps, peak, settings);
        job.list(is_kept)[i] = keeps;
        if (keeps) job.list(kept)[atomicAdd(&own.kept, 1u)] = peak;
    }
}
KERNEL_EXPORT(suppress_noise_each)

// A thread for each sample, which changes only its own charge.
extern "C" __global__ void __launch_bounds__(THREADS)
    divide_charges_each(const Job* jobs, const u32* positions, u16* charges, u8* peaks, const __grid_constant__ Batch batch) {
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32 i = part.block * THREADS + threadIdx.x;
    if (i >= job.samples) return;
    const u32 position = job.list(positions)[i];
    if (is_outside(position)) return;
    const Maps maps = part.maps(charges, peaks, batch);
    maps.charge(position) = (u16)share(maps, position);
}
KERNEL_EXPORT(divide_charges_each, DivideCharges)

// A thread for each peak. `cluster_indices`, unless it is null, gets the index of each one's
// cluster in its bucket.
extern "C" __global__ void __launch_bounds__(THREADS)
    clusterize_each(const Job* jobs, const Settings* sectors, const u32* pads_in_rows, u16* charges, const u32* kept,
                    const PeakCounts* counts, const u32* bucket_offsets, u32* bucket_counts, PackedCluster* clusters,
                    u32* cluster_indices, const __grid_constant__ Batch batch) {
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const Settings& settings = sectors[job.sector];
    const Maps maps = part.maps(charges, nullptr, batch);
    const Buckets buckets = {bucket_offsets, bucket_counts, clusters};
    const u32 count = counts[part.slot].kept, step = batch.blocks_of_job * THREADS;
    for (u32 i = part.block * THREADS + threadIdx.x; i < count; i += step) {
        const u32 peak = job.list(kept)[i];
        if (cluster_indices != nullptr) job.list(cluster_indices)[i] = NO_CLUSTER;
        if (!is_own(peak, job)) continue;
        const Sums sums = sums_around(maps, peak, (u32)settings.inner_threshold);
        const u32 largest = maps.charge(peak) & CHARGE;
        PackedCluster cluster;
        if (sums.finish(peak_at(peak, job, largest), pads_in_rows[row_of(peak)], settings, cluster)) {
            const u32 index = buckets.add(bucket_of(peak, job), cluster);
            if (cluster_indices != nullptr) job.list(cluster_indices)[i] = index;
        }
    }
}
KERNEL_EXPORT(clusterize_each, Clusterize)
