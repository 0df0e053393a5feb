// Decodes the dense link pages of a fragment to positions and charges: see ballot_scan.cu. A warp
// for each page.
#include "pages/dense_link.wgsl"
#include "pages/charges.wgsl"
#include "pages/entries.wgsl"

struct Arguments { blocks: u32, stride: u32, fragment: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(10) var<storage, read> fragments: array<Fragment>;
@group(0) @binding(7) var<storage, read> gains: array<f32>;
@group(0) @binding(12) var<storage, read_write> positions: array<u32>;
@group(0) @binding(14) var<storage, read_write> entries: array<atomic<u32>>;

fn enter_page() { fragment = fragments[arguments.fragment]; }

fn entry_of(column: u32, time: u32) -> u32 {
    let tile = time / TILE_TIMES * TILES_IN_ROW + column / TILE_PADS;
    return tile * (TILE_PADS * TILE_TIMES) + time % TILE_TIMES * TILE_PADS + column % TILE_PADS;
}

fn put(slot: u32, time_bin: u32, pad: u32, adc: u32) {
    if !is_in_fragment(time_bin) {
        positions[slot] = OUTSIDE;
        return;
    }
    let column = column_of(pad);
    let time = time_in_map(time_bin);
    let at = page.map * fragment.entries + entry_of(column, time);
    put_entry(at, charge_of(gains[page.sector * COLUMNS + column], adc));
    positions[slot] = position_of(column, time);
}

@compute @workgroup_size(THREADS)
fn dense_link_charges(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    decode_dense_links();
}
