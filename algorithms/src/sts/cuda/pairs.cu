// nvcc: -fmad=false
//
// Ours: hits by a block for some clusters of the front, in order of time; its threads share
// the pairs, not the clusters.
//
// How many partners a cluster has nobody can tell before: near a collision it is many, and
// most of them don't cross it. So a first kernel writes down for each cluster what decides
// about crossings, in order of time. Then a block finds the window of each of its fronts,
// counts the pairs, and goes through them thread by thread, wherever they belong to. Pairs
// that may cross are queued; whenever there is one for each thread the block computes
// their hits, which take their places by a single atomic.
#include "block_scan.h"
#include "formulas/lines.h"

// Clusters of a side for each thread of a block, as the host lists them.
struct Job {
    u32 segment, first;
};

namespace {

constexpr u32 LINE_THREADS = 256;
// Of a block, and its fronts.
constexpr u32 THREADS = 128;
// On a multiprocessor at a time: how many registers threads have is a matter of them.
constexpr u32 BLOCKS = 8;
// What is left over and what one round adds.
constexpr u32 QUEUE = 2 * THREADS;

// Clusters of both sides that are near in time: the front's number in the block, and the
// back's in its module.
struct Pair {
    u32 front, back;
};

// What a block knows of its fronts.
struct FrontLines {
    Line lines[THREADS];
    // The first back in the window, and the pairs of the fronts before.
    u32 starts[THREADS], pairs_before[THREADS];

    // The front that a pair belongs to.
    __device__ __forceinline__ u32 front_of(u32 pair) const {
        return segment_of(pairs_before, THREADS, pair);
    }

