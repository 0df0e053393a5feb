// Lower limit that a digi has to reach to be not too early to follow another one, by the exact
// rules: see links.cu. Times are integers, so channel and time are compared as one
// number.
#include "window.wgsl"

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
