// Backs that are near enough in time to a front: see pairs.cu. There a warp searches the
// first one of all its fronts, here each front its own. It needs entries.
#include "../formulas/cut.wgsl"
#include "job.wgsl"

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
