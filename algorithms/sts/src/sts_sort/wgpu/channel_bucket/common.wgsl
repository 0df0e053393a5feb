// Code shared by the steps of channel-bucket: see channel_bucket/sorting.h. With little workgroup
// memory, fewer digis are sorted at once.

// Buckets of a region at most: all channels.
const BUCKETS = CHANNELS;
// Digis that are sorted at once; the launcher assumes this value. Each takes 11.2 bytes.
const CAPACITY = 2048u * min(2u, max(1u, WORKGROUP_BYTES / 24576u));
// Few blocks with so much memory fit at once, so they have many threads.
const THREADS = min(CAPACITY / 4u, MAX_THREADS);
const SORTED_ITEMS = CAPACITY / THREADS;

// Bits of a digi that determine its bucket.
fn digit_at(digi: vec2u, shift: u32, bits: u32) -> u32 {
    return shifted_right(digi, shift).x & ((1u << bits) - 1u);
}

#part extent
// The first and the last time of some digis.
var<private> first_seen: u32 = ~0u;
var<private> last_seen: u32;

fn see(digi: vec2u) {
    first_seen = min(first_seen, digi_time(digi));
    last_seen = max(last_seen, digi_time(digi));
}
