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

#include "formulas/pairs.h"
#include "scan.h"

// Pairs of clusters that the lanes of a warp share, and their hits.

// Data of a module in which hits of pairs are found.

// Clusters of a side for each block, as the host lists them.
struct Job {
    u32 segment, first;
};

// The backs of a front that are near enough in time to it, whatever their own errors are.
struct alignas(8) Partners {
    u32 first, count;
};

// Arguments of finding hits of pairs.
struct PairFinding {
    HitFinding all;
    // One for each block.
    const Job* jobs;
    // In the order of entries: the lines of clusters, what hits need of them, and the partners of
    // fronts.
    Line* lines;
    Measured* values;
    Partners* partners;
};

namespace {

// Data of the clusters of a side that pairs need, in order of time. In the original array, clusters
// near in time are scattered.
struct InOrder {
    const Line* lines;
    const Measured* measured;

    __device__ __forceinline__ InOrder from(u32 begin) const { return {lines + begin, measured + begin}; }
};

// Data shared by all threads of a block: in shared memory, as registers are scarce.
struct Module {
    Sensor sensor;
    CrossingRange range;
    float widths;  // sensor widths per cm
    InOrder fronts, backs;
    TimeCut cut;
    Hit* hits;
    u32 capacity;
    u32* count;
};

__device__ __forceinline__ Module module_of(const PairFinding& pairs, u32 number) {
    const HitFinding& all = pairs.all;
    const Sensor& sensor = all.sensors[number];
    const InOrder clusters = {pairs.lines, pairs.values};
    return {sensor,
            crossing_range(sensor),
            1.0f / sensor.width,
            clusters.from(all.side_offsets[number]),
            clusters.from(all.side_offsets[all.modules + number]),
            all.cut,
            all.hits + all.offsets[number],
            all.offsets[number + 1] - all.offsets[number],
            &all.counts[number]};
}

// Backs that are near enough in time to a front.

// The first number from `start` on that is not `before`, by steps that grow: it is near.
template <class Before> __device__ __forceinline__ u32 nearby_lower_bound(u32 start, u32 end, Before before) {
    u32 low = start, step = 1;
    while (low + step < end && before(low + step)) {
        low += step;
        step *= 2;
    }
    return lower_bound(low, min(low + step, end), before);
}

// Partners of each lane's front, for the largest error of the back: `latest`. Fronts are in order
// of time, so their ranges of partners start near each other. All lanes of a warp call this.
template <class Rules>
__device__ __forceinline__ Partners partners_of(bool is_one, const Cluster& front, const Entry* backs, u32 count,
                                                const TimeCut& cut, float latest) {
    const u32 earliest = __shfl_sync(FULL_MASK, front.time, 0);
    const float max_delay = cut.between(front.time_error, latest, latest), max_of_warp = warp_max(max_delay);
    const u32 first_near =
        warp_lower_bound(count, [&](u32 back) { return Rules::delay(earliest, backs[back].time) > max_of_warp; });
    if (!is_one) return {};
    const auto is_early = [&](u32 back) { return Rules::delay(front.time, backs[back].time) > max_delay; };
    const auto is_not_late = [&](u32 back) { return -Rules::delay(front.time, backs[back].time) <= max_delay; };
    const u32 first = nearby_lower_bound(first_near, count, is_early);
    return {first, nearby_lower_bound(first, count, is_not_late) - first};
}

// The pairs of a group of fronts, shared by the lanes of a warp; there are no barriers.
//
// Pairs are indexed front by front. A bit for each is set if it is the first of its front, so a
// lane finds the front of its pair by counting bits.

constexpr u32 BITS = 32;
// Pairs that are marked at a time: a word for each lane.
constexpr u32 STRETCH = BITS * LANES;

// Data of a front with partners that decide which of them may cross it.
struct alignas(16) Front {
    float edge;
    i32 widths;
    u32 number;   // index in order of time
    u32 to_back;  // added to the index of a pair to get that of its back

    __device__ __forceinline__ Line line() const { return {edge, widths}; }
};

// Fronts shared by a warp.
struct SharedFronts {
    Front fronts[LANES];
    u32 firsts[LANES];  // bits of a stretch: set for the first pair of each front
    u32 before[LANES];  // first pairs before those of each word

    // The front of a pair, by its number in the stretch.
    __device__ __forceinline__ const Front& front_of(u32 pair) const {
        const u32 firsts_to_pair = firsts[pair / BITS] & ((2u << pair % BITS) - 1);
        return fronts[before[pair / BITS] + __popc(firsts_to_pair) - 1];
    }
};

// A lane's front, and its partners: none if it has no front.
struct LaneFront {
    Partners partners = {};
    Line line = {};

