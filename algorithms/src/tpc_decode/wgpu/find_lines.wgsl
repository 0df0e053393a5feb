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
