// Results of sides while they are counted: see formulas/records.h. It needs `found`.

struct Counted { clusters: atomic<u32>, latest_error: atomic<u32> }

// Errors are seldom larger than the current maximum: only these take an atomic.
fn raise_error(side: u32, error: f32) {
    let bits = bitcast<u32>(error);
    if atomicLoad(&found[side].latest_error) < bits { atomicMax(&found[side].latest_error, bits); }
}
