// Which module side digis of a detector's stream are of: see formulas/stream.h. `modules` has the
// module of each address.
#include "back.wgsl"

fn side_of(digi: vec2u) -> u32 {
    let address = (digi.x >> TIME_BITS) << 16u | digi.y >> 16u;
    return modules[address] + select(0u, arguments.sides / 2u, (digi.y & BACK) != 0u);
}
