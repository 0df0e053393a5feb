#part hits_of_fronts_walk_RULES
// Hits by a thread per cluster of the front, which finds its partners by binary search: see
// fronts.cu.
#include "formulas/pairs.wgsl" cut
#include "formulas/sides.wgsl"
#include "formulas/rules.wgsl" RULES_pairs

struct Arguments { blocks: u32, modules: u32, cut_kind: u32, cut: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> entries: array<Entry>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> sensors: array<Sensor>;
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> hits: array<Hit>;

fn front_index() -> u32 { return block * THREADS + thread; }
fn has_front() -> bool { return block < arguments.blocks && front_index() < segment_offsets[arguments.modules]; }

// To the bucket of a segment, unless that is full.
fn add(segment: u32, hit: Hit) {
    let at = offsets[segment] + atomicAdd(&counts[segment], 1u);
    if at < offsets[segment + 1u] { hits[at] = hit; }
}

// The hits where lines of a pair cross.
fn add_crossings(segment: u32, front: Cluster, back: Cluster) {
    let x_front = edge_of(sensor.front, 0, front.position);
    let x_back = edge_of(sensor.back, i32(CHANNELS_OF_SIDE), back.position);
    if !is_on_edge(x_front) || !is_on_edge(x_back) { return; }
    let fronts = lines_of_widths(widths_of(sensor.front, x_front));
    let backs = lines_of_widths(widths_of(sensor.back, x_back));
    for (var i = fronts.first; i <= fronts.last; i++) {
        for (var j = backs.first; j <= backs.last; j++) {
            let local = crossing(line_beside(x_front, i), line_beside(x_back, j));
            if local.is_inside { add(segment, hit_at(measured(front, 0.0), measured(back, 0.0), local)); }
        }
    }
}

// The first of a side's clusters that is not too late to be a front's partner.
fn first_partner(begin: u32, count: u32, front: u32, max_delay: f32) -> u32 {
    var low = 0u;
    var high = count;
    while low < high {
        let middle = (low + high) / 2u;
        if delay(front, entries[begin + middle].time) > max_delay { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

fn find_partners(segment: u32, front: Cluster) {
    let side = arguments.modules + segment;
    let begin = segment_offsets[side];
    let count = found[side].clusters;
    let latest = bitcast<f32>(found[side].latest_error);
    let max_delay = cut_between(front.time_error, latest, latest);
    for (var number = first_partner(begin, count, front.time, max_delay); number < count; number++) {
        let entry = entries[begin + number];
        let later = delay(front.time, entry.time);
        if -later > max_delay { break; }
        let back = clusters[begin + entry.index];
        if abs(later) > cut_between(front.time_error, back.time_error, latest) { continue; }
        add_crossings(segment, front, back);
    }
}

fn find_hits(segment: u32) {
    let begin = segment_offsets[segment];
    let number = front_index() - begin;
    if number >= found[segment].clusters { return; }
    sensor = sensors[segment];
    find_partners(segment, clusters[begin + entries[begin + number].index]);
}

@compute @workgroup_size(THREADS)
fn hits_of_fronts_walk_RULES(invocation: InBlock) {
    enter(invocation);
    if has_front() { find_hits(segment_by_walk(front_index())); }
}
