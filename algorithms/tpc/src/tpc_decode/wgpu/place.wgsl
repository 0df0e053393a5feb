#part place_count
// Counts the jobs and samples of each tile of each fragment: see place.cu. A workgroup for each
// tile.
#include "pages.wgsl" tile
#include "pages.wgsl" sums

struct Arguments { blocks: u32, pages: u32, tiles: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read_write> sums: array<vec2u>;

@compute @workgroup_size(THREADS)
fn place_count(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    enter_tile();
    exclusive_sums(own_sums());
    if thread == 0u { sums[block] = all_sums; }
}

#part place_sum
// Replaces sums of tiles by their exclusive scan: see place.cu. One workgroup.
#include "pages.wgsl" sums

struct Arguments { blocks: u32, pages: u32, tiles: u32, fragments: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read_write> sums: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> job_offsets: array<u32>;

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn place_sum(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let count = arguments.fragments * arguments.tiles;
    var before_all = vec2u(0u);
    for (var first = 0u; first < count; first += THREADS) {
        let i = first + thread;
        var own = vec2u(0u);
        if i < count { own = sums[i]; }
        let before = before_all + exclusive_sums(own);
        if i < count {
            sums[i] = before;
            if i % arguments.tiles == 0u { job_offsets[i / arguments.tiles] = before.x; }
        }
        before_all += all_sums;
    }
    if thread > 0u { return; }
    job_offsets[arguments.fragments] = before_all.x;
    job_offsets[arguments.fragments + 1u] = before_all.y;
}

#part place_jobs
// Lists the jobs of all fragments: see place.cu. A workgroup for each tile.
#include "pages.wgsl" tile
#include "pages.wgsl" sums

struct Arguments { blocks: u32, pages: u32, tiles: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(2) var<storage, read> sums: array<vec2u>;
// Page and first sample.
@group(0) @binding(4) var<storage, read_write> jobs: array<vec2u>;

@compute @workgroup_size(THREADS)
fn place_jobs(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    enter_tile();
    var before = sums[block] + exclusive_sums(own_sums());
    for (var i = 0u; i < PAGES_EACH; i++) {
        let samples = samples_of(i);
        if samples == 0u { continue; }
        jobs[before.x] = vec2u(first_page + i, before.y);
        before += vec2u(1u, samples);
    }
}
