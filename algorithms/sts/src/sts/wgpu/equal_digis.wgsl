#part order_equal_digis
// Digis of the same channel and time in order of their charges: see equal_digis.cu. A thread per digi.
#include "digi.wgsl"
#include "formulas/sides.wgsl"

struct Arguments { blocks: u32, sides: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> digis: array<vec2u>;
@group(0) @binding(1) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> to: array<vec2u>;

fn is_equal(left: u32, right: u32) -> bool {
    return all(digi_key(digis[left]) == digi_key(digis[right]));
}

// Index of a digi among those of its side that are equal to it.
fn index_among_equals(begin: u32, end: u32, index: u32) -> u32 {
    let charge = digi_charge(digis[index]);
    var goes_to = index;
    var first = index;
    while first > begin && is_equal(first - 1u, index) {
        first--;
        if digi_charge(digis[first]) > charge { goes_to--; }
    }
    var last = index;
    while last + 1u < end && is_equal(last + 1u, index) {
        last++;
        if digi_charge(digis[last]) < charge { goes_to++; }
    }
    return goes_to;
}

fn has_equal(count: u32, index: u32) -> bool {
    return (index > 0u && is_equal(index - 1u, index))
        || (index + 1u < count && is_equal(index, index + 1u));
}

@compute @workgroup_size(THREADS)
fn order_equal_digis(invocation: InBlock) {
    enter(invocation);
    let index = block * THREADS + thread;
    let count = segment_offsets[arguments.sides];
    if block >= arguments.blocks || index >= count { return; }
    var goes_to = index;
    if has_equal(count, index) {
        let side = segment_of(arguments.sides, index);
        goes_to = index_among_equals(segment_offsets[side], segment_offsets[side + 1u], index);
    }
    to[goes_to] = digis[index];
}
