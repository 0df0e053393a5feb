// Largest time difference of a digi and its successor, as published: see formulas/rules.h.
#include "arithmetic.wgsl"

const IS_EXCLUSIVE = false;

fn is_not_before(time: u32, follower: u32) -> bool {
    return f32(follower) >= difference(f32(time), bitcast<f32>(arguments.window_ns));
}

fn is_not_after(time: u32, follower: u32) -> bool {
    return sum(f32(time), bitcast<f32>(arguments.window_ns)) >= f32(follower);
}
