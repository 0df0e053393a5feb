// The segment that a position lies in: see formulas/sides.h. `begins` says where each begins, and
// where the last one ends.

fn segment_of(segments: u32, position: u32) -> u32 { return segment_among(0u, segments, position); }

// One of so many from the first on.
fn segment_among(first: u32, segments: u32, position: u32) -> u32 {
    var low = first;
    var high = first + segments;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if begins[middle] <= position { low = middle; } else { high = middle; }
    }
    return low;
}

// The same by going from segment to segment.
fn segment_by_walk(position: u32) -> u32 {
    var next = 1u;
    while begins[next] <= position { next++; }
    return next - 1u;
}
