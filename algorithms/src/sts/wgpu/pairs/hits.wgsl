// The hits of pairs that may cross: see pairs.cu.
#include "../formulas/cut.wgsl"
#include "../formulas/lines.wgsl"

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
