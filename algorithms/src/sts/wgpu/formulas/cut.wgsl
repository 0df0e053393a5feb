// Clusters of both sides that are near in time: see formulas/pairs.h. It needs arguments with a
// cut.
#include "pairs.wgsl"

const NO_CUT = 0u;
const ABSOLUTE = 1u;
// Clusters further apart than this many standard deviations are never paired.
const PRUNING = 4.0;

// The cut on the time between two clusters, by the errors of both, and the largest of the back's;
// in ns, below 0 if none is to pass.
fn cut_between(front: f32, back: f32, latest: f32) -> f32 {
    return cut_within(reach_of(front, latest), front, back);
}

// The time cut, limited by the reach of a front.
fn cut_within(reach: f32, front: f32, back: f32) -> f32 {
    let value = bitcast<f32>(arguments.cut);
    if arguments.cut_kind == NO_CUT { return min(reach, -1.0); }
    if arguments.cut_kind == ABSOLUTE { return min(reach, value); }
    return min(reach, product(value, deviation_of(front, back)));
}

fn reach_of(front: f32, latest: f32) -> f32 { return PRUNING * deviation_of(front, latest); }
