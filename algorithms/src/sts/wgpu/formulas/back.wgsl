// The channel's bit that is set for a back side's digis in the stream, in the upper word.
const BACK = CHANNELS_OF_SIDE << (CHANNEL_SHIFT - 32u);

// A digi with its channel counted on its side.
fn of_side(digi: vec2u) -> vec2u { return vec2u(digi.x, digi.y & ~BACK); }
