// The segment of a position: see formulas/records.h. `segment_offsets` has the offset of each, and
// the end of the last one.

fn segment_of(segments: u32, position: u32) -> u32 { return segment_among(0u, segments, position); }

// Binary search among `segments` segments from the first on.
fn segment_among(first: u32, segments: u32, position: u32) -> u32 {
    var low = first;
    var high = first + segments;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if segment_offsets[middle] <= position { low = middle; } else { high = middle; }
    }
    return low;
}

// Segment of a position, found by walking from segment to segment.
fn segment_by_walk(position: u32) -> u32 {
    var next = 1u;
    while segment_offsets[next] <= position { next++; }
    return next - 1u;
}
