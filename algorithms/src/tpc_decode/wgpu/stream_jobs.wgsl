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
