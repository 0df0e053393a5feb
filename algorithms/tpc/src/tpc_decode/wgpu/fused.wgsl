// Dense link pages through workgroup memory: see fused.cu, fused/staged.h and fused/dense_link.h. A
// thread finds the links of a block, then a thread lists the channels of a link, and then
// consecutive threads take consecutive samples. The includer defines `emit`, which stores the
// results of `sample_at`.
//
// Workgroup memory (31.4 KiB): the page, its runs of samples, the channels of its samples, two in a
// word, the runs of groups of samples, and the links of some blocks. The cells of channels are read
// from global memory.
#include "pages.wgsl" records

@group(0) @binding(2) var<storage, read> index: array<u32>;
@group(0) @binding(3) var<storage, read> geometry: array<u32>;
// Page and first sample.
@group(0) @binding(8) var<storage, read> jobs: array<vec2u>;
@group(0) @binding(9) var<storage, read> job_offsets: array<u32>;

// Few workgroups with this much memory are resident at once, so they have many threads.
const THREADS = min(512u, MAX_THREADS);
const STAGED_GRANULES = STAGED_BYTES / GRANULE;
const MAX_RUNS = BLOCKS_OF_DENSE_LINK_PAGE;
// Blocks whose links are searched at once.
const BLOCKS = 64u;
const LINKS = BLOCKS * MAX_FECS_IN_HALF;
const CHANNEL_BITS = 10u;
const RUN_MASK = (1u << (16u - CHANNEL_BITS)) - 1u;

// Contiguous samples of a block: see SampleRun. Halves of words.
struct Run { first_packed: u32, time_kind: u32 }

// A sample before its conversion to the output.
struct Sample { time_bin: u32, channel: u32, adc: u32 }

var<workgroup> staged: array<vec4u, STAGED_GRANULES + 1u>;
var<workgroup> runs: array<Run, MAX_RUNS>;
var<workgroup> channels: array<atomic<u32>, MAX_NUMBERS / 2u>;
var<workgroup> run_of_group: array<u32, MAX_NUMBERS / GROUP>;
// Position and index of the first sample, a half each; 0 is none.
var<workgroup> links: array<u32, LINKS>;
var<private> page: PageRecord;

fn staged_word(position: u32) -> u32 { return staged[position / GRANULE][position / 4u % 4u]; }

// Four bytes from any offset on.
fn word(position: u32) -> u32 {
    let shift = position % 4u * 8u;
    if shift == 0u { return staged_word(position); }
    return staged_word(position) >> shift | staged_word(position + 4u) << (32u - shift);
}

// Loads a payload, with its continuation appended, and the offsets of its blocks, as runs with
// their heads instead of their samples. The first sample has the index `first`. Barrier needed
// after.
fn load_page(number: u32, first: u32, pieces: u32) {
    for (var i = thread; i < pieces; i += THREADS) {
        let piece = index[number * arguments.stride + i];
        runs[i] = Run(high_half(piece) + first | low_half(piece) << 16u, 0u);
    }
    for (var i = first / 2u + thread; i < (first + page.samples + 1u) / 2u; i += THREADS) {
        atomicStore(&channels[i], 0u);
    }
    // Heads of links are read in full words, which extend beyond the end by some bytes.
    let end = page.end / GRANULE;
    var behind = 0u;
    var loaded = min(end + 1u, PAGE_BYTES / GRANULE);
    if page.continuation > 0u {
        behind = page.continuation / GRANULE + 2u;
        loaded = end;
    }
    for (var i = page.start / GRANULE + thread; i < loaded; i += THREADS) {
        staged[i] = granule_at(number * PAGE_BYTES + i * GRANULE);
    }
    for (var i = thread; i < behind; i += THREADS) {
        let byte = (number + 1u) * PAGE_BYTES + RDH_BYTES + i * GRANULE;
        staged[min(end + i, STAGED_GRANULES)] = granule_at(byte);
    }
}

