// Fields of a digi, a pair of words, the low one first: see digi.h.

fn digi_time(digi: vec2u) -> u32 { return digi.x & ((1u << TIME_BITS) - 1u); }

fn digi_channel(digi: vec2u) -> u32 { return digi.y >> (CHANNEL_SHIFT - 32u) & (CHANNELS - 1u); }

fn digi_charge(digi: vec2u) -> u32 { return digi.y & ((1u << CHARGE_BITS) - 1u); }

// Sort key of a digi: the channel above the time.
fn digi_key(digi: vec2u) -> vec2u {
    let channel = digi_channel(digi);
    return vec2u(digi_time(digi) | channel << TIME_BITS, channel >> (32u - TIME_BITS));
}