    __device__ __forceinline__ Pair pair(u32 number) const {
        const u32 front = front_of(number);
        return {front, starts[front] + number - pairs_before[front]};
    }
};

struct Shared {
    FrontLines fronts;
    Pair queue[QUEUE];
    Range window;
    // The place of a round's first hit.
    u32 place;
    u32 warp_sums[LANES];
};

// What all threads of a block know.
struct Module {
    const Sensor& sensor;
    CrossingRange range;
    const Cluster* fronts;
    const Cluster* backs;
    const Line* back_lines;
    TimeCut cut;
    float latest;
    Hit* hits;
    u32 capacity;
    u32* count;
};

// The backs that are near enough in time to some front, whatever their errors are: two warps
// look for both ends. `largest` is that of the fronts' errors. A barrier is included.
template <class Rules>
__device__ __forceinline__ Range window_of_fronts(const Module& module, u32 backs, u32 first_time, u32 last_time,
                                                  float largest, Shared& shared) {
    static_assert(THREADS >= 2 * LANES, "two warps");
    const float most = module.cut.between(largest, module.latest, module.latest);
    const auto is_early = [&](u32 back) { return Rules::delay(first_time, back) > most; };
    const auto is_not_late = [&](u32 back) { return -Rules::delay(last_time, back) <= most; };
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    if (warp == 0) {
        const u32 start = warp_first_not(module.back_lines, {0, backs}, is_early);
        if (lane == 0) shared.window.start = start;
    } else if (warp == 1) {
        const u32 end = warp_first_not(module.back_lines, {0, backs}, is_not_late);
        if (lane == 0) shared.window.end = end;
    }
    __syncthreads();
    return shared.window;
}

// Those near enough to one front.
template <class Rules>
__device__ __forceinline__ Range window_of_front(const Module& module, const Range& near_some, const Cluster& front) {
    const float most = module.cut.between(front.time_error, module.latest, module.latest);
    const auto is_early = [&](u32 back) { return Rules::delay(front.time, back) > most; };
    const auto is_not_late = [&](u32 back) { return -Rules::delay(front.time, back) <= most; };
    const u32 start = first_not(module.back_lines, near_some, is_early);
    return {start, first_not(module.back_lines, {start, max(start, near_some.end)}, is_not_late)};
}

// Writes down the block's fronts; returns how many pairs they have. A barrier is included.
template <class Rules>
__device__ __forceinline__ u32 find_windows(const Module& module, const Line* lines, u32 fronts, u32 backs,
                                            float largest, Shared& shared) {
    const u32 own = threadIdx.x, last_time = lines[fronts - 1].time;
    const Range near_some = window_of_fronts<Rules>(module, backs, lines[0].time, last_time, largest, shared);
    u32 pairs = 0;
    if (own < fronts) {
        const Line line = lines[own];
        const Range window = window_of_front<Rules>(module, near_some, module.fronts[line.index]);
        shared.fronts.lines[own] = line;
        shared.fronts.starts[own] = window.start;
        pairs = window.end - window.start;
    }
    u32 total;
    shared.fronts.pairs_before[own] = block_exclusive_sum<THREADS>(pairs, shared.warp_sums, total);
    __syncthreads();
    return total;
}

// Whether clusters are near enough in time, by their own errors.
template <class Rules>
__device__ __forceinline__ bool are_near(const Module& module, const Cluster& front, const Cluster& back) {
    const float delay = fabsf(Rules::delay(front.time, back.time));
    return delay <= module.cut.between(front.time_error, back.time_error, module.latest);
}

// The hits of a pair for each thread that has one. A barrier before, and another one after.
template <class Rules>
__device__ __forceinline__ void find_hits_of(const Module& module, bool is_one, const Pair& pair, Shared& shared) {
    const Line front = is_one ? shared.fronts.lines[pair.front] : Line{};
    const Line back = is_one ? module.back_lines[pair.back] : Line{};
    u32 own = 0;
    if (is_one && are_near<Rules>(module, module.fronts[front.index], module.backs[back.index]))
        for_each_crossing_of(module.sensor, front, back, [&](const Local&) { own++; });
    u32 all;
    const u32 before = block_exclusive_sum<THREADS>(own, shared.warp_sums, all);
    if (threadIdx.x == 0 && all > 0) shared.place = atomicAdd(module.count, all);
    __syncthreads();
    if (own == 0) return;
    u32 place = shared.place + before;
    for_each_crossing_of(module.sensor, front, back, [&](const Local& local) {
        if (place < module.capacity)
            module.hits[place] =
                hit_at<Rules>(module.sensor, module.fronts[front.index], module.backs[back.index], local);
        place++;
    });
}

// How many threads before this one say yes, and how many do at all. A barrier is included,
// and one is needed before `warp_votes` is used again.
__device__ __forceinline__ u32 votes_before(bool yes, u32* warp_votes, u32& total) {
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const lanemask_t votes = __ballot_sync(FULL_MASK, yes);
    if (lane == 0) warp_votes[warp] = popc(votes);
    __syncthreads();
    u32 before = popc(votes & lanemask_lt(lane));
    total = 0;
#pragma unroll
    for (u32 other = 0; other < THREADS / LANES; other++) {
        if (other < warp) before += warp_votes[other];
        total += warp_votes[other];
    }
    return before;
}

// Takes a queue's first pairs, one for each thread, and moves the others up; returns how many
// are left. A barrier before; they are included.
template <class Rules>
__device__ __forceinline__ u32 take_from_queue(const Module& module, u32 queued, Shared& shared) {
    const u32 own = threadIdx.x;
    const bool is_one = own < queued, is_left = own + THREADS < queued;
    const Pair pair = is_one ? shared.queue[own] : Pair{}, left = is_left ? shared.queue[own + THREADS] : Pair{};
    __syncthreads();
    if (is_left) shared.queue[own] = left;
    find_hits_of<Rules>(module, is_one, pair, shared);
    __syncthreads();
    return queued - min(queued, THREADS);
}

// The hits of a block's fronts.
template <class Rules>
__device__ __forceinline__ void find_hits(const Module& module, const Line* lines, u32 fronts, u32 backs,
                                          float largest, Shared& shared) {
    const u32 pairs = find_windows<Rules>(module, lines, fronts, backs, largest, shared);
    u32 queued = 0;
    for (u32 first = 0; first < pairs; first += THREADS) {
        const u32 number = first + threadIdx.x;
        bool may = false;
        Pair pair = {};
        if (number < pairs) {
            pair = shared.fronts.pair(number);
            may = may_cross(module.sensor, module.range, shared.fronts.lines[pair.front],
                            module.back_lines[pair.back]);
        }
        u32 more;
        const u32 place = queued + votes_before(may, shared.warp_sums, more);
        if (may) shared.queue[place] = pair;
        queued += more;
        __syncthreads();
        if (queued >= THREADS) queued = take_from_queue<Rules>(module, queued, shared);
    }
    if (queued > 0) take_from_queue<Rules>(module, queued, shared);
}

template <class Rules>
__device__ __forceinline__ void find_hits_of_job(const AllClusters& all, const Line* lines, u32 modules,
                                                 const Sensor* sensors, const TimeCut& cut, const Job& job,
                                                 const u32* offsets, u32* counts, Hit* hits) {
    __shared__ Shared shared;
    const u32 front = job.segment, back = modules + job.segment;
    const u32 front_begin = all.begins[front], back_begin = all.begins[back];
    const Sensor& sensor = sensors[job.segment];
    const Module module = {sensor,
                           crossing_range(sensor),
                           all.clusters + front_begin,
                           all.clusters + back_begin,
                           lines + back_begin,
                           cut,
                           __uint_as_float(all.found[back].latest_error),
                           hits + offsets[job.segment],
                           offsets[job.segment + 1] - offsets[job.segment],
                           &counts[job.segment]};
    const u32 fronts = min(THREADS, all.found[front].clusters - job.first);
    const float largest = __uint_as_float(all.found[front].latest_error);
    find_hits<Rules>(module, lines + front_begin + job.first, fronts, all.found[back].clusters, largest, shared);
}

template <class Rules>
__device__ __forceinline__ void write_lines(const AllClusters& all, u32 modules, const Sensor* sensors,
                                            const Job& job, Line* lines) {
    const u32 side = job.segment, begin = all.begins[side], own = job.first + threadIdx.x;
    if (own >= all.found[side].clusters) return;
    const Sensor& sensor = sensors[side % modules];
    const u32 index = all.entries[begin + own].index;
    const Cluster& cluster = all.clusters[begin + index];
    lines[begin + own] = side < modules ? line_of<Rules>(sensor, sensor.front, 0, cluster, index)
                                        : line_of<Rules>(sensor, sensor.back, CHANNELS_OF_SIDE, cluster, index);
}

}  // namespace

