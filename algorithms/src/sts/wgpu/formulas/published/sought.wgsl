// Lower limit that a digi has to reach to be not too early to follow another one, as published: see
// links.cu.
#include "window.wgsl"

struct Sought { channel: u32, time: u32 }

fn sought_by(digi: vec2u) -> Sought { return Sought(digi_channel(digi) + 1u, digi_time(digi)); }

fn is_reached(sought: Sought, digi: vec2u) -> bool {
    let channel = digi_channel(digi);
    return channel > sought.channel
        || (channel == sought.channel && is_not_before(sought.time, digi_time(digi)));
}
