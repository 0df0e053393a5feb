// The hits of a pair of clusters: see formulas/pairs.h. It needs the rules for pairs.
#include "records.wgsl"
#include "sensor.wgsl"

fn deviation_of(front: f32, error: f32) -> f32 {
    return root(sum(product(front, front), product(error, error)));
}

// The lines of a strip, as displacements from the first in widths: both ends included.
struct Lines { first: i32, last: i32 }

// Displacement of the last line of a strip, in widths, if the first line leaves the edge at x.
fn widths_of(side: Edge, x: f32) -> i32 {
    return whole_widths(quotient(sum(x, product(sensor.height, side.tangent)), sensor.width));
}

fn lines_of_widths(widths: i32) -> Lines { return Lines(min(widths, 0), max(widths, 0)); }

// A line displaced by `widths` widths from the first.
fn line_beside(x: f32, widths: i32) -> f32 {
    return difference(x, product(f32(widths), sensor.width));
}

// The hit where lines of two clusters cross.
fn hit_at(front: Measured, back: Measured, local: Crossing) -> Hit {
    let front_error = product(front.position_error, sensor.pitch);
    let back_error = product(back.position_error, sensor.pitch);
    let errors = errors_of(spread_of(front_error, back_error));
    return Hit(
        in_detector(0u, local), in_detector(1u, local), in_detector(2u, local),
        hit_time(front.time, back.time),
        errors.x, errors.y, errors.z, errors.w,
        0.5 * deviation_of(front.time_error, back.time_error),
        product(front_error, sensor.front.cosine), product(back_error, sensor.back.cosine),
        sensor.address,
    );
}

#part cut
// Clusters of both sides that are near in time: see formulas/pairs.h. It needs arguments with a
// cut.

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

#part lines
// Cluster data that decide about crossings: see formulas/pairs.h.

// Line of a cluster: where its strip leaves the top edge, in cm, or OFF_EDGE; and the displacement
// of its last line in widths.
struct Line { edge: u32, widths: i32 }

// No number: shaders may not know that it is none.
const OFF_EDGE = ~0u;

// Differences of where lines leave the edge, front minus back, beyond which they surely don't cross
// on the active area; none if `max_difference` is below `min_difference`.
struct CrossingRange { min_difference: f32, max_difference: f32 }

fn crossing_range() -> CrossingRange {
    // Far more than what rounding can shift, as a part of the sensor's size.
    const ROUNDING = 1e-4;
    if sensor.strips == PARALLEL { return CrossingRange(1.0, 0.0); }
    let reach = sensor.height * (sensor.back.tangent - sensor.front.tangent);
    let margin = ROUNDING * max(sensor.width, sensor.height);
    return CrossingRange(min(reach, 0.0) - margin, max(reach, 0.0) + margin);
}

fn line_of(side: Edge, strips_before: i32, cluster: Cluster) -> Line {
    let edge = edge_of(side, strips_before, cluster.position);
    if !is_on_edge(edge) { return Line(OFF_EDGE, 0); }
    return Line(bitcast<u32>(edge), widths_of(side, edge));
}

fn edge_of_line(line: Line) -> f32 { return bitcast<f32>(line.edge); }

// The crossings of two lines that are on their edges, one after the other: `i` and `j` are the lines
// of the next one.
struct Crossings { front: f32, back: f32, fronts: Lines, backs: Lines, i: i32, j: i32 }

const NO_CROSSING = Crossing(0.0, 0.0, false);

fn crossings_of(front: Line, back: Line) -> Crossings {
    let fronts = lines_of_widths(front.widths);
    let backs = lines_of_widths(back.widths);
    return Crossings(
        edge_of_line(front), edge_of_line(back),
        fronts, backs,
        fronts.first, backs.first,
    );
}

// One more, if there is one.
fn next_crossing(crossings: ptr<function, Crossings>) -> Crossing {
    var local = NO_CROSSING;
    while !local.is_inside && (*crossings).i <= (*crossings).fronts.last {
        local = crossing(line_beside((*crossings).front, (*crossings).i), line_beside((*crossings).back, (*crossings).j));
        let is_last = (*crossings).j == (*crossings).backs.last;
        (*crossings).i += select(0, 1, is_last);
        (*crossings).j = select((*crossings).j + 1, (*crossings).backs.first, is_last);
    }
    return local;
}

// True if any line of one cluster may cross any of the other; no false negatives: see
// formulas/pairs.h. `widths` is the number of sensor widths per cm.
fn may_cross(range: CrossingRange, widths: f32, front: Line, back: Line) -> bool {
    if front.edge == OFF_EDGE || back.edge == OFF_EDGE { return false; }
    let fronts = lines_of_widths(front.widths);
    let backs = lines_of_widths(back.widths);
    let apart = edge_of_line(front) - edge_of_line(back);
    let lowest = -floor((apart - range.min_difference) * widths);
    let highest = floor((range.max_difference - apart) * widths);
    let first = f32(backs.first - fronts.last);
    let last = f32(backs.last - fronts.first);
    return max(first, lowest) <= min(last, highest);
}
