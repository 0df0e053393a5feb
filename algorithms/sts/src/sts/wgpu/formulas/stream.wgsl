// The channel's bit that is set for a back side's digis in the stream, in the upper word.
const BACK = CHANNELS_OF_SIDE << (CHANNEL_SHIFT - 32u);

// A digi with its channel counted on its side.
fn of_side(digi: vec2u) -> vec2u { return vec2u(digi.x, digi.y & ~BACK); }

#part sides
// Module sides of digis of a detector's stream: see formulas/stream.h. `modules` has the module of
// each address, by unit, ladder, half ladder and position.

fn position_of(address: u32) -> u32 {
    return (address & 0x3fu) << 11u | (address >> 6u & 0x1fu) << 6u | (address >> 11u & 1u) << 5u | address >> 12u;
}

fn side_of(digi: vec2u) -> u32 {
    let address = (digi.x >> TIME_BITS) << 16u | digi.y >> 16u;
    return modules[position_of(address)] + select(0u, arguments.sides / 2u, (digi.y & BACK) != 0u);
}
