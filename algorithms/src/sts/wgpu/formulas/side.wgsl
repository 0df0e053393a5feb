// A side, with where its channels begin in `channels`: see formulas/clusters.h.

// Indices of digis count from the begin of the side.
struct Side { begin: u32, count: u32, channels: u32 }

fn side_of(side: u32) -> Side {
    return Side(segment_offsets[side], segment_offsets[side + 1u] - segment_offsets[side], side * CHANNEL_OFFSETS);
}

// Range of indices of a channel's digis.
struct IndexRange { begin: u32, end: u32 }

fn indices_of(side: Side, channel: u32) -> IndexRange {
    if channel >= CHANNELS_OF_SIDE { return IndexRange(0u, 0u); }
    let at = side.channels + channel;
    return IndexRange(channels[at], channels[at + 1u]);
}