// Makes the run of this thread's block, and finds its links.
fn find_links(run: u32) {
    let begin = high_half(runs[run].first_packed);
    let head = block_head(low_half(word(begin)), page.version);
    let first = low_half(runs[run].first_packed);
    var position = begin + 2u;
    var sample = first;
    for (var i = 0u; i < MAX_FECS_IN_HALF; i++) {
        let link = thread * MAX_FECS_IN_HALF + i;
        links[link] = 0u;
        if i >= head.links { continue; }
        links[link] = position | sample << 16u;
        let words = vec3u(word(position), word(position + 4u), word(position + 8u));
        let of_link = link_head(words.x & 0xffu, words.x >> 8u & 0xffu);
        let mask = countOneBits(mask_of(of_link, words));
        position += bytes_of_head(of_link);
        sample += mask.x + mask.y + mask.z;
    }
    let time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN - page.first_time_bin;
    runs[run] = Run(first | position << 16u, time_bin | head.sample_bits << 16u);
    // The first group may start before the page does.
    var group = select((first + GROUP - 1u) / GROUP, 0u, run == 0u);
    for (; group * GROUP < sample; group++) { run_of_group[group] = run; }
}

// Puts the lowest bytes of a word at the set bits of a nibble, and zeros elsewhere.
fn spread_bytes(bytes: u32, nibble: u32) -> u32 {
    var spread = 0u;
    var next = bytes;
    for (var i = 0u; i < 4u; i++) {
        if (nibble >> i & 1u) == 0u { continue; }
        spread |= (next & 0xffu) << (8u * i);
        next >>= 8u;
    }
    return spread;
}

// Lists the channels of a link.
fn list_link(link: u32, run: u32, first_fec: u32) {
    if link == 0u { return; }
    let position = low_half(link);
    let first_word = word(position);
    let head = link_head(first_word & 0xffu, first_word >> 8u & 0xffu);
    let first = (head.fec - first_fec) * CHANNELS_IN_LINK;
    let mask = position + head.before;
    var sample = high_half(link);
    for (var part = 0u; part < 3u; part++) {
        let before = countOneBits(head.level & ((1u << (4u * part)) - 1u));
        var bits = spread_bytes(word(mask + before), head.level >> (4u * part) & 0xfu);
        for (; bits != 0u; bits &= bits - 1u) {
            let channel = first + part * 32u + firstTrailingBit(bits);
            let listed = (run & RUN_MASK) << CHANNEL_BITS | channel;
            atomicOr(&channels[sample / 2u], listed << (sample % 2u * 16u));
            sample++;
        }
    }
}

// Contains barriers.
fn find_samples(pieces: u32) {
    let first_fec = geometry[page.endpoint] >> 16u & 0xffu;
    for (var first = 0u; first < pieces; first += BLOCKS) {
        let blocks = min(pieces - first, BLOCKS);
        if thread < blocks { find_links(first + thread); }
        workgroupBarrier();
        for (var i = thread; i < blocks * MAX_FECS_IN_HALF; i += THREADS) {
            list_link(links[i], first + i / MAX_FECS_IN_HALF, first_fec);
        }
        workgroupBarrier();
    }
}

// The sample with an index.
fn sample_at(number: u32) -> Sample {
    let listed = atomicLoad(&channels[number / 2u]) >> (number % 2u * 16u) & 0xffffu;
    let first = run_of_group[number / GROUP];
    let run = runs[first + (((listed >> CHANNEL_BITS) - first) & RUN_MASK)];
    let bits = high_half(run.time_kind);
    let bit = (number - low_half(run.first_packed)) * bits;
    let adc = word(high_half(run.first_packed) + bit / 8u) >> (bit % 8u) & ((1u << bits) - 1u);
    let channel = listed & ((1u << CHANNEL_BITS) - 1u);
    return Sample(page.first_time_bin + low_half(run.time_kind), channel, adc);
}

