// Charge maps and the activity of a pad: see pads/map.h. Both kernels have the same bindings.

struct Arguments {
    blocks: u32,
    group_count: u32,
    tile_rows: u32,
    max_charges: u32,
    max_run: u32,
    saturation: u32,
}
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> groups: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> activity: array<vec2u>;

// Pads whose charges are in the same tiles.
struct Group {
    // Index among the tiles of a line.
    tile: u32,
    // 8, fewer at the end of a row.
    pads: u32,
    // Its index in the sector.
    first_pad: u32,
}

fn group_at(number: u32) -> Group {
    let words = groups[number];
    return Group(words.x & 0xffffu, words.x >> 16u, words.y);
}

// The index of a group's first tile in the map of a sector, among the tiles of all maps.
fn first_tile(sector: u32, group: Group) -> u32 {
    return sector * arguments.tile_rows * TILES_IN_ROW + group.tile;
}

fn activity_of(charges: u32, longest_run: u32, largest: u32) -> vec2u {
    let is_busy = charges > arguments.max_charges || longest_run > arguments.max_run;
    let is_noisy = is_busy && largest <= arguments.saturation;
    return vec2u(charges | longest_run << 16u, largest | select(0u, 1u, is_noisy) << 16u);
}
