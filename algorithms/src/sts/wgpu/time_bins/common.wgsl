// Code shared by the steps of time-bins: see time_bins/sorting.h. With little workgroup memory,
// fewer entries are sorted at once; more sides count as large.

// Entries of a block; the launcher assumes this value.
const FEW = 2048u;
// Few blocks with so much memory fit at once, so they have many threads.
const THREADS = min(FEW / 4u, MAX_THREADS);
const ITEMS = FEW / THREADS;
const MIN_STEP = FEW / 2u;

// A part of the clusters of a side, as the host lists them.
struct Part { side: u32, first: u32 }

// No two entries are equal.
fn is_earlier(left: Entry, right: Entry) -> bool {
    return left.time < right.time || (left.time == right.time && left.index < right.index);
}
