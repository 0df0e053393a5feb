// A side, with where its channels begin in `channels`: see formulas/chain.h.

// Indices of digis count from the begin of the side.
struct Side { begin: u32, count: u32, channels: u32 }

fn side_of(side: u32) -> Side {
    return Side(begins[side], begins[side + 1u] - begins[side], side * CHANNEL_OFFSETS);
}

// Range of indices of a channel's digis.
struct Places { begin: u32, end: u32 }

fn places_of(side: Side, channel: u32) -> Places {
    if channel >= CHANNELS_OF_SIDE { return Places(0u, 0u); }
    let at = side.channels + channel;
    return Places(channels[at], channels[at + 1u]);
}
