// Hits by a block for some clusters of the front, in order of time; its threads share the pairs:
// see pairs.cu. A block per job.
#include "queue.wgsl"
#include "sharing.wgsl"

struct Arguments { blocks: u32, modules: u32, cut_kind: u32, cut: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(9) var<storage, read> lines: array<Line>;
@group(0) @binding(10) var<storage, read> values: array<Measured>;
@group(0) @binding(11) var<storage, read> partners: array<Partners>;
@group(0) @binding(2) var<storage, read> segment_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<Found>;
@group(0) @binding(4) var<storage, read> sensors: array<Sensor>;
@group(0) @binding(8) var<storage, read> jobs: array<Job>;
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> hits: array<Hit>;

// Index of the block's module.
var<private> module_number: u32;
var<private> front_begin: u32;
var<private> back_begin: u32;
var<private> range: CrossingRange;
// Sensor widths per cm.
var<private> widths: f32;

fn enter_module(number: u32) {
    module_number = number;
    front_begin = segment_offsets[number];
    back_begin = segment_offsets[arguments.modules + number];
    sensor = sensors[number];
    range = crossing_range();
    widths = 1.0 / sensor.width;
}

// Queues those pairs of a stretch that may cross, and finds hits whenever the queue fills the
// block.
fn find_hits_in_stretch(begin: u32, count: u32) {
    for (var round = 0u; round < count; round += AT_ONCE * THREADS) {
        var pairs = array<vec2u, AT_ONCE>();
        var may = 0u;
        for (var i = 0u; i < AT_ONCE; i++) {
            let pair = round + i * THREADS + thread;
            if pair < count {
                let front = front_of(pair);
                pairs[i] = vec2u(front.number, front.to_back + begin + pair);
                let back = lines[back_begin + pairs[i].y];
                let line = Line(front.edge, front.widths);
                may |= select(0u, 1u << i, may_cross(range, widths, line, back));
            }
        }
        add_to_queue(may, pairs);
        while queued >= THREADS { take_from_queue(); }
    }
}

// The hits of some fronts, one for each thread at a time.
fn find_hits(begin: u32, end: u32) {
    queued = 0u;
    for (var first = begin; first < end; first += THREADS) {
        let pairs = share_fronts(first + thread, end);
        for (var stretch = 0u; stretch < pairs; stretch += min(STRETCH, pairs - stretch)) {
            mark(stretch);
            find_hits_in_stretch(stretch, min(STRETCH, pairs - stretch));
        }
    }
    if queued > 0u { take_from_queue(); }
}

// End of a job's fronts: the begin of the next job, unless that is of another module.
fn end_of(job: Job) -> u32 {
    let next = block + 1u;
    if next < arguments.blocks && jobs[next].segment == job.segment { return jobs[next].first; }
    return found[job.segment].clusters;
}

fn find_hits_of_job(job: Job) {
    enter_module(job.segment);
    find_hits(job.first, end_of(job));
}
