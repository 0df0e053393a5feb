#part exact_window
// Largest time difference of a digi and its successor, by the exact rules: see formulas/rules.h.
// Times have 31 bits, so differences fit into a signed word.

const IS_EXCLUSIVE = true;

fn is_not_before(time: u32, follower: u32) -> bool {
    return i32(time - follower) <= bitcast<i32>(arguments.whole_ns);
}

fn is_not_after(time: u32, follower: u32) -> bool {
    return i32(follower - time) <= bitcast<i32>(arguments.whole_ns);
}

#part exact_sought
// Lower limit that a digi has to reach to be not too early to follow another one, by the exact
// rules: see links.cu. Times are integers, so channel and time are compared as one
// number.
#include "rules.wgsl" exact_window

struct Sought { channel: u32, min_key: vec2u }

fn sought_by(digi: vec2u) -> Sought {
    let channel = digi_channel(digi) + 1u;
    let time = first_time_for(digi_time(digi));
    let low = channel << TIME_BITS;
    let carry = select(0u, 1u, low + time < low);
    return Sought(channel, vec2u(low + time, (channel >> (32u - TIME_BITS)) + carry));
}

// A negative window starts after the digi.
fn first_time_for(time: u32) -> u32 {
    let window = bitcast<i32>(arguments.whole_ns);
    if window < 0 { return time + u32(-window); }
    return max(time, u32(window)) - u32(window);
}

fn is_reached(sought: Sought, digi: vec2u) -> bool { return !is_less(digi_key(digi), sought.min_key); }

#part exact_times
// The time of a chain, by the exact rules: see formulas/rules.h.

const HALF_WORD = 16u;

// The sum is a pair of words.
struct Times { sum: vec2u, least: u32 }

fn no_times() -> Times { return Times(vec2u(0u), ~0u); }

fn with_time(times: Times, time: u32) -> Times {
    let low = times.sum.x + time;
    let carry = select(0u, 1u, low < time);
    return Times(vec2u(low, times.sum.y + carry), min(times.least, time));
}

// Sums above the smallest time hardly ever need more than a word.
fn mean_time(times: Times, size: u32, first_time: u32, last_time: u32) -> u32 {
    let least = product_of(times.least, size);
    let borrow = select(0u, 1u, times.sum.x < least.x);
    let above = vec2u(times.sum.x - least.x, times.sum.y - least.y - borrow);
    return times.least + divided(above, size);
}

// Product with a number of no more than 16 bits.
fn product_of(number: u32, size: u32) -> vec2u {
    let low = (number & ((1u << HALF_WORD) - 1u)) * size;
    let high = (number >> HALF_WORD) * size + (low >> HALF_WORD);
    return vec2u(number * size, high >> HALF_WORD);
}

// Division, digit by digit if a word is not enough. The result fits into a word.
fn divided(number: vec2u, size: u32) -> u32 {
    if number.y == 0u { return number.x / size; }
    let upper = ((number.y % size) << HALF_WORD) | (number.x >> HALF_WORD);
    let lower = ((upper % size) << HALF_WORD) | (number.x & ((1u << HALF_WORD) - 1u));
    return (upper / size) << HALF_WORD | lower / size;
}

#part exact_pairs
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

#part published_window
// Largest time difference of a digi and its successor, as published: see formulas/rules.h.
#include "arithmetic.wgsl"

const IS_EXCLUSIVE = false;

fn is_not_before(time: u32, follower: u32) -> bool {
    return f32(follower) >= difference(f32(time), bitcast<f32>(arguments.window_ns));
}

fn is_not_after(time: u32, follower: u32) -> bool {
    return sum(f32(time), bitcast<f32>(arguments.window_ns)) >= f32(follower);
}

#part published_sought
// Lower limit that a digi has to reach to be not too early to follow another one, as published: see
// links.cu.
#include "rules.wgsl" published_window

struct Sought { channel: u32, time: u32 }

fn sought_by(digi: vec2u) -> Sought { return Sought(digi_channel(digi) + 1u, digi_time(digi)); }

fn is_reached(sought: Sought, digi: vec2u) -> bool {
    let channel = digi_channel(digi);
    return channel > sought.channel
        || (channel == sought.channel && is_not_before(sought.time, digi_time(digi)));
}

#part published_times
// The time of a chain, as published: see formulas/rules.h.

struct Times { sum: f32 }

fn no_times() -> Times { return Times(0.0); }

fn with_time(times: Times, time: u32) -> Times { return Times(sum(times.sum, f32(time))); }

fn mean_time(times: Times, size: u32, first_time: u32, last_time: u32) -> u32 {
    if size == 1u { return first_time; }
    if size == 2u { return u32(0.5 * f32(first_time + last_time)); }
    return u32(quotient(times.sum, f32(size)));
}

#part published_pairs
// Times, lines and errors as published: see formulas/rules.h.

fn delay(front: u32, back: u32) -> f32 { return difference(f32(front), f32(back)); }
fn hit_time(front: u32, back: u32) -> u32 { return u32(0.5 * sum(f32(front), f32(back))); }
fn whole_widths(exact: f32) -> i32 { return i32(exact); }

// Errors in sensor coordinates, and the covariance.
fn errors_of(spread: Spread) -> vec4f {
    return vec4f(root(spread.xx), root(spread.yy), 0.0, spread.xy);
}
