// Dense link pages as published: see pages/links.h. A warp decodes a page, block by block: the
// channels of all links first, then the samples. The includer defines `enter_page`, and `put`,
// which takes a sample with its index in the output list, its time bin, its pad and its value.
//
// Workgroup memory: the channels of a block, 3200 bytes a warp.
#include "pages.wgsl" records

// The pads of all links, two in a word.
@group(0) @binding(4) var<storage, read> pads: array<u32>;
// Page and first sample.
@group(0) @binding(8) var<storage, read> jobs: array<vec2u>;
@group(0) @binding(9) var<storage, read> job_offsets: array<u32>;

// Needs warp barriers: lanes of a warp list channels for each other.
const WAITS_FOR_WARPS = true;
// The launcher relies on this number.
const THREADS = min(128u, 8u * LANES);
const WARPS = THREADS / LANES;
const_assert THREADS % SUBGROUP_LANES == 0u;
const LIST = MAX_FECS_IN_HALF * CHANNELS_IN_LINK;

var<workgroup> lists: array<u32, WARPS * LIST>;
var<private> page: PageRecord;
var<private> page_byte: u32;
// End of the payload, where a block that continues in the next page is split.
var<private> payload_end: u32;

fn byte_at(position: u32) -> u32 {
    let behind = select(0u, PAGE_BYTES + RDH_BYTES - payload_end, position >= payload_end);
    let byte = page_byte + position + behind;
    return word_at(byte) >> (byte % 4u * 8u) & 0xffu;
}

fn half_at(position: u32) -> u32 { return byte_at(position) | byte_at(position + 1u) << 8u; }

fn pad_of(channel: u32) -> u32 {
    let at = page.endpoint / 2u * MAX_FECS * LINK_STRIDE + channel;
    return pads[at / 2u] >> (at % 2u * 16u) & 0xffffu;
}

// Lists the channels of a link after `before` others; returns the end of its head, and the new
// number of channels.
fn list_link(position: u32, before: u32) -> vec2u {
    let head = link_head(byte_at(position), byte_at(position + 1u));
    let mask_begin = position + head.before;
    var samples = before;
    for (var first = 0u; first < CHANNELS_IN_LINK; first += LANES) {
        let channel = first + lane;
        let group = channel / 8u;
        var has_sample = false;
        if (head.level >> min(group, 31u) & 1u) != 0u {
            let mask = byte_at(mask_begin + countOneBits(head.level & ((1u << group) - 1u)));
            has_sample = (mask >> (channel % 8u) & 1u) != 0u;
        }
        // One vote is enough: the rank is the number of set bits of lower lanes.
        let vote = votes(has_sample);
        if has_sample {
            lists[warp * LIST + samples + count_of(vote & lanes_below(lane))] =
                head.fec * LINK_STRIDE + channel;
        }
        samples += count_of(vote);
    }
    return vec2u(mask_begin + countOneBits(head.level), samples);
}

// Decodes a block; returns the start of the next one, and the number of samples of this one.
fn decode_block(begin: u32, slot: u32) -> vec2u {
    let head = block_head(half_at(begin), page.version);
    let time_bin = (page.orbit_start + head.crossing) / BC_PER_TIME_BIN;
    var listed = vec2u(begin + 2u, 0u);
    for (var link = 0u; link < head.links; link++) { listed = list_link(listed.x, listed.y); }
    warp_barrier();
    for (var sample = lane; sample < listed.y; sample += LANES) {
        let bit = sample * head.sample_bits;
        let adc = half_at(listed.x + bit / 8u) >> (bit % 8u) & ((1u << head.sample_bits) - 1u);
        put(slot + sample, time_bin, pad_of(lists[warp * LIST + sample]), adc);
    }
    warp_barrier();
    return vec2u(listed.x + bytes_of_samples(listed.y, head.sample_bits), listed.y);
}

// Decodes the page of a warp, if it has one. Only the last block can continue in the next page.
fn decode_dense_links() {
    let number = job_offsets[arguments.fragment] + block * WARPS + warp;
    if number >= job_offsets[arguments.fragment + 1u] { return; }
    let job = jobs[number];
    page = record_at(job.x);
    page_byte = job.x * PAGE_BYTES;
    enter_page();
    payload_end = PAGE_BYTES;
    var position = page.start;
    var slot = job.y;
    for (var number = 0u; number < page.blocks; number++) {
        if page.continuation > 0u && number + 1u == page.blocks { payload_end = page.end; }
        let decoded = decode_block(position, slot);
        position = decoded.x;
        slot += decoded.y;
    }
}

#part dense_link_digits
// Decodes the dense link pages of a fragment to digits: see ballot_scan.cu. A warp for each page.

struct Arguments { blocks: u32, stride: u32, fragment: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(11) var<storage, read_write> digits: array<vec2u>;

fn enter_page() {}

// See DigitOutput of pages/target.h.
fn put(slot: u32, time_bin: u32, pad: u32, adc: u32) {
    digits[slot] = vec2u(pad << 16u | adc, page.sector << 26u | time_bin);
}

@compute @workgroup_size(THREADS)
fn dense_link_digits(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    decode_dense_links();
}

#part dense_link_charges
// Decodes the dense link pages of a fragment to positions and charges: see ballot_scan.cu. A warp
// for each page.
#include "pages.wgsl" charges
#include "pages.wgsl" entries

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