    __device__ __forceinline__ LaneFront(const Line* fronts, const Partners* all, u32 number, u32 end) {
        if (number >= end) return;
        partners = all[number];
        line = fronts[number];
    }
};

// The pairs of a warp's fronts, one front a lane. All lanes take part in what it does.
class SharedPairs {
    SharedFronts& shared;
    bool has_pairs;  // of the lane's front
    u32 first;       // index of its first pair
    u32 all;
    u32 marked = 0;  // fronts whose first pair was in an earlier stretch

  public:
    // Fronts that have partners come to lie side by side.
    __device__ __forceinline__ SharedPairs(const LaneFront& lane_front, u32 number, SharedFronts& shared)
        : shared(shared) {
        has_pairs = lane_front.partners.count > 0;
        const u32 inclusive = warp_inclusive_sum(lane_front.partners.count);
        first = inclusive - lane_front.partners.count;
        all = __shfl_sync(FULL_MASK, inclusive, LANES - 1);
        const u32 index = popc(__ballot_sync(FULL_MASK, has_pairs) & lanemask_lt(threadIdx.x % LANES));
        if (has_pairs)
            shared.fronts[index] = {lane_front.line.edge, lane_front.line.widths, number,
                                    lane_front.partners.first - first};
    }

    __device__ __forceinline__ u32 count() const { return all; }

    // Flags the first pair of each front in the stretch that starts at `begin`.
    __device__ __forceinline__ void mark(u32 begin) {
        const u32 lane = threadIdx.x % LANES;
        shared.firsts[lane] = 0;
        __syncwarp();
        // Below 0 it is a large number.
        const u32 pair = first - begin;
        if (has_pairs && pair < STRETCH) atomicOr(&shared.firsts[pair / BITS], 1u << pair % BITS);
        __syncwarp();
        const u32 lane_count = __popc(shared.firsts[lane]), inclusive = warp_inclusive_sum(lane_count);
        shared.before[lane] = marked + inclusive - lane_count;
        marked += __shfl_sync(FULL_MASK, inclusive, LANES - 1);
        __syncwarp();
    }
};

// The hits of pairs that may cross.

// Clusters of both sides, by their indices in order of time.
struct Pair {
    u32 front, back;
};

// True if clusters are near enough in time, by their own errors.
template <class Rules>
__device__ __forceinline__ bool are_near(const Module& module, const Measured& front, const Measured& back) {
    const float delay = fabsf(Rules::delay(front.time, back.time));
    return delay <= module.cut.within(front.reach, front.time_error, back.time_error);
}

// The hits of a pair for each lane that has one. Nearly all have a single one, so that a warp
// writes what it finds in one go.
template <class Rules>
__device__ __forceinline__ void find_hits_of(const Module& module, bool is_one, const Pair& pair) {
    const Line front_line = is_one ? module.fronts.lines[pair.front] : Line{};
    const Line back_line = is_one ? module.backs.lines[pair.back] : Line{};
    const Measured front = is_one ? module.fronts.measured[pair.front] : Measured{};
    const Measured back = is_one ? module.backs.measured[pair.back] : Measured{};
    const u32 lane = threadIdx.x % LANES;
    Crossings crossings(module.sensor, front_line, back_line);
    Local local = {};
    bool is_hit = is_one && are_near<Rules>(module, front, back) && crossings.next(local);
    while (const lanemask_t hits = __ballot_sync(FULL_MASK, is_hit)) {
        u32 first = 0;
        if (lane == 0) first = atomicAdd(module.count, popc(hits));
        const u32 index = __shfl_sync(FULL_MASK, first, 0) + popc(hits & lanemask_lt(lane));
        if (is_hit && index < module.capacity) module.hits[index] = hit_at<Rules>(module.sensor, front, back, local);
        is_hit = is_hit && crossings.next(local);
    }
}

// Pairs that may cross, until a warp has one for each of its lanes.

// Pairs that a lane tests before it adds any, so that their loads are in flight together.
constexpr u32 AT_ONCE = 2;

// Queue of a warp.
class Queue {
    // Capacity for a remainder and all pairs added before any are removed.
    static constexpr u32 CAPACITY = (1 + AT_ONCE) * LANES;

    Pair pairs[CAPACITY];

  public:
    // Adds a pair for each lane that has one that may cross, after `queued` others.
    __device__ __forceinline__ void add(bool may_cross, const Pair& pair, u32& queued) {
        const lanemask_t votes = __ballot_sync(FULL_MASK, may_cross);
        if (may_cross) pairs[queued + popc(votes & lanemask_lt(threadIdx.x % LANES))] = pair;
        queued += popc(votes);
        __syncwarp();
    }

    // Takes one for each lane, the last ones first, and finds their hits.
    template <class Rules> __device__ __forceinline__ void take(const Module& module, u32& queued) {
        const u32 lane = threadIdx.x % LANES, left = queued - min(queued, (u32)LANES);
        const bool is_one = left + lane < queued;
        const Pair pair = is_one ? pairs[left + lane] : Pair{};
        __syncwarp();
        queued = left;
        find_hits_of<Rules>(module, is_one, pair);
    }
};

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
