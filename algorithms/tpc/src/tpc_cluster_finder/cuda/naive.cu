// A thread for each sample or peak in each stage, which reads what it needs from the maps: idle
// threads wait for the active ones of their warp, and neighbours that several threads read come
// from the caches.
//
// Peaks are appended to lists through an atomic counter, in any order.
#include "finder/cluster.h"
#include "finder/steps.h"

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

// A thread for each sample.
PORTABLE_INLINE void find_peaks(const Finding& all) {
    const Part part(all);
    const Job job = part.job();
    const u32 i = part.block * THREADS + threadIdx.x;
    if (i >= job.samples) return;
    const u32 position = job.list(all.positions)[i];
    if (is_outside(position)) return;
    const Maps maps = part.maps();
    const Settings& settings = part.settings(job);
    const u32 charge = is_noisy(all.noisy, job.sector, position) ? 0 : maps.charge(position);
    const bool found = (i32)charge > settings.qmax_cutoff && is_largest(maps, position, charge);
    maps.peak(position) = (u8)((found ? PEAK : 0) | ((i32)charge > settings.inner_threshold ? ABOVE : 0));
    if (found) job.list(all.raw)[atomicAdd(&part.counts().raw, 1u)] = position;
}

// A thread for each raw peak.
PORTABLE_INLINE void suppress_noise(const Finding& all) {
    const Part part(all);
    const Job job = part.job();
    const Settings& settings = part.settings(job);
    const Maps maps = part.maps();
    PeakCounts& own = part.counts();
    const u32 count = own.raw, step = all.blocks_of_job * THREADS;
    for (u32 i = part.block * THREADS + threadIdx.x; i < count; i += step) {
        const u32 peak = job.list(all.raw)[i];
        const bool keeps = !is_noise(maps, peak, settings);
        job.list(all.marks)[i] = keeps;
        if (keeps) job.list(all.kept)[atomicAdd(&own.kept, 1u)] = peak;
    }
}

// A thread for each sample, which changes only its own charge.
PORTABLE_INLINE void divide_charges(const Finding& all) {
    const Part part(all);
    const Job job = part.job();
    const u32 i = part.block * THREADS + threadIdx.x;
    if (i >= job.samples) return;
    const u32 position = job.list(all.positions)[i];
    if (is_outside(position)) return;
    const Maps maps = part.maps();
    maps.charge(position) = (u16)share(maps, position);
}

// A thread for each peak.
PORTABLE_INLINE void clusterize(const Finding& all) {
    const Part part(all);
    const Job job = part.job();
    const Settings& settings = part.settings(job);
    const Maps maps = part.maps();
    const u32 count = part.counts().kept, step = all.blocks_of_job * THREADS;
    for (u32 i = part.block * THREADS + threadIdx.x; i < count; i += step) {
        const u32 peak = job.list(all.kept)[i];
        if (all.cluster_indices != nullptr) job.list(all.cluster_indices)[i] = NO_CLUSTER;
        if (!is_own(peak, job)) continue;
        const Sums sums = sums_around(maps, peak, (u32)settings.inner_threshold);
        const u32 largest = maps.charge(peak) & CHARGE;
        PackedCluster cluster;
        if (sums.finish(peak_at(peak, job, largest), all.pads_in_rows[row_of(peak)], settings, cluster)) {
            const u32 index = add_to_bucket(all, bucket_of(peak, job), cluster);
            if (all.cluster_indices != nullptr) job.list(all.cluster_indices)[i] = index;
        }
    }
}

}  // namespace

KERNEL_INSTANCE(find_peaks_each, Finding, (THREADS), find_peaks)
KERNEL_INSTANCE(suppress_noise_each, Finding, (THREADS), suppress_noise)
KERNEL_INSTANCE(divide_charges_each, Finding, (THREADS), divide_charges)
KERNEL_INSTANCE(clusterize_each, Finding, (THREADS), clusterize)
