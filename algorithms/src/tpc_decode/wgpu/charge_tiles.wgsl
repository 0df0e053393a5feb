// Maps of charges, in complete tiles: see charge_tiles.cu. Each region of each map has the
// consecutive workgroups that its lines need.
//
// Workgroup memory: the tiles of a region, 26 KiB, and flags of the pages with samples there, 2
// KiB.
#include "pages/entries.wgsl"

struct Arguments { blocks: u32, fragment: u32, count: u32, lines: u32 }
var<immediate> arguments: Arguments;
// Slot, then the first chunk and the number of chunks, a half each.
@group(0) @binding(6) var<storage, read> pages: array<vec2u>;
@group(0) @binding(7) var<storage, read> bounds: array<u32>;
@group(0) @binding(8) var<storage, read> regions: array<u32>;
@group(0) @binding(5) var<storage, read> streams: array<vec2u>;
@group(0) @binding(9) var<storage, read> tiles_before: array<u32>;
@group(0) @binding(10) var<storage, read> geometry: array<u32>;
@group(0) @binding(3) var<storage, read> fragments: array<vec4u>;
@group(0) @binding(11) var<storage, read> positions: array<u32>;
@group(0) @binding(12) var<storage, read> charges: array<u32>;
@group(0) @binding(13) var<storage, read_write> maps: array<vec4u>;

const TILE_WORDS = TILE / 2u;
const WORDS = LINES * MAX_TILES * TILE_WORDS;
// Threads that write a row together.
const ROW_THREADS = 32u;
const FOUND_MASK = (1u << FOUND_SHIFT) - 1u;

// Two entries in a word.
var<workgroup> entries: array<atomic<u32>, WORDS>;
// For each page with samples here: the first of them, and the cumulative number up to its last.
var<workgroup> found_pages: array<vec2u, THREADS>;
// Pages in the upper bits, samples in the lower ones.
var<workgroup> found: atomic<u32>;
var<private> region: u32;
var<private> first_row: u32;
var<private> rows: u32;
var<private> first_line: u32;
var<private> end_line: u32;

fn first_of_row(row: u32) -> u32 { return tiles_before[region * (MAX_ROWS + 1u) + row]; }

fn half_of(word: u32, number: u32) -> u32 { return word >> (number % 2u * 16u) & 0xffffu; }

// The job with an index among those of a region's streams, one after the other.
fn job_of(first_stream: u32, number: u32) -> u32 {
    var jobs = streams[first_stream];
    var rest = number;
    for (var stream = first_stream + 1u; rest >= jobs.y - jobs.x; stream++) {
        rest -= jobs.y - jobs.x;
        jobs = streams[stream];
    }
    return jobs.x + rest;
}

// Records the samples of a page in a chunk.
fn note_page(job: u32, chunk: u32) {
    let page = pages[job];
    let number = chunk - (page.y & 0xffffu);
    if number >= page.y >> 16u { return; }
    let at = job * BOUNDS_OF_PAGE + number;
    let begin = half_of(bounds[at / 2u], at);
    let count = half_of(bounds[(at + 1u) / 2u], at + 1u) - begin;
    if count == 0u { return; }
    let before = atomicAdd(&found, 1u << FOUND_SHIFT | count);
    let samples = before & FOUND_MASK;
    // The index of a sample among all found ones, plus this, is its index in the list.
    found_pages[before >> FOUND_SHIFT] = vec2u(page.x + begin - samples, samples + count);
}

// Index of a position's entry in workgroup memory.
fn entry_of(position: u32) -> u32 {
    let time = (position >> 16u) - first_line * TILE_TIMES;
    let column = (position & 0xffffu) - PAD_MARGIN;
    let row = column / ROW_PITCH;
    let pad = column - row * ROW_PITCH;
    let tile = time / TILE_TIMES * first_of_row(rows) + first_of_row(row - first_row) + pad / TILE_PADS;
    return tile * TILE + time % TILE_TIMES * TILE_PADS + pad % TILE_PADS;
}

// Stores the found samples in their tiles.
fn put_samples() {
    let count = atomicLoad(&found) & FOUND_MASK;
    for (var number = thread; number < count; number += THREADS) {
        var page = 0u;
        while number >= found_pages[page].y { page++; }
        let sample = found_pages[page].x + number;
        put_entry(entry_of(positions[sample]), half_of(charges[sample / 2u], sample));
    }
}

fn granule_of(at: u32) -> vec4u {
    return vec4u(
        atomicLoad(&entries[4u * at]),
        atomicLoad(&entries[4u * at + 1u]),
        atomicLoad(&entries[4u * at + 2u]),
        atomicLoad(&entries[4u * at + 3u])
    );
}

// ROW_THREADS threads a row: write its tiles in each line.
fn write_tiles(map: u32) {
    let tiles = first_of_row(rows);
    for (var line = first_line; line < end_line; line++) {
        let in_map = map + (line * TILES_IN_ROW + PAD_MARGIN / TILE_PADS + first_row * TILES_OF_PITCH) * GRANULES_OF_TILE;
        for (var row = thread / ROW_THREADS; row < rows; row += THREADS / ROW_THREADS) {
            let begin = first_of_row(row) * GRANULES_OF_TILE;
            let end = first_of_row(row + 1u) * GRANULES_OF_TILE;
            let to = in_map + row * TILES_OF_PITCH * GRANULES_OF_TILE - begin;
            for (var granule = begin + thread % ROW_THREADS; granule < end; granule += ROW_THREADS) {
                let at = (line - first_line) * tiles * GRANULES_OF_TILE + granule;
                maps[to + granule] = granule_of(at);
            }
        }
    }
}

@compute @workgroup_size(THREADS)
fn charge_tiles(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    let chunks = (arguments.lines + LINES - 1u) / LINES;
    let number = block / chunks;
    let chunk = block % chunks;
    region = number % REGIONS;
    first_line = 1u + chunk * LINES;
    end_line = min(first_line + LINES, 1u + arguments.lines);
    first_row = geometry[2u * region] & 0xffu;
    rows = (geometry[2u * region] >> 8u & 0xffu) + (geometry[2u * region + 1u] >> 8u & 0xffu);
    var total = 0u;
    for (var stream = regions[number]; stream < regions[number + 1u]; stream++) {
        total += streams[stream].y - streams[stream].x;
    }
    for (var i = thread; i < WORDS; i += THREADS) { atomicStore(&entries[i], 0u); }
    // Processes THREADS jobs at a time: usually that is all of them.
    for (var first = 0u; first < total; first += THREADS) {
        workgroupBarrier();
        if thread == 0u { atomicStore(&found, 0u); }
        workgroupBarrier();
        if first + thread < total { note_page(job_of(regions[number], first + thread), chunk); }
        workgroupBarrier();
        put_samples();
    }
    workgroupBarrier();
    // The length of maps is a multiple of a granule.
    write_tiles(number / REGIONS * (fragments[arguments.fragment].z / (GRANULE / 2u)));
}
