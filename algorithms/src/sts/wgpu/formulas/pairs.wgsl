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
