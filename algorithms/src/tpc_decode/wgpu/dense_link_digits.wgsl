// Decodes the dense link pages of a fragment to digits: see ballot_scan.cu. A warp for each page.
#include "pages/dense_link.wgsl"

struct Arguments { blocks: u32, stride: u32, fragment: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(11) var<storage, read_write> digits: array<vec2u>;

fn enter_page() {}

// See DigitOutput of pages/target.h.
fn put(slot: u32, time_bin: u32, pad: u32, adc: u32) {
    digits[slot] = vec2u(pad << 16u | adc, page.sector << 26u | time_bin);
}

@compute @workgroup_size(THREADS)
fn dense_link_digits(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    decode_dense_links();
}
