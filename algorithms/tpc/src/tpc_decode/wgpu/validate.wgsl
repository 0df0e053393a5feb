#part validate_dense_link
// The headers of a dense link page: see validate/pages.h.
#include "pages.wgsl" page

const RDH_VERSION_AND_SIZE = 7u | RDH_BYTES << 8u;
const DENSE_LINK_ID = 22u;
const SIZE_UNIT = 32u;

// A page with its record, and the fields that are checked against the previous page.
var<private> record: PageRecord;
var<private> page_counter: u32;
var<private> time_offset: u32;

fn sector_of(stream: u32) -> u32 { return stream & 0xffu; }
fn endpoint_of(stream: u32) -> u32 { return stream >> 8u & 0xffu; }
fn map_of(stream: u32) -> u32 { return stream >> 16u & 0xffu; }
fn ends_stream(stream: u32) -> bool { return stream >> 24u != 0u; }
fn cru_of(stream: u32) -> u32 { return 10u * sector_of(stream) + endpoint_of(stream) / 2u; }

// Reads the headers of the page at `page`, and sets its record.
fn open_page(page: u32, stream: u32) -> u32 {
    let rdh = granule_at(page);
    let used = high_half(rdh.z);
    if low_half(rdh.x) != RDH_VERSION_AND_SIZE || used < RDH_BYTES || used > PAGE_BYTES { return DAMAGED; }
    if used == RDH_BYTES { return EMPTY; }
    let link = rdh.w & 0xffu;
    let sender = cru_of(stream) << 7u | (endpoint_of(stream) & 1u) << 6u | DENSE_LINK_ID;
    let orbit = word_at(page + 20u);
    let is_rdh_sound = word_at(page + 48u) == ZS_DETECTOR_FIELD && high_half(rdh.x) == sender
        && link == DENSE_LINK_ID && orbit - arguments.first_orbit < arguments.orbits
        && used >= RDH_BYTES + HEADER_BYTES && used % SIZE_UNIT == 0u;
    if !is_rdh_sound { return DAMAGED; }
    let header = granule_at(page + used - HEADER_BYTES);
    let flags = header.w & 0xffu;
    time_offset = low_half(header.y);
    let is_header_sound = (header.x & 0xffu) == arguments.version && header.w >> 24u == HEADER_MAGIC
        && high_half(header.x) == cru_of(stream) && time_offset < BC_PER_ORBIT
        && (flags & ~KNOWN_FLAGS) == 0u;
    if !is_header_sound { return DAMAGED; }
    page_counter = low_half(word_at(page + 36u));
    record.orbit_start = (orbit - arguments.first_orbit) * BC_PER_ORBIT;
    record.first_time_bin = (record.orbit_start + time_offset) / BC_PER_TIME_BIN;
    record.span = (header.x >> 8u & 0xffu) + select(0u, 256u, (flags & FLAG_LONG_SPAN) != 0u);
    record.samples = high_half(header.y);
    record.blocks = high_half(header.z);
    record.start = low_half(header.z);
    record.end = used - HEADER_BYTES - select(0u, TRIGGER_WORD_BYTES, (flags & FLAG_TRIGGER_WORD) != 0u);
    record.continuation = 0u;
    record.endpoint = endpoint_of(stream);
    record.sector = sector_of(stream);
    record.map = map_of(stream);
    record.version = arguments.version;
    record.continues = (flags & FLAG_CONTINUES) != 0u;
    return select(DAMAGED, SOUND, is_extent_sound(used));
}

// The end of the time bins that the page announces.
fn end_of_time_bins() -> u32 { return record.first_time_bin + record.span + 1u; }

fn is_extent_sound(used: u32) -> bool {
    let last_of_orbit = (record.orbit_start + BC_PER_ORBIT - 1u) / BC_PER_TIME_BIN;
    return record.start <= record.end && record.start >= RDH_BYTES
        && end_of_time_bins() <= last_of_orbit + 1u
        && !(record.continues && (record.blocks == 0u || used != PAGE_BYTES));
}

// Reads the headers of a page, and those of the next one if the last block continues there.
fn open_in_stream(page: u32, stream: u32) -> u32 {
    let verdict = open_page(page, stream);
    if verdict != SOUND || !record.continues { return verdict; }
    if ends_stream(stream) { return DAMAGED; }
    let own = record;
    let own_counter = page_counter;
    let own_offset = time_offset;
    let next = open_page(page + PAGE_BYTES, stream);
    let follows = page_counter == ((own_counter + 1u) & 0xffffu)
        && record.orbit_start == own.orbit_start;
    let continuation = record.start - RDH_BYTES;
    record = own;
    time_offset = own_offset;
    if next != SOUND { return DAMAGED; }
    record.continuation = continuation;
    return select(DAMAGED, SOUND, follows);
}

// Accepts or rejects dense link pages: see validate.cu. A team of four lanes walks through a page;
// see validate/dense_link.h for its steps, and validate/window.h for its window of the page.
//
// Workgroup memory: a window for each team, 4.3 KiB. More would leave fewer teams resident.

