// What the steps of time-bins have in common: see time_bins/common.h. With little workgroup memory,
// fewer entries are sorted at once; larger sides are large.

// Entries of a block; the launcher reckons with as many.
const FEW = 2048u;
// Few blocks with so much memory find room at once, so they have many threads.
const THREADS = min(FEW / 4u, MOST_THREADS);
const ITEMS = FEW / THREADS;
const LEAST_STEP = FEW / 2u;

// A part of the clusters of a side, as the host lists them.
struct Part { side: u32, first: u32 }

// No two entries are the same.
fn is_earlier(left: Entry, right: Entry) -> bool {
    return left.time < right.time || (left.time == right.time && left.index < right.index);
}
