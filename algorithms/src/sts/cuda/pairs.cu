// nvcc: -fmad=false
//
// recobench: a warp finds the hits of a group of clusters of the front, in order of time; its lanes
// share the pairs, not the clusters.
//
// The number of partners of a cluster is unpredictable: near a collision there are many, and most
// of them do not cross it. So a first kernel stores for each cluster, in order of time, the values
// that decide about crossings and those that hits need, and for each front the range of near backs.
// Then a warp counts the pairs of a group of fronts, and processes one per lane at a time,
// whichever fronts they belong to. Pairs that may cross are queued; whenever there is one for each
// lane the warp computes their hits, which reserve their indices by a single atomic.
#include "pairs/partners.h"
#include "pairs/queue.h"
#include "pairs/sharing.h"

namespace {

// Threads of the blocks that write lines; a cluster per thread.
constexpr u32 LINE_THREADS = 256;
constexpr u32 LINE_ITEMS = 2;
constexpr u32 LINES_OF_JOB = LINE_THREADS * LINE_ITEMS;
static_assert(LINES_OF_JOB % LANES == 0, "whole warps");
constexpr u32 THREADS = 128;
constexpr u32 WARPS = THREADS / LANES;
// Blocks per multiprocessor, which limits the registers of a thread.
constexpr u32 BLOCKS = 8;
// More than threads, as what a warp has left over at the end leaves lanes without work.
constexpr u32 FRONTS_OF_JOB = 4 * THREADS;

struct OfWarp {
    SharedFronts fronts;
    Queue queue;
};

// Queues those pairs of a stretch that may cross, and finds hits whenever the queue fills the warp.
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
            may[i] = may_cross(module.range, module.widths, front.line(), module.backs.lines[pairs[i].back]);
        }
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; i++) shared.queue.add(may[i], pairs[i], queued);
        while (queued >= LANES) shared.queue.take<Rules>(module, queued);
    }
}

// Finds the hits of a group of fronts: one front per lane at a time, in a loop over groups.
template <class Rules>
__device__ __forceinline__ void find_hits(const Module& module, const Partners* partners, u32 first, u32 end,
                                          OfWarp& shared) {
    u32 queued = 0;
    first += threadIdx.x;
    LaneFront lane_front(module.fronts.lines, partners, first, end);
    for (; first - threadIdx.x % LANES < end; first += THREADS) {
        SharedPairs pairs(lane_front, first, shared.fronts);
        // This load is in flight while the current pairs are processed.
        lane_front = LaneFront(module.fronts.lines, partners, first + THREADS, end);
        for (u32 begin = 0; begin < pairs.count(); begin += min(STRETCH, pairs.count() - begin)) {
            pairs.mark(begin);
            find_hits_in_stretch<Rules>(module, begin, min(STRETCH, pairs.count() - begin), shared, queued);
            __syncwarp();
        }
    }
    if (queued > 0) shared.queue.take<Rules>(module, queued);
}

// The clusters of a job that this thread has; none after the last one of the side.
struct ThreadClusters {
    u32 numbers[LINE_ITEMS];
    bool are_there[LINE_ITEMS];
    Cluster clusters[LINE_ITEMS];

    // Loads the full record first so that all loads are in flight together; the compiler would
    // reload after stores.
    __device__ __forceinline__ ThreadClusters(const HitFinding& all, const Job& job) {
        const u32 begin = all.side_offsets[job.segment], count = all.found[job.segment].clusters;
        u32 indices[LINE_ITEMS];
#pragma unroll
        for (u32 i = 0; i < LINE_ITEMS; i++) {
            const u32 number = job.first + i * LINE_THREADS + threadIdx.x;
            are_there[i] = number < count;
            numbers[i] = begin + number;
            indices[i] = are_there[i] ? all.entries[begin + number].index : 0;
        }
#pragma unroll
        for (u32 i = 0; i < LINE_ITEMS; i++) clusters[i] = are_there[i] ? all.clusters[begin + indices[i]] : Cluster{};
    }
};

// Writes the lines of the clusters of a job, what hits take of them, and the partners of those of
// the front, in the order of entries. A block per job: some clusters of any side.
template <class Rules> __device__ __forceinline__ void write_lines(const PairFinding& pairs) {
    const HitFinding& all = pairs.all;
    const Job job = pairs.jobs[blockIdx.x];
    const Sensor& sensor = all.sensors[job.segment % all.modules];
    const ThreadClusters thread_clusters(all, job);
    const bool is_front = job.segment < all.modules;
    const u32 back = is_front ? all.modules + job.segment : job.segment;
    const SortedClusters backs = all.of(back);
    const float latest = all.latest_error(back);
#pragma unroll
    for (u32 i = 0; i < LINE_ITEMS; i++) {
        const Cluster& cluster = thread_clusters.clusters[i];
        const u32 number = thread_clusters.numbers[i];
        const bool is_there = thread_clusters.are_there[i];
        Partners found = {};
        if (is_front) found = partners_of<Rules>(is_there, cluster, backs.entries, backs.count, all.cut, latest);
        if (!is_there) continue;
        pairs.lines[number] = line_of<Rules>(sensor, is_front ? sensor.front : sensor.back,
                                             is_front ? 0 : CHANNELS_OF_SIDE, cluster);
        pairs.values[number] = measured(cluster, is_front ? TimeCut::reach_of(cluster.time_error, latest) : 0);
        if (is_front) pairs.partners[number] = found;
    }
}

// Finds the hits of all modules, as `hits_of_fronts_` does. A block per job: some clusters of a
// front.
template <class Rules> __device__ __forceinline__ void find_hits_of_job(const PairFinding& pairs) {
    __shared__ Module module;
    __shared__ OfWarp shared[WARPS];
    const Job job = pairs.jobs[blockIdx.x];
    if (threadIdx.x == 0) module = module_of(pairs, job.segment);
    __syncthreads();
    const u32 end = min(job.first + FRONTS_OF_JOB, pairs.all.found[job.segment].clusters);
    const Partners* partners = pairs.partners + pairs.all.side_offsets[job.segment];
    find_hits<Rules>(module, partners, job.first, end, shared[threadIdx.x / LANES]);
}

}  // namespace

KERNEL_INSTANCE(hits_lines_exact, PairFinding, (LINE_THREADS), write_lines<Exact>)
KERNEL_INSTANCE(hits_lines_published, PairFinding, (LINE_THREADS), write_lines<Published>)
KERNEL_INSTANCE(hits_of_pairs_exact, PairFinding, (THREADS, BLOCKS), find_hits_of_job<Exact>)
KERNEL_INSTANCE(hits_of_pairs_published, PairFinding, (THREADS, BLOCKS), find_hits_of_job<Published>)
