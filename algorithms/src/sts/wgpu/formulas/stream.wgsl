// Module sides of digis of a detector's stream: see formulas/stream.h. `modules` has the module of
// each address, by unit, ladder, half ladder and position.
#include "back.wgsl"

fn position_of(address: u32) -> u32 {
    return (address & 0x3fu) << 11u | (address >> 6u & 0x1fu) << 6u | (address >> 11u & 1u) << 5u | address >> 12u;
}

fn side_of(digi: vec2u) -> u32 {
    let address = (digi.x >> TIME_BITS) << 16u | digi.y >> 16u;
    return modules[position_of(address)] + select(0u, arguments.sides / 2u, (digi.y & BACK) != 0u);
}
