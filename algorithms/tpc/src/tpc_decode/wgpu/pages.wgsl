#part page
// Pages in the format of shaders: see pages/page.h. Pages are the first binding of shaders, in
// words of 16 bytes.

@group(0) @binding(0) var<storage, read> pages: array<vec4u>;

// Record of a valid page, limited to the fields that shaders need.
struct PageRecord {
    orbit_start: u32,
    first_time_bin: u32,
    span: u32,
    samples: u32,
    blocks: u32,
    start: u32,
    end: u32,
    continuation: u32,
    endpoint: u32,
    sector: u32,
    map: u32,
    version: u32,
    continues: bool,
}

// Words of a record.
const RECORD_WORDS = 8u;

// The head of a dense block.
struct BlockHead { links: u32, crossing: u32, sample_bits: u32 }

// The start of the head of a link: its card, a bit for each byte of the mask that is present, and
// the number of bytes before the mask. See pages/page.h.
struct LinkHead { fec: u32, level: u32, before: u32 }

fn low_half(word: u32) -> u32 { return word & 0xffffu; }
fn high_half(word: u32) -> u32 { return word >> 16u; }

// Masks of the `count` lowest bits; none if negative, all if more than a word has.
fn low_bits(count: i32) -> u32 {
    if count <= 0 { return 0u; }
    if count >= 32 { return ~0u; }
    return (1u << u32(count)) - 1u;
}

fn granule_at(byte: u32) -> vec4u { return pages[byte / GRANULE]; }
fn word_at(byte: u32) -> u32 { return pages[byte / GRANULE][byte / 4u % 4u]; }

fn block_head(word: u32, version: u32) -> BlockHead {
    var head = BlockHead(word & 0xfu, low_half(word) >> 4u, 12u);
    if version != 5u { return head; }
    // The lowest bit of the crossing marks short samples; it and the next one are cleared.
    if (head.crossing & 1u) != 0u { head.sample_bits = 10u; }
    head.crossing &= 0xffcu;
    return head;
}

fn link_head(first: u32, second: u32) -> LinkHead {
    if (first & 0x20u) != 0u { return LinkHead(first & 0x1fu, 0x3ffu, 1u); }
    return LinkHead(first & 0x1fu, first >> 6u << 8u | second, 2u);
}

fn bytes_of_head(head: LinkHead) -> u32 { return head.before + countOneBits(head.level); }

fn bytes_of_samples(samples: u32, bits: u32) -> u32 { return (samples * bits + 7u) / 8u; }

// The mask at the end of a head, which starts with these words: it has twelve bytes at most.
fn mask_of(head: LinkHead, words: vec3u) -> vec3u {
    let end = i32(8u * bytes_of_head(head));
    let before = select(0xffffu, 0xffu, head.before == 1u);
    return vec3u(
        words.x & low_bits(end) & ~before,
        words.y & low_bits(end - 32),
        words.z & low_bits(end - 64)
    );
}

#part records
// A page for decoders: its record and its job.
#include "pages.wgsl" page

@group(0) @binding(1) var<storage, read> records: array<vec4u>;

// Its fields have the offsets of PageRecord of pages/page.h.
fn record_at(page: u32) -> PageRecord {
    let first = records[2u * page];
    let second = records[2u * page + 1u];
    var record: PageRecord;
    record.orbit_start = first.x;
    record.first_time_bin = first.y;
    record.span = high_half(first.z);
    record.samples = low_half(first.w);
    record.blocks = high_half(first.w);
    record.start = high_half(second.x);
    record.end = low_half(second.y);
    record.continuation = high_half(second.y);
    record.endpoint = second.z & 0xffu;
    record.sector = second.z >> 8u & 0xffu;
    record.map = second.z >> 16u & 0xffu;
    record.version = second.z >> 24u;
    record.continues = (second.w & 0xffu) != 0u;
    return record;
}

// Number of the page's blocks in the index.
fn pieces_of(page: u32) -> u32 { return low_half(records[2u * page + 1u].x); }

#part charges
// Conversion to charges for a sector and a fragment: see ChargeMaker of pages/target.h.

struct Fragment { first_time_bin: u32, time_bins: u32, entries: u32, scale: f32 }

var<private> fragment: Fragment;

fn column_of(pad: u32) -> u32 { return (pad >> 8u) * ROW_PITCH + (pad & 0xffu) + PAD_MARGIN; }

fn charge_of(gain: f32, adc: u32) -> u32 {
    let charge = f32(adc) * fragment.scale * gain;
    return u32(select(MAX_CHARGE, charge, charge < MAX_CHARGE));
}

const MAX_CHARGE = 16383.0;

fn is_in_fragment(time_bin: u32) -> bool {
    return time_bin - fragment.first_time_bin < fragment.time_bins;
}

// The time in the map.
fn time_in_map(time_bin: u32) -> u32 { return time_bin - fragment.first_time_bin + TIME_MARGIN; }

// A position has the column in its lower half and the time in its upper one.
fn position_of(column: u32, time: u32) -> u32 { return time << 16u | column; }

#part entries
// Charges in maps with two in a word: `entries`, initially zero. Of two samples with the same pad
// and time bin, which damaged and repeated pages can have, one is stored, never a mixture.

fn put_entry(at: u32, charge: u32) {
    let shift = at % 2u * 16u;
    var before = atomicOr(&entries[at / 2u], charge << shift);
    if (before >> shift & 0xffffu) == 0u { return; }
    before = atomicLoad(&entries[at / 2u]);
    for (var is_there = false; !is_there;) {
        let after = (before & ~(0xffffu << shift)) | charge << shift;
        let tried = atomicCompareExchangeWeak(&entries[at / 2u], before, after);
        before = tried.old_value;
        is_there = tried.exchanged;
    }
}

#part sums
// Jobs and samples before those of a thread, and the total of the workgroup.
#include "block_scan.wgsl"

var<private> all_sums: vec2u;

fn exclusive_sums(own: vec2u) -> vec2u {
    let jobs = block_exclusive_sum(own.x);
    all_sums.x = block_total;
    workgroupBarrier();
    let samples = block_exclusive_sum(own.y);
    all_sums.y = block_total;
    workgroupBarrier();
    return vec2u(jobs, samples);
}

#part tile
// The pages of a tile of a fragment: see place.cu. In the shaders that count and that list them,
// the first bindings are extents and fragments.
#include "block_scan.wgsl"

@group(0) @binding(0) var<storage, read> extents: array<vec2u>;
// First time bin, time bins, and two words that are not needed here.
@group(0) @binding(1) var<storage, read> fragments: array<vec4u>;

var<private> first_page: u32;
var<private> fragment: vec4u;

fn enter_tile() {
    first_page = block % arguments.tiles * TILE + thread * PAGES_EACH;
    fragment = fragments[block / arguments.tiles];
}

// Samples of this thread's page that the fragment needs.
fn samples_of(i: u32) -> u32 {
    if first_page + i >= arguments.pages { return 0u; }
    let extent = extents[first_page + i];
    let end = extent.x + (extent.y >> 16u);
    let touches = extent.x < fragment.x + fragment.y && end > fragment.x;
    return select(0u, extent.y & 0xffffu, touches);
}

// Jobs and samples of this thread's pages.
fn own_sums() -> vec2u {
    var own = vec2u(0u);
    for (var i = 0u; i < PAGES_EACH; i++) {
        let samples = samples_of(i);
        own += vec2u(select(0u, 1u, samples > 0u), samples);
    }
    return own;
}
