// Sets some words of a buffer to a value, in the bits of a mask.
struct Arguments { blocks: u32, first: u32, count: u32, value: u32, mask: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read_write> words: array<u32>;

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn fill(invocation: InBlock) {
    enter(invocation);
    let at = block * THREADS + thread;
    if block >= arguments.blocks || at >= arguments.count { return; }
    // Words that are replaced completely need not be read.
    var kept = 0u;
    if arguments.mask != ~0u { kept = words[arguments.first + at] & ~arguments.mask; }
    words[arguments.first + at] = kept | (arguments.value & arguments.mask);
}
