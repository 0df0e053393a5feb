// Cluster data that decide about crossings: see formulas/pairs.h.
#include "pairs.wgsl"

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
