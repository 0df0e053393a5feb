// Crossings of the strips of both sides: see formulas/rules.h. Operations are in the host's order.
#include "arithmetic.wgsl"

const PARALLEL = 0u;
const FRONT_VERTICAL = 1u;
const BACK_VERTICAL = 2u;
const BOTH_TILTED = 3u;

struct Edge { tangent: f32, cosine: f32, lorentz: f32 }

struct Sensor {
    strips: u32,
    width: f32,
    height: f32,
    pitch: f32,
    front: Edge,
    back: Edge,
    rotation: array<f32, 9>,
    translation: array<f32, 3>,
    address: u32,
}

// Variances and covariance of x and y on the sensor.
struct Spread { xx: f32, yy: f32, xy: f32 }

// Crossing of two lines, from the sensor's centre in cm; and whether it is on the active area.
struct Crossing { x: f32, y: f32, is_inside: bool }

// The sensor of the thread's module.
var<private> sensor: Sensor;

// Point where a strip leaves the top edge, in cm from the left corner; positions of this side count
// from `strips_before`.
fn edge_of(side: Edge, strips_before: i32, position: f32) -> f32 {
    let whole = i32(position);
    let fraction = difference(position, f32(whole));
    let strips = sum(sum(f32(whole - strips_before), fraction), 0.5);
    return difference(product(strips, sensor.pitch), side.lorentz);
}

fn is_on_edge(x: f32) -> bool { return x >= 0.0 && x <= sensor.width; }

fn height_of(from_top: f32, tangent: f32) -> f32 {
    return difference(sensor.height, quotient(from_top, tangent));
}

fn crossing(front: f32, back: f32) -> Crossing {
    let tan_front = sensor.front.tangent;
    let tan_back = sensor.back.tangent;
    var x = 0.0;
    var y = 0.0;
    switch sensor.strips {
        case PARALLEL: { return Crossing(0.0, 0.0, false); }
        case FRONT_VERTICAL: {
            x = front;
            y = height_of(difference(front, back), tan_back);
        }
        case BACK_VERTICAL: {
            x = back;
            y = height_of(difference(back, front), tan_front);
        }
        default: {
            let slope = difference(tan_back, tan_front);
            let weighted = difference(product(tan_back, front), product(tan_front, back));
            x = quotient(weighted, slope);
            y = sum(sensor.height, quotient(difference(back, front), slope));
        }
    }
    let half_width = 0.5 * sensor.width;
    let half_height = 0.5 * sensor.height;
    x = difference(x, half_width);
    y = difference(y, half_height);
    return Crossing(x, y, abs(x) <= half_width && abs(y) <= half_height);
}

// If strips of one side run straight down: by the error of that side, that of both, and the
// tangent of the other.
fn spread_of_vertical(variance: f32, both: f32, tangent: f32) -> Spread {
    return Spread(variance, quotient(quotient(both, tangent), tangent), quotient(-variance, tangent));
}

// Variances of x and y, by the errors of both sides along the edge.
fn spread_of(front: f32, back: f32) -> Spread {
    let tan_front = sensor.front.tangent;
    let tan_back = sensor.back.tangent;
    let ff = product(front, front);
    let bb = product(back, back);
    let both = sum(ff, bb);
    switch sensor.strips {
        case BACK_VERTICAL: { return spread_of_vertical(bb, both, tan_front); }
        case BOTH_TILTED: {
            let slope = difference(tan_back, tan_front);
            let g = quotient(quotient(1.0, slope), slope);
            let of_front = product(ff, tan_back);
            let of_back = product(bb, tan_front);
            let squares = sum(product(of_front, tan_back), product(of_back, tan_front));
            let mixed = sum(of_front, of_back);
            return Spread(product(g, squares), product(g, both), product(-g, mixed));
        }
        default: { return spread_of_vertical(ff, both, tan_back); }
    }
}

// A coordinate of a point on the sensor in the detector.
fn in_detector(axis: u32, local: Crossing) -> f32 {
    let of_x = product(sensor.rotation[3u * axis], local.x);
    let of_y = product(sensor.rotation[3u * axis + 1u], local.y);
    return sum(sum(sensor.translation[axis], of_x), of_y);
}

// An entry of the covariance matrix in the detector.
fn rotated_entry(spread: Spread, row: u32, column: u32) -> f32 {
    let a = sensor.rotation[3u * row];
    let b = sensor.rotation[3u * row + 1u];
    let c = sensor.rotation[3u * column];
    let d = sensor.rotation[3u * column + 1u];
    let of_xx = product(product(a, c), spread.xx);
    let of_xy = product(sum(product(a, d), product(b, c)), spread.xy);
    let of_yy = product(product(b, d), spread.yy);
    return sum(sum(of_xx, of_xy), of_yy);
}
