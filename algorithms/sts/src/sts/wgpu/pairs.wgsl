// Code shared by lines and hits of pairs: see pairs.cu.

// Clusters of a side for each block, as the host lists them.
struct Job { segment: u32, first: u32 }

// The backs of a front that are near enough in time to it, whatever their own errors are.
struct Partners { first: u32, count: u32 }

#part hits_lines_RULES
// Backs that are near enough in time to a front: see pairs.cu. There a warp searches the
// first one of all its fronts, here each front its own. It needs entries.
#include "formulas/pairs.wgsl" cut
#include "formulas/pairs.wgsl" lines
#include "formulas/rules.wgsl" RULES_pairs

// Search window of a front: its time, the largest time difference, and the range of its backs.
struct Window { time: u32, max_delay: f32, backs: u32, count: u32 }

// From a front to a back.
fn delay_to(window: Window, back: u32) -> f32 {
    return delay(window.time, entries[window.backs + back].time);
}

fn is_early(window: Window, back: u32) -> bool { return delay_to(window, back) > window.max_delay; }
fn is_not_late(window: Window, back: u32) -> bool { return -delay_to(window, back) <= window.max_delay; }

// The first back that is not early.
fn lower_bound(window: Window) -> u32 {
    var low = 0u;
    var high = window.count;
    while low < high {
        let middle = (low + high) / 2u;
        if is_early(window, middle) { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// The first back from `start` on that is late, by steps that grow: it is near.
fn first_late(window: Window, start: u32) -> u32 {
    var low = start;
    var step = 1u;
    while low + step < window.count && is_not_late(window, low + step) {
        low += step;
        step *= 2u;
    }
    var high = min(low + step, window.count);
    while low < high {
        let middle = (low + high) / 2u;
        if is_not_late(window, middle) { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// Partners of a front among the backs of a side, for the largest error of the back.
fn partners_of(front: Cluster, side: u32) -> Partners {
    let latest = bitcast<f32>(found[side].latest_error);
    let max_delay = cut_between(front.time_error, latest, latest);
    let window = Window(front.time, max_delay, segment_offsets[side], found[side].clusters);
    let first = lower_bound(window);
    return Partners(first, first_late(window, first) - first);
}

// Writes the lines of all clusters, their data for hits, and the partners of fronts, in the order
// of entries: see pairs.cu. A block per job: some clusters of any side.

struct Arguments { blocks: u32, modules: u32, cut_kind: u32, cut: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> entries: array<Entry>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> sensors: array<Sensor>;
@group(0) @binding(8) var<storage, read> jobs: array<Job>;
@group(0) @binding(9) var<storage, read_write> lines: array<Line>;
@group(0) @binding(10) var<storage, read_write> values: array<Measured>;
@group(0) @binding(11) var<storage, read_write> partners: array<Partners>;

fn write_line(job: Job) {
    let index = job.first + thread;
    if index >= found[job.segment].clusters { return; }
    sensor = sensors[job.segment % arguments.modules];
    let begin = segment_offsets[job.segment];
    let cluster = clusters[begin + entries[begin + index].index];
    if job.segment < arguments.modules {
        let back = arguments.modules + job.segment;
        let latest = bitcast<f32>(found[back].latest_error);
        lines[begin + index] = line_of(sensor.front, 0, cluster);
        values[begin + index] = measured(cluster, reach_of(cluster.time_error, latest));
        partners[begin + index] = partners_of(cluster, back);
    } else {
        values[begin + index] = measured(cluster, 0.0);
        lines[begin + index] = line_of(sensor.back, i32(CHANNELS_OF_SIDE), cluster);
    }
}

@compute @workgroup_size(LINE_THREADS)
fn hits_lines_RULES(invocation: InBlock) {
    enter(invocation);
    if block < arguments.blocks { write_line(jobs[block]); }
}

#part hits_of_pairs_RULES
// The pairs of a group of fronts, shared by the threads of a block: see pairs.cu. In CUDA,
// warps share them without barriers; not all GPUs can synchronize the lanes of a subgroup.
#include "formulas/pairs.wgsl" lines
#include "block_scan.wgsl"
#include "formulas/pairs.wgsl" cut
#include "formulas/rules.wgsl" RULES_pairs

// Pairs that are marked at a time: a word for each thread.
const STRETCH = BITS * THREADS;

// Data of a front with partners that decide which of them may cross it; `number` is its index in
// order of time, and `to_back` is added to the index of a pair to get that of its back.
struct Front { edge: u32, widths: i32, number: u32, to_back: u32 }

// Side by side.
var<workgroup> shared_fronts: array<Front, THREADS>;
// Bits of a stretch: set for the first pair of each front.
var<workgroup> firsts: array<atomic<u32>, THREADS>;
// First pairs before those of each word.
var<workgroup> firsts_before: array<u32, THREADS>;
// True if the thread's front has pairs.
var<private> has_pairs: bool;
var<private> first_pair: u32;
// Fronts whose first pair was in an earlier stretch.
var<private> marked: u32;

// Shares the fronts of a block, one per thread; returns their number of pairs. Includes barriers.
fn share_fronts(number: u32, end: u32) -> u32 {
    var thread_partners = Partners();
    if number < end { thread_partners = partners[front_begin + number]; }
    has_pairs = thread_partners.count > 0u;
    first_pair = block_exclusive_sum(thread_partners.count);
    let pairs = block_total;
    workgroupBarrier();
    let index = votes_before(has_pairs);
    if has_pairs {
        let line = lines[front_begin + number];
        shared_fronts[index] = Front(line.edge, line.widths, number, thread_partners.first - first_pair);
    }
    marked = 0u;
    workgroupBarrier();
    return pairs;
}

// Flags the first pair of each front in the stretch that starts at `begin`. Includes barriers.
fn mark(begin: u32) {
    atomicStore(&firsts[thread], 0u);
    workgroupBarrier();
    // Below 0 it is a large number.
    let pair = first_pair - begin;
    if has_pairs && pair < STRETCH { atomicOr(&firsts[pair / BITS], 1u << (pair % BITS)); }
    workgroupBarrier();
    firsts_before[thread] = marked + block_exclusive_sum(countOneBits(atomicLoad(&firsts[thread])));
    marked += block_total;
    workgroupBarrier();
}

// The front of a pair, by its number in the stretch.
fn front_of(pair: u32) -> Front {
    let word = pair / BITS;
    let firsts_to_pair = atomicLoad(&firsts[word]) & ((2u << (pair % BITS)) - 1u);
    return shared_fronts[firsts_before[word] + countOneBits(firsts_to_pair) - 1u];
}

// The hits of pairs that may cross: see pairs.cu.

// True if clusters are near enough in time, by their own errors.
fn are_near(front: Measured, back: Measured) -> bool {
    return abs(delay(front.time, back.time)) <= cut_within(front.reach, front.time_error, back.time_error);
}

// Index of the hit of each lane that has one.
fn hit_index(hits_of_warp: Mask) -> u32 {
    var first = 0u;
    if lane == 0u { first = atomicAdd(&counts[module_number], count_of(hits_of_warp)); }
    return offsets[module_number] + shuffled(first, 0u) + count_of(hits_of_warp & lanes_below(lane));
}

// The hits of a pair for each lane that has one. Nearly all have a single one, so that a warp
// writes what it finds in one go.
fn find_hits_of(is_one: bool, pair: vec2u) {
    var front = Measured();
    var back = Measured();
    var crossings = Crossings();
    var local = NO_CROSSING;
    if is_one {
        front = values[front_begin + pair.x];
        back = values[back_begin + pair.y];
        if are_near(front, back) {
            crossings = crossings_of(lines[front_begin + pair.x], lines[back_begin + pair.y]);
            local = next_crossing(&crossings);
        }
    }
    var hits_of_warp = votes(local.is_inside);
    while !is_none(hits_of_warp) {
        let index = hit_index(hits_of_warp);
        if local.is_inside {
            if index < offsets[module_number + 1u] {
                hits[index] = hit_at(front, back, local);
            }
            local = next_crossing(&crossings);
        }
        hits_of_warp = votes(local.is_inside);
    }
}

// Pairs that may cross, until a block has one for each of its threads: see pairs.cu.

// Capacity for a remainder and all pairs added before any are removed.
var<workgroup> queue: array<vec2u, (1u + AT_ONCE) * THREADS>;
// Number of queued pairs, the same in all threads.
var<private> queued: u32;

// Adds those of a thread's pairs that have a bit. Includes barriers, one of them before any is
// written.
fn add_to_queue(may_cross: u32, pairs: array<vec2u, AT_ONCE>) {
    var at = queued + block_exclusive_sum(countOneBits(may_cross));
    for (var i = 0u; i < AT_ONCE; i++) {
        if (may_cross >> i & 1u) != 0u {
            queue[at] = pairs[i];
            at++;
        }
    }
    queued += block_total;
    workgroupBarrier();
}

// Takes one for each thread, the last ones first, and finds their hits.
fn take_from_queue() {
    let left = queued - min(queued, THREADS);
    let index = left + thread;
    var pair = vec2u(0u);
    if index < queued { pair = queue[index]; }
    find_hits_of(index < queued, pair);
    queued = left;
}

// Hits by a block for some clusters of the front, in order of time; its threads share the pairs:
// see pairs.cu. A block per job.

struct Arguments { blocks: u32, modules: u32, cut_kind: u32, cut: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(9) var<storage, read> lines: array<Line>;
@group(0) @binding(10) var<storage, read> values: array<Measured>;
@group(0) @binding(11) var<storage, read> partners: array<Partners>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> sensors: array<Sensor>;
@group(0) @binding(8) var<storage, read> jobs: array<Job>;
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> hits: array<Hit>;

// Index of the block's module.
var<private> module_number: u32;
var<private> front_begin: u32;
var<private> back_begin: u32;
var<private> range: CrossingRange;
// Sensor widths per cm.
var<private> widths: f32;

fn enter_module(number: u32) {
    module_number = number;
    front_begin = segment_offsets[number];
    back_begin = segment_offsets[arguments.modules + number];
    sensor = sensors[number];
    range = crossing_range();
    widths = 1.0 / sensor.width;
}

// Queues those pairs of a stretch that may cross, and finds hits whenever the queue fills the
// block.
fn find_hits_in_stretch(begin: u32, count: u32) {
    for (var round = 0u; round < count; round += AT_ONCE * THREADS) {
        var pairs = array<vec2u, AT_ONCE>();
        var may = 0u;
        for (var i = 0u; i < AT_ONCE; i++) {
            let pair = round + i * THREADS + thread;
            if pair < count {
                let front = front_of(pair);
                pairs[i] = vec2u(front.number, front.to_back + begin + pair);
                let back = lines[back_begin + pairs[i].y];
                let line = Line(front.edge, front.widths);
                may |= select(0u, 1u << i, may_cross(range, widths, line, back));
            }
        }
        add_to_queue(may, pairs);
        while queued >= THREADS { take_from_queue(); }
    }
}

// The hits of some fronts, one for each thread at a time.
fn find_hits(begin: u32, end: u32) {
    queued = 0u;
    for (var first = begin; first < end; first += THREADS) {
        let pairs = share_fronts(first + thread, end);
        for (var stretch = 0u; stretch < pairs; stretch += min(STRETCH, pairs - stretch)) {
            mark(stretch);
            find_hits_in_stretch(stretch, min(STRETCH, pairs - stretch));
        }
    }
    if queued > 0u { take_from_queue(); }
}

// End of a job's fronts: the begin of the next job, unless that is of another module.
fn end_of(job: Job) -> u32 {
    let next = block + 1u;
    if next < arguments.blocks && jobs[next].segment == job.segment { return jobs[next].first; }
    return found[job.segment].clusters;
}

fn find_hits_of_job(job: Job) {
    enter_module(job.segment);
    find_hits(job.first, end_of(job));
}

@compute @workgroup_size(THREADS)
fn hits_of_pairs_RULES(invocation: InWarp) {
    enter_lanes(invocation);
    if block < arguments.blocks { find_hits_of_job(jobs[block]); }
}