// The lines of all clusters, where their entries are. A block a job: some of any side.
extern "C" __global__ void __launch_bounds__(LINE_THREADS)
    hits_lines_exact(const Cluster* clusters, const Entry* entries, const u32* begins, const Found* found,
                     u32 modules, const Sensor* sensors, const Job* jobs, Line* lines) {
    write_lines<Exact>({clusters, entries, begins, found}, modules, sensors, jobs[blockIdx.x], lines);
}
KERNEL_EXPORT(hits_lines_exact, HitsLines)

extern "C" __global__ void __launch_bounds__(LINE_THREADS)
    hits_lines_published(const Cluster* clusters, const Entry* entries, const u32* begins, const Found* found,
                         u32 modules, const Sensor* sensors, const Job* jobs, Line* lines) {
    write_lines<Published>({clusters, entries, begins, found}, modules, sensors, jobs[blockIdx.x], lines);
}
KERNEL_EXPORT(hits_lines_published, HitsLines)

// The hits of all modules, as by `hits_of_fronts_`. A block a job: some of a front.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    hits_of_pairs_exact(const Cluster* clusters, const Line* lines, const u32* begins, const Found* found,
                        u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut, const Job* jobs,
                        const u32* offsets, u32* counts, Hit* hits) {
    find_hits_of_job<Exact>({clusters, nullptr, begins, found}, lines, modules, sensors, time_cut(cut_kind, cut),
                            jobs[blockIdx.x], offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_pairs_exact, HitsOfPairs)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    hits_of_pairs_published(const Cluster* clusters, const Line* lines, const u32* begins, const Found* found,
                            u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut, const Job* jobs,
                            const u32* offsets, u32* counts, Hit* hits) {
    find_hits_of_job<Published>({clusters, nullptr, begins, found}, lines, modules, sensors,
                                time_cut(cut_kind, cut), jobs[blockIdx.x], offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_pairs_published, HitsOfPairs)
