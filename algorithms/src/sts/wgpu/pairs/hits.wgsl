// Hits by a block for some clusters of the front, whose threads share the pairs: see pairs.cu. A
// block a job.
#include "../formulas/cut.wgsl"
#include "../formulas/lines.wgsl"
#include "block_scan.wgsl"
#include "job.wgsl"
#include "windows.wgsl"

struct Arguments { blocks: u32, modules: u32, cut_kind: u32, cut: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> lines: array<Line>;
@group(0) @binding(2) var<storage, read> begins: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> sensors: array<Sensor>;
@group(0) @binding(5) var<storage, read> jobs: array<Job>;
@group(0) @binding(6) var<storage, read> offsets: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> hits: array<Hit>;

// Pairs that may cross: those left over, and what one round adds.
var<workgroup> queue: array<vec2u, 2u * THREADS>;
// The place of a round's first hit.
var<workgroup> hit_place: u32;
// Of the block's module.
var<private> module_number: u32;
var<private> front_begin: u32;
var<private> back_begin: u32;
var<private> latest: f32;

// Whether clusters are near enough in time, by their own errors.
fn are_near(front: Cluster, back: Cluster) -> bool {
    return abs(delay(front.time, back.time)) <= cut_between(front.time_error, back.time_error, latest);
}

fn front_cluster(line: Line) -> Cluster { return clusters[front_begin + line.index]; }
fn back_cluster(line: Line) -> Cluster { return clusters[back_begin + line.index]; }

fn crossing_of(front: Line, back: Line, i: i32, j: i32) -> Crossing {
    return crossing(line_beside(edge_of_line(front), i), line_beside(edge_of_line(back), j));
}

fn count_crossings(front: Line, back: Line) -> u32 {
    let fronts = lines_of_widths(front.widths);
    let backs = lines_of_widths(back.widths);
    var count = 0u;
    for (var i = fronts.first; i <= fronts.last; i++) {
        for (var j = backs.first; j <= backs.last; j++) {
            if crossing_of(front, back, i, j).is_inside { count++; }
        }
    }
    return count;
}

// Writes the hits of a pair, as far as its bucket has room.
fn write_crossings(front: Line, back: Line, first: u32) {
    let fronts = lines_of_widths(front.widths);
    let backs = lines_of_widths(back.widths);
    var at = offsets[module_number] + first;
    for (var i = fronts.first; i <= fronts.last; i++) {
        for (var j = backs.first; j <= backs.last; j++) {
            let local = crossing_of(front, back, i, j);
            if local.is_inside {
                if at < offsets[module_number + 1u] {
                    hits[at] = hit_at(front_cluster(front), back_cluster(back), local);
                }
                at++;
            }
        }
    }
}

// The hits of a pair for each thread that has one. A barrier before, and another one after.
fn find_hits_of(is_one: bool, pair: vec2u) {
    var front = Line();
    var back = Line();
    var own = 0u;
    if is_one {
        front = front_lines[pair.x];
        back = lines[back_begin + pair.y];
        if are_near(front_cluster(front), back_cluster(back)) { own = count_crossings(front, back); }
    }
    let before = block_exclusive_sum(own);
    if thread == 0u && block_total > 0u {
        hit_place = atomicAdd(&counts[module_number], block_total);
    }
    workgroupBarrier();
    if own > 0u { write_crossings(front, back, hit_place + before); }
}

// How many threads before this one say yes; `block_total` is how many do at all. A barrier is
// included, and one is needed before `warp_sums` is used again.
fn votes_before(yes: bool) -> u32 {
    let own = votes(yes);
    if lane == 0u { warp_sums[warp] = count_of(own); }
    workgroupBarrier();
    var before = count_of(own & lanes_below(lane));
    block_total = 0u;
    for (var other = 0u; other < WARPS; other++) {
        before += select(0u, warp_sums[other], other < warp);
        block_total += warp_sums[other];
    }
    return before;
}

// Takes a queue's first pairs, one for each thread, and moves the others up; returns how many are
// left. A barrier before; they are included.
fn take_from_queue(queued: u32) -> u32 {
    let is_left = thread + THREADS < queued;
    let pair = queue[thread];
    let left = queue[thread + THREADS];
    workgroupBarrier();
    if is_left { queue[thread] = left; }
    find_hits_of(thread < queued, pair);
    workgroupBarrier();
    return queued - min(queued, THREADS);
}

fn find_hits(first: u32, fronts: u32, backs: u32, largest: f32) {
    let range = crossing_range();
    let pairs = find_windows(first, fronts, backs, largest);
    var queued = 0u;
    for (var round = 0u; round < pairs; round += THREADS) {
        let number = round + thread;
        var pair = vec2u(0u);
        var may = false;
        if number < pairs {
            pair = pair_of(number);
            may = may_cross(range, front_lines[pair.x], lines[back_begin + pair.y]);
        }
        let at = queued + votes_before(may);
        if may { queue[at] = pair; }
        queued += block_total;
        workgroupBarrier();
        if queued >= THREADS { queued = take_from_queue(queued); }
    }
    if queued > 0u { take_from_queue(queued); }
}

fn find_hits_of_job(job: Job) {
    let back = arguments.modules + job.segment;
    module_number = job.segment;
    front_begin = begins[job.segment];
    back_begin = begins[back];
    latest = bitcast<f32>(found[back].latest_error);
    sensor = sensors[job.segment];
    let fronts = min(THREADS, found[job.segment].clusters - job.first);
    let largest = bitcast<f32>(found[job.segment].latest_error);
    find_hits(front_begin + job.first, fronts, found[back].clusters, largest);
}