// The jobs of this block among those of a fragment.
fn decode_share() {
    let begin = job_offsets[arguments.fragment];
    let all = job_offsets[arguments.fragment + 1u] - begin;
    let each = all / arguments.blocks;
    let more = all % arguments.blocks;
    let first_job = begin + block * each + min(block, more);
    let end = first_job + each + select(0u, 1u, block < more);
    for (var number = first_job; number < end; number++) {
        let job = jobs[number];
        page = record_at(job.x);
        let pieces = pieces_of(job.x);
        let first = job.y % GROUP;
        load_page(job.x, first, pieces);
        workgroupBarrier();
        find_samples(pieces);
        emit(job.y, first);
        workgroupBarrier();
    }
}

#part fused_dense_link_digits
// Decodes the dense link pages of a fragment to digits: see fused.cu. Any number of blocks.

struct Arguments { blocks: u32, stride: u32, fragment: u32 }
var<immediate> arguments: Arguments;
// The pads of channels, two in a word.
@group(0) @binding(5) var<storage, read> cells: array<u32>;
@group(0) @binding(11) var<storage, read_write> digits: array<vec2u>;

fn emit(slot: u32, first: u32) {
    let end = first + page.samples;
    for (var number = thread; number < end; number += THREADS) {
        if number < first { continue; }
        let sample = sample_at(number);
        let cell = page.endpoint * CHANNELS_OF_ENDPOINT + sample.channel;
        let pad = cells[cell / 2u] >> (cell % 2u * 16u) & 0xffffu;
        digits[slot + number - first] =
            vec2u(pad << 16u | sample.adc, page.sector << 26u | sample.time_bin);
    }
}

@compute @workgroup_size(THREADS)
fn fused_dense_link_digits(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    decode_share();
}

#part fused_dense_link_charges
// Decodes the dense link pages of a fragment to a list of positions and a list of charges: see
// fused.cu. Any number of workgroups.
#include "pages.wgsl" charges

struct Arguments { blocks: u32, stride: u32, fragment: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(10) var<storage, read> fragments: array<Fragment>;
// Gain and column of each channel of each sector.
@group(0) @binding(6) var<storage, read> cells: array<vec2u>;
@group(0) @binding(12) var<storage, read_write> positions: array<u32>;
// Two in a word.
@group(0) @binding(13) var<storage, read_write> charges: array<atomic<u32>>;

// Lists the position of a sample; returns its charge.
fn list_sample(number: u32, at: u32) -> u32 {
    let sample = sample_at(number);
    if !is_in_fragment(sample.time_bin) {
        positions[at] = OUTSIDE;
        return select(BEHIND, 0u, sample.time_bin < fragment.first_time_bin);
    }
    let endpoint = page.sector * ENDPOINTS_OF_SECTOR + page.endpoint;
    let cell = cells[endpoint * CHANNELS_OF_ENDPOINT + sample.channel];
    positions[at] = position_of(cell.y, time_in_map(sample.time_bin));
    return charge_of(bitcast<f32>(cell.x), sample.adc);
}

// Index parity in the page and in the list agree: a thread has both samples of a word. The other
// halves of the first and the last word belong to other pages.
fn emit(slot: u32, first: u32) {
    let end = first + page.samples;
    let before = slot - first;
    for (var pair = first / 2u + thread; 2u * pair < end; pair += THREADS) {
        let number = 2u * pair;
        var word = 0u;
        var mask = 0u;
        if number >= first {
            word = list_sample(number, before + number);
            mask = 0xffffu;
        }
        if number + 1u < end {
            word |= list_sample(number + 1u, before + number + 1u) << 16u;
            mask |= 0xffff0000u;
        }
        let at = (before + number) / 2u;
        if mask == ~0u {
            atomicStore(&charges[at], word);
        } else {
            atomicAnd(&charges[at], ~mask);
            atomicOr(&charges[at], word);
        }
    }
}

@compute @workgroup_size(THREADS)
fn fused_dense_link_charges(invocation: InBlock) {
    enter(invocation);
    if block >= arguments.blocks { return; }
    fragment = fragments[arguments.fragment];
    decode_share();
}
