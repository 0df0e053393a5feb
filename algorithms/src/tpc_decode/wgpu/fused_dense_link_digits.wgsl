// Decodes the dense link pages of a fragment to digits: see fused.cu. Any number of blocks.
#include "fused/dense_link.wgsl"

struct Arguments { blocks: u32, stride: u32, fragment: u32 }
var<immediate> arguments: Arguments;
// The pads of channels, two in a word.
@group(0) @binding(5) var<storage, read> cells: array<u32>;
@group(0) @binding(11) var<storage, read_write> digits: array<vec2u>;

fn emit(slot: u32, first: u32) {
    let end = first + page.samples;
    for (var number = thread; number < end; number += THREADS) {
        if number < first { continue; }
        let sample = sample_at(number);
        let cell = page.endpoint * CHANNELS_OF_ENDPOINT + sample.channel;
        let pad = cells[cell / 2u] >> (cell % 2u * 16u) & 0xffffu;
        digits[slot + number - first] =
            vec2u(pad << 16u | sample.adc, page.sector << 26u | sample.time_bin);
    }
}

@compute @workgroup_size(THREADS)
fn fused_dense_link_digits(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    decode_share();
}
