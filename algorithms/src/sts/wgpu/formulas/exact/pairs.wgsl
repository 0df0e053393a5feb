// Times, lines and errors by the exact rules: see formulas/rules.h.

// Times have 31 bits.
fn delay(front: u32, back: u32) -> f32 { return f32(i32(front - back)); }
fn hit_time(front: u32, back: u32) -> u32 { return (front + back) / 2u; }
fn whole_widths(exact: f32) -> i32 { return i32(floor(exact)); }

// Errors in global coordinates, and the covariance of x and y.
fn errors_of(spread: Spread) -> vec4f {
    let dx = deviation(rotated_entry(spread, 0u, 0u));
    let dy = deviation(rotated_entry(spread, 1u, 1u));
    let dz = deviation(rotated_entry(spread, 2u, 2u));
    return vec4f(dx, dy, dz, rotated_entry(spread, 0u, 1u));
}

// A variance of nothing may come out below it.
fn deviation(variance: f32) -> f32 { return root(select(0.0, variance, variance > 0.0)); }
