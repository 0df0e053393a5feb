// Times, lines and errors as published: see formulas/rules.h.

fn delay(front: u32, back: u32) -> f32 { return difference(f32(front), f32(back)); }
fn hit_time(front: u32, back: u32) -> u32 { return u32(0.5 * sum(f32(front), f32(back))); }
fn whole_widths(exact: f32) -> i32 { return i32(exact); }

// Errors in sensor coordinates, and the covariance.
fn errors_of(spread: Spread) -> vec4f {
    return vec4f(root(spread.xx), root(spread.yy), 0.0, spread.xy);
}
