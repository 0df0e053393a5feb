// Copies digis from slots to their offsets: see copy_out.cu. A block per microslice.
struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
// Seven words of each microslice, the first one of which counts digis.
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read> first_slots: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> digis: array<vec2u>;

const COUNTS = 7u;

@compute @workgroup_size(THREADS)
fn unpack_copy_out(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let count = counts[block * COUNTS];
    for (var i = thread; i < count; i += THREADS) {
        digis[offsets[block] + i] = slots[first_slots[block] + i];
    }
}
