// Clusters as far as it takes to tell which may cross: see formulas/lines.h.
#include "pairs.wgsl"

// A cluster, in order of time: where its strip leaves the top edge, in cm, or OFF_EDGE; how many
// widths further its last line does; where the cluster is in its room.
struct Line { time: u32, edge: u32, widths: i32, index: u32 }

// No number: shaders may not know that it is none.
const OFF_EDGE = ~0u;

// Differences of where lines leave the edge, front minus back, beyond which they surely don't cross
// on the active area; none if `most` is below `least`.
struct CrossingRange { least: f32, most: f32 }

fn crossing_range() -> CrossingRange {
    // Far more than what rounding can shift, as a part of the sensor's size.
    const ROUNDING = 1e-4;
    if sensor.strips == PARALLEL { return CrossingRange(1.0, 0.0); }
    let reach = sensor.height * (sensor.back.tangent - sensor.front.tangent);
    let margin = ROUNDING * max(sensor.width, sensor.height);
    return CrossingRange(min(reach, 0.0) - margin, max(reach, 0.0) + margin);
}

fn line_of(side: Edge, strips_before: i32, cluster: Cluster, index: u32) -> Line {
    let edge = edge_of(side, strips_before, cluster.position);
    if !is_on_edge(edge) { return Line(cluster.time, OFF_EDGE, 0, index); }
    return Line(cluster.time, bitcast<u32>(edge), widths_of(side, edge), index);
}

fn edge_of_line(line: Line) -> f32 { return bitcast<f32>(line.edge); }

// Whether any line of one may cross any of the other; never no if one does.
fn may_cross(range: CrossingRange, front: Line, back: Line) -> bool {
    if front.edge == OFF_EDGE || back.edge == OFF_EDGE { return false; }
    let fronts = lines_of_widths(front.widths);
    let backs = lines_of_widths(back.widths);
    var may = false;
    for (var i = fronts.first; i <= fronts.last; i++) {
        for (var j = backs.first; j <= backs.last; j++) {
            let apart = line_beside(edge_of_line(front), i) - line_beside(edge_of_line(back), j);
            may |= apart >= range.least && apart <= range.most;
        }
    }
    return may;
}
