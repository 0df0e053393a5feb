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
