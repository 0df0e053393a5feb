// Clears all tiles that contain no pads, or are in no line: see charge_tiles.cu. A workgroup for
// each line of tiles of a map, `all_lines` a map.
struct Arguments { blocks: u32, lines: u32, all_lines: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> geometry: array<u32>;
@group(0) @binding(1) var<storage, read_write> maps: array<vec4u>;

fn has_pads(tile: u32, line: u32) -> bool {
    if tile < PAD_MARGIN / TILE_PADS || line < 1u || line > arguments.lines { return false; }
    let behind = tile - PAD_MARGIN / TILE_PADS;
    let pads = geometry[ENDPOINTS + behind / TILES_OF_PITCH];
    return behind % TILES_OF_PITCH < (pads + TILE_PADS - 1u) / TILE_PADS;
}

@compute @workgroup_size(THREADS)
fn clear_margins(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let line = block % arguments.all_lines;
    let granules = TILES_IN_ROW * GRANULES_OF_TILE;
    for (var i = thread; i < granules; i += THREADS) {
        if !has_pads(i / GRANULES_OF_TILE, line) { maps[block * granules + i] = vec4u(0u); }
    }
}
