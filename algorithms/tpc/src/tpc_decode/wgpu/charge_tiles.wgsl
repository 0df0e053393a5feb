#part stream_jobs
// Finds the jobs of each stream among those of a fragment: see charge_tiles.cu. A thread for each
// stream.
struct Arguments { blocks: u32, fragment: u32, count: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> jobs: array<vec2u>;
@group(0) @binding(2) var<storage, read> job_offsets: array<u32>;
@group(0) @binding(4) var<storage, read> pages: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> streams: array<vec2u>;

// The first job of the fragment whose page is `page` or a later one.
fn first_job(page: u32) -> u32 {
    var low = job_offsets[arguments.fragment];
    var high = job_offsets[arguments.fragment + 1u];
    while low < high {
        let middle = (low + high) / 2u;
        if jobs[middle].x < page { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

@compute @workgroup_size(THREADS)
fn stream_jobs(invocation: InBlock) {
    enter(invocation);
    let stream = block * THREADS + thread;
    if stream >= arguments.count { return; }
    let own = pages[stream];
    streams[stream] = vec2u(first_job(own.x), first_job(own.y));
}

#part find_lines
// Finds the first sample of each chunk of lines in the pages of a fragment: see charge_tiles.cu. A
// thread for each bound; a word has two of them.
struct Arguments { blocks: u32, fragment: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> extents: array<vec2u>;
@group(0) @binding(1) var<storage, read> jobs: array<vec2u>;
@group(0) @binding(2) var<storage, read> job_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> fragments: array<vec4u>;
@group(0) @binding(11) var<storage, read> positions: array<u32>;
@group(0) @binding(12) var<storage, read> charges: array<u32>;
// Slot, then the first chunk and the number of chunks, a half each.
@group(0) @binding(6) var<storage, read_write> pages: array<vec2u>;
@group(0) @binding(7) var<storage, read_write> bounds: array<u32>;

// A word for each pair of threads.
var<workgroup> halves: array<u32, THREADS>;

// Samples outside the fragment have no time: their charges encode whether they are before or after
// it.
fn is_before(sample: u32, time: u32) -> bool {
    let position = positions[sample];
    if position != OUTSIDE { return position >> 16u < time; }
    return (charges[sample / 2u] >> (sample % 2u * 16u) & 0xffffu) != BEHIND;
}

// The first sample of a page that is not before a time (lower bound).
fn first_not_before(slot: u32, samples: u32, time: u32) -> u32 {
    var low = 0u;
    var high = samples;
    while low < high {
        let middle = (low + high) / 2u;
        if is_before(slot + middle, time) { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

fn bound_of(index: u32, bound: u32) -> u32 {
    let job = jobs[index];
    let extent = extents[job.x];
    let fragment = fragments[arguments.fragment];
    let begin = max(extent.x, fragment.x) - fragment.x;
    let end = min(extent.x + (extent.y >> 16u), fragment.x + fragment.y) - fragment.x;
    let first = begin / CHUNK_TIMES;
    var count = 0u;
    if end > begin { count = (end - 1u) / CHUNK_TIMES + 1u - first; }
    if bound == 0u { pages[index] = vec2u(job.y, first | count << 16u); }
    if bound > count { return 0u; }
    let time = (first + bound) * CHUNK_TIMES + TIME_MARGIN;
    return first_not_before(job.y, extent.y & 0xffffu, time);
}

@compute @workgroup_size(THREADS)
fn find_lines(in_block: InBlock) {
    enter(in_block);
    let i = block * THREADS + thread;
    let index = job_offsets[arguments.fragment] + i / BOUNDS_OF_PAGE;
    let is_one = index < job_offsets[arguments.fragment + 1u];
    if is_one { halves[thread] = bound_of(index, i % BOUNDS_OF_PAGE); }
    workgroupBarrier();
    if is_one && thread % 2u == 0u {
        bounds[(index * BOUNDS_OF_PAGE + i % BOUNDS_OF_PAGE) / 2u] = halves[thread] | halves[thread + 1u] << 16u;
    }
}

#part charge_tiles
// Maps of charges, in complete tiles: see charge_tiles.cu. Each region of each map has the
// consecutive workgroups that its lines need.
//
// Workgroup memory: the tiles of a region, 26 KiB, and flags of the pages with samples there, 2
// KiB.
#include "pages.wgsl" entries

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

#part clear_margins
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
