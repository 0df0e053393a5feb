// What the steps of time-bins have in common: see time_bins/common.h. With little workgroup memory,
// fewer entries are sorted at once, and by fewer threads; larger sides are large.

const THREADS = 256u;
const ITEMS = 8u;
// Entries of a block; the launcher reckons with as many.
const FEW = ITEMS * THREADS;
const LEAST_STEP = FEW / 2u;

// A part of the clusters of a side, as the host lists them.
struct Part { side: u32, first: u32 }

// No two entries are the same.
fn is_earlier(left: Entry, right: Entry) -> bool {
    return left.time < right.time || (left.time == right.time && left.index < right.index);
}