struct Arguments {
    blocks: u32,
    count: u32,
    version: u32,
    first_orbit: u32,
    orbits: u32,
    stride: u32,
}
var<immediate> arguments: Arguments;
@group(0) @binding(1) var<storage, read> streams: array<u32>;
@group(0) @binding(2) var<storage, read> geometry: array<u32>;
@group(0) @binding(3) var<storage, read_write> records: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> extents: array<vec2u>;
// Four in a word.
@group(0) @binding(5) var<storage, read_write> verdicts: array<atomic<u32>>;
// Position and first sample of a block, a half each.
@group(0) @binding(6) var<storage, read_write> index: array<u32>;

// Needs warp barriers: lanes of a warp load windows for each other.
const WAITS_FOR_WARPS = true;
const THREADS = max(64u, SUBGROUP_LANES);
const TEAMS_OF_WARP = LANES / TEAM;
const WINDOW = 256u;
const GRANULES = WINDOW / GRANULE;
// One granule of padding, so that teams at the same offset don't use the same banks.
const SLOT = GRANULES + 1u;
const MAX_HEAD = 12u;
// The block head and all link heads.
const REACH = 2u + MAX_FECS_IN_HALF * MAX_HEAD + 4u;
// Links of a lane.
const LINKS_EACH = (MAX_FECS_IN_HALF + TEAM - 1u) / TEAM;
// Counters of lanes: cards from this bit on, a bit each, and channels below.
const CARDS_SHIFT = 16u;

var<workgroup> slots: array<vec4u, THREADS / TEAM * SLOT>;

// Position of a team in its page: uniform for all its lanes.
var<private> position: u32;
var<private> samples: u32;
var<private> blocks_begun: u32;
var<private> pieces: u32;
var<private> is_walking: bool;
var<private> is_sound: bool;
var<private> first_fec: u32;
var<private> cards: u32;
// The first time bin that the next block may have.
var<private> free_time_bin: u32;
var<private> window_start: u32;
var<private> window_end: u32;
var<private> own_page: u32;

fn rank_in_team() -> u32 { return lane % TEAM; }

fn team_sum(value: u32) -> u32 {
    let pair = value + subgroupShuffleXor(value, 1u);
    return pair + subgroupShuffleXor(pair, 2u);
}

fn joined_end() -> u32 { return record.end + record.continuation; }

fn window_word(byte: u32) -> u32 {
    return slots[thread / TEAM * SLOT + byte / GRANULE][byte / 4u % 4u];
}

// Four bytes from any offset of the page on.
fn word_in_window(offset: u32) -> u32 {
    let byte = offset - window_start;
    let shift = byte % 4u * 8u;
    if shift == 0u { return window_word(byte); }
    return window_word(byte) >> shift | window_word(byte + 4u) << (32u - shift);
}

fn head_in_window(offset: u32) -> LinkHead {
    let word = word_in_window(offset);
    return link_head(word & 0xffu, word >> 8u & 0xffu);
}

// Loads a window for each team of the warp that has none. Beyond the end, the last granule is
// repeated: a walk that reads it is past the end, and stops.
fn load_windows(is_wanting: bool) {
    let own_ends = record.end / GRANULE | (joined_end() + GRANULE - 1u) / GRANULE << 16u;
    for (var team = 0u; team < TEAMS_OF_WARP; team++) {
        let first = shuffled(position / GRANULE, team * TEAM);
        let ends = shuffled(own_ends, team * TEAM);
        let page = shuffled(own_page, team * TEAM);
        if shuffled(select(0u, 1u, is_wanting), team * TEAM) == 0u { continue; }
        for (var granule = lane; granule < GRANULES; granule += LANES) {
            let wanted = min(first + granule, high_half(ends) - 1u);
            var byte = wanted * GRANULE;
            if wanted >= low_half(ends) { byte += PAGE_BYTES + RDH_BYTES - low_half(ends) * GRANULE; }
            slots[(warp * TEAMS_OF_WARP + team) * SLOT + granule] = granule_at(page * PAGE_BYTES + byte);
        }
    }
    warp_barrier();
    if is_wanting {
        window_start = position / GRANULE * GRANULE;
        window_end = window_start + WINDOW;
    }
}

// Finds the links of a block, of which this lane keeps its share. Returns the position of samples.
fn find_links(first: u32, links: u32, own: ptr<function, array<u32, LINKS_EACH>>) -> u32 {
    var offset = first;
    for (var i = 0u; i < MAX_FECS_IN_HALF; i++) {
        if i % TEAM == rank_in_team() { (*own)[i / TEAM] = offset; }
        if i < links { offset += bytes_of_head(head_in_window(offset)); }
    }
    return offset;
}

