// Counts of microslices: see pieces.h. It needs `counts`.

fn add_counts(job: u32) {
    if lane > 0u { return; }
    for (var i = 0u; i < COUNTS; i++) {
        if found[i] > 0u { atomicAdd(&counts[job * COUNTS + i], found[i]); }
    }
}
