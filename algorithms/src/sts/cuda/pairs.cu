// nvcc: -fmad=false
//
// Ours: hits by a warp for some clusters of the front, in order of time; its lanes share the
// pairs, not the clusters.
//
// How many partners a cluster has nobody can tell before: near a collision it is many, and
// most of them don't cross it. So a first kernel writes down for each cluster what decides
// about crossings, in order of time, and for each front which backs are near enough. Then a warp
// counts the pairs of some fronts, and goes through them lane by lane, wherever they belong to.
// Pairs that may cross are queued; whenever there is one for each lane the warp computes their
// hits, which take their places by a single atomic.
#include "pairs/partners.h"
#include "pairs/queue.h"
#include "pairs/sharing.h"

namespace {

// Of blocks that write lines, one a thread.
constexpr u32 LINE_THREADS = 256;
constexpr u32 THREADS = 128;
constexpr u32 WARPS = THREADS / LANES;
// Of a multiprocessor: how many registers threads have is a matter of them.
constexpr u32 BLOCKS = 8;
// More than threads, as what a warp has left over at the end leaves lanes without work.
constexpr u32 FRONTS_OF_JOB = 4 * THREADS;

struct OfWarp {
    SharedFronts fronts;
    Queue queue;
};

// Queues those pairs of a stretch that may cross, and finds the hits of as many as fill the warp.
template <class Rules>
__device__ __forceinline__ void find_hits_in_stretch(const Module& module, u32 begin, u32 count, OfWarp& shared,
                                                     u32& queued) {
    for (u32 first = threadIdx.x % LANES; first - threadIdx.x % LANES < count; first += AT_ONCE * LANES) {
        Pair pairs[AT_ONCE];
        bool may[AT_ONCE];
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) {
            const u32 pair = first + i * LANES;
            may[i] = false;
            pairs[i] = {};
            if (pair >= count) continue;
            const Front front = shared.fronts.front_of(pair);
            pairs[i] = {front.number, front.to_back + begin + pair};
            may[i] = may_cross(module.range, module.widths, front.line(), module.back_lines[pairs[i].back]);
        }
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) shared.queue.add(may[i], pairs[i], queued);
        while (queued >= LANES) shared.queue.take<Rules>(module, queued);
    }
}

// The hits of some fronts: warps take turns, a front for each lane at a time.
template <class Rules>
__device__ __forceinline__ void find_hits(const Module& module, const Partners* partners, u32 first, u32 end,
                                          OfWarp& shared) {
    u32 queued = 0;
    for (first += threadIdx.x; first - threadIdx.x % LANES < end; first += THREADS) {
        SharedPairs pairs(module.front_lines, partners, first, end, shared.fronts);
        for (u32 begin = 0; begin < pairs.count(); begin += min(STRETCH, pairs.count() - begin)) {
            pairs.mark(begin);
            find_hits_in_stretch<Rules>(module, begin, min(STRETCH, pairs.count() - begin), shared, queued);
            __syncwarp();
        }
    }
    if (queued > 0) shared.queue.take<Rules>(module, queued);
}

// The line of a cluster, and the partners of one of the front.
template <class Rules>
__device__ __forceinline__ void write_line(const AllClusters& all, u32 modules, const Sensor* sensors,
                                           const TimeCut& cut, const Job& job, Line* lines, Partners* partners) {
    const u32 side = job.segment, begin = all.begins[side], own = job.first + threadIdx.x;
    if (own >= all.found[side].clusters) return;
    const Sensor& sensor = sensors[side % modules];
    const u32 index = all.entries[begin + own].index;
    const Cluster& cluster = all.clusters[begin + index];
    if (side >= modules) {
        lines[begin + own] = line_of<Rules>(sensor, sensor.back, CHANNELS_OF_SIDE, cluster, index);
        return;
    }
    lines[begin + own] = line_of<Rules>(sensor, sensor.front, 0, cluster, index);
    const u32 back = modules + side;
    partners[begin + own] = partners_of<Rules>(cluster, all.entries + all.begins[back], all.found[back].clusters, cut,
                                               __uint_as_float(all.found[back].latest_error));
}

template <class Rules>
__device__ __forceinline__ void find_hits_of_job(const AllClusters& all, const Line* lines, const Partners* partners,
                                                 u32 modules, const Sensor* sensors, const TimeCut& cut,
                                                 const Job& job, const u32* offsets, u32* counts, Hit* hits) {
    __shared__ Module module;
    __shared__ OfWarp shared[WARPS];
    if (threadIdx.x == 0) module = module_of(all, lines, modules, sensors, cut, job.segment, offsets, counts, hits);
    __syncthreads();
    const u32 end = min(job.first + FRONTS_OF_JOB, all.found[job.segment].clusters);
    find_hits<Rules>(module, partners + all.begins[job.segment], job.first, end, shared[threadIdx.x / LANES]);
}

}  // namespace

// The lines of all clusters and the partners of fronts, where their entries are. A block a job: some
// of any side.
extern "C" __global__ void __launch_bounds__(LINE_THREADS)
    hits_lines_exact(const Cluster* clusters, const Entry* entries, const u32* begins, const Found* found,
                     u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut, const Job* jobs, Line* lines,
                     Partners* partners) {
    write_line<Exact>({clusters, entries, begins, found}, modules, sensors, time_cut(cut_kind, cut),
                      jobs[blockIdx.x], lines, partners);
}
KERNEL_EXPORT(hits_lines_exact, HitsLines)

extern "C" __global__ void __launch_bounds__(LINE_THREADS)
    hits_lines_published(const Cluster* clusters, const Entry* entries, const u32* begins, const Found* found,
                     u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut, const Job* jobs, Line* lines,
                     Partners* partners) {
    write_line<Published>({clusters, entries, begins, found}, modules, sensors, time_cut(cut_kind, cut),
                      jobs[blockIdx.x], lines, partners);
}
KERNEL_EXPORT(hits_lines_published, HitsLines)

// The hits of all modules, as by `hits_of_fronts_`. A block a job: some of a front.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    hits_of_pairs_exact(const Cluster* clusters, const Line* lines, const Partners* partners, const u32* begins,
                        const Found* found, u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut,
                        const Job* jobs, const u32* offsets, u32* counts, Hit* hits) {
    find_hits_of_job<Exact>({clusters, nullptr, begins, found}, lines, partners, modules, sensors,
                            time_cut(cut_kind, cut), jobs[blockIdx.x], offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_pairs_exact, HitsOfPairs)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    hits_of_pairs_published(const Cluster* clusters, const Line* lines, const Partners* partners, const u32* begins,
                        const Found* found, u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut,
                        const Job* jobs, const u32* offsets, u32* counts, Hit* hits) {
    find_hits_of_job<Published>({clusters, nullptr, begins, found}, lines, partners, modules, sensors,
                            time_cut(cut_kind, cut), jobs[blockIdx.x], offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_pairs_published, HitsOfPairs)
