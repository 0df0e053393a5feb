// Decodes the dense link pages of a fragment to a list of positions and a list of charges: see
// fused.cu. Any number of workgroups.
#include "fused/dense_link.wgsl"
#include "pages/charges.wgsl"

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
