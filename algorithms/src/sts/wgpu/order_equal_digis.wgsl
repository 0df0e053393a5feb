// Digis of the same channel and time in order of their charges: see equal_digis.cu. A thread per digi.
#include "digi.wgsl"
#include "formulas/sides.wgsl"

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> begins: array<u32>;
@group(0) @binding(2) var<storage, read_write> to: array<vec2u>;

fn is_equal(left: u32, right: u32) -> bool {
    return all(digi_key(digis[left]) == digi_key(digis[right]));
}

// Index of a digi among those of its side that are equal to it.
fn place_among_equals(begin: u32, end: u32, place: u32) -> u32 {
    let charge = digi_charge(digis[place]);
    var goes_to = place;
    var first = place;
    while first > begin && is_equal(first - 1u, place) {
        first--;
        if digi_charge(digis[first]) > charge { goes_to--; }
    }
    var last = place;
    while last + 1u < end && is_equal(last + 1u, place) {
        last++;
        if digi_charge(digis[last]) < charge { goes_to++; }
    }
    return goes_to;
}

fn has_equal(count: u32, place: u32) -> bool {
    return (place > 0u && is_equal(place - 1u, place))
        || (place + 1u < count && is_equal(place, place + 1u));
}

@compute @workgroup_size(THREADS)
fn order_equal_digis(place: InBlock) {
    enter(place);
    let own = block * THREADS + thread;
    let count = begins[arguments.sides];
    if block >= arguments.blocks || own >= count { return; }
    var goes_to = own;
    if has_equal(count, own) {
        let side = segment_of(arguments.sides, own);
        goes_to = place_among_equals(begins[side], begins[side + 1u], own);
    }
    to[goes_to] = digis[own];
}