// The channels and cards of this lane's links.
fn count_links(links: u32, own: ptr<function, array<u32, LINKS_EACH>>) -> u32 {
    var counted = 0u;
    for (var i = 0u; i < LINKS_EACH; i++) {
        if i * TEAM + rank_in_team() >= links { continue; }
        let offset = (*own)[i];
        let words = vec3u(word_in_window(offset), word_in_window(offset + 4u), word_in_window(offset + 8u));
        let head = link_head(words.x & 0xffu, words.x >> 8u & 0xffu);
        let mask = countOneBits(mask_of(head, words));
        let card = head.fec - first_fec;
        counted += mask.x + mask.y + mask.z;
        if card < cards { counted += 1u << (CARDS_SHIFT + card); }
    }
    return counted;
}

// Goes over a block, if `steps` is true for this team.
fn step(steps: bool) {
    let start = select(window_start, position, steps);
    let head = block_head(word_in_window(start), record.version);
    let time_bin = (record.orbit_start + head.crossing) / BC_PER_TIME_BIN;
    // More links than an endpoint has cards are damage, and may exceed the window.
    let may_be = steps && head.links <= cards && head.crossing < BC_PER_ORBIT
        && time_bin >= free_time_bin && time_bin <= record.first_time_bin + record.span;
    let links = select(0u, head.links, may_be);
    var own: array<u32, LINKS_EACH>;
    let packed = find_links(start + 2u, links, &own);
    let counted = team_sum(count_links(links, &own));
    if !steps { return; }
    // All links have different cards of this endpoint if there is a bit for each.
    if !may_be || countOneBits(counted >> CARDS_SHIFT) != links {
        is_walking = false;
        return;
    }
    free_time_bin = time_bin + 1u;
    end_block(packed, counted & 0xffffu, head.sample_bits);
}

// Only the last block may continue in the next page.
fn end_block(packed: u32, channels: u32, sample_bits: u32) {
    blocks_begun++;
    let start = position;
    position = packed + bytes_of_samples(channels, sample_bits);
    let is_last = blocks_begun == record.blocks;
    if position > select(record.end, joined_end(), is_last) {
        is_walking = false;
        return;
    }
    if channels > 0u { add_piece(start); }
    samples += channels;
    if is_last { end_page(); }
}

fn add_piece(start: u32) {
    if rank_in_team() == 0u && arguments.stride > 0u {
        index[own_page * arguments.stride + pieces] = start | samples << 16u;
    }
    pieces++;
}

fn end_page() {
    // A page fills up its last words with at most this number of bytes.
    let most = select(MAX_PADDING, 0u, record.continues);
    is_walking = false;
    is_sound = joined_end() - position <= most && samples == record.samples;
}

fn walk() {
    let endpoint = geometry[record.endpoint];
    first_fec = endpoint >> 16u & 0xffu;
    cards = (endpoint >> 24u) - first_fec;
    free_time_bin = record.first_time_bin;
    position = record.start;
    if is_walking && record.blocks == 0u { end_page(); }
    for (var granule = rank_in_team(); granule < SLOT; granule += TEAM) {
        slots[thread / TEAM * SLOT + granule] = vec4u(0u);
    }
    warp_barrier();
    while !is_none(votes(is_walking)) {
        let is_wanting = is_walking && position + REACH > window_end;
        if !is_none(votes(is_wanting)) { load_windows(is_wanting); }
        step(is_walking);
        // All lanes have finished with their windows before these are replaced.
        warp_barrier();
    }
}

fn write_record(page: u32) {
    records[2u * page] = vec4u(
        record.orbit_start,
        record.first_time_bin,
        time_offset | record.span << 16u,
        record.samples | record.blocks << 16u
    );
    records[2u * page + 1u] = vec4u(
        pieces | record.start << 16u,
        record.end | record.continuation << 16u,
        record.endpoint | record.sector << 8u | record.map << 16u | record.version << 24u,
        select(0u, 1u, record.continues)
    );
}

@compute @workgroup_size(THREADS)
fn validate_dense_link(invocation: InWarp) {
    enter_lanes(invocation);
    if block >= arguments.blocks { return; }
    let page = block * (THREADS / TEAM) + thread / TEAM;
    own_page = min(page, arguments.count - 1u);
    var verdict = EMPTY;
    if page < arguments.count { verdict = open_in_stream(page * PAGE_BYTES, streams[page]); }
    is_walking = verdict == SOUND;
    walk();
    if page >= arguments.count || rank_in_team() > 0u { return; }
    if verdict == SOUND && !is_sound { verdict = DAMAGED; }
    write_record(page);
    // Time bins of pages whose samples are needed; see place.cu.
    let time_bins = end_of_time_bins() - record.first_time_bin;
    let wanted = select(0u, record.samples, verdict == SOUND);
    extents[page] = vec2u(record.first_time_bin, time_bins << 16u | wanted);
    let shift = page % 4u * 8u;
    atomicAnd(&verdicts[page / 4u], ~(0xffu << shift));
    atomicOr(&verdicts[page / 4u], verdict << shift);
}
