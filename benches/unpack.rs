//! Every CPU variant that unpacks raw data of the STS, in long microslices and in short ones, and
//! those of the chain from raw data, on one thread.

use benches::cpu_variants;
use criterion::{Criterion, criterion_group, criterion_main};
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const MCBM: [(&str, &str); 2] = [("preset", "mcbm-2024"), ("scale", "0.01")];
/// Lengths of microslices in ns.
const MICROSLICES: [&str; 3] = ["10000", "100000", "1280000"];

fn unpack(criterion: &mut Criterion) {
    for microslice in MICROSLICES {
        let params = MCBM.into_iter().chain([("microslice", microslice)]).collect();
        cpu_variants(criterion, "unpack", "unpack", params, microslice);
    }
}

fn chain(criterion: &mut Criterion) {
    let params = MCBM.into_iter().chain([("from", "raw")]).collect();
    cpu_variants(criterion, "sts-from-raw", "sts", params, "mcbm-2024");
}

criterion_group!(benches, unpack, chain);
criterion_main!(benches);
