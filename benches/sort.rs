//! Every CPU sort at small sizes, on one thread.

use benches::cpu_variants;
use criterion::{Criterion, criterion_group, criterion_main};
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const DIGIS: [&str; 3] = ["1000", "30000", "1000000"];

fn variants(criterion: &mut Criterion) {
    for digis in DIGIS {
        let params = [("segments", "24"), ("digis", digis)].into_iter().collect();
        cpu_variants(criterion, "sort", "sort", params, digis);
    }
}

criterion_group!(benches, variants);
criterion_main!(benches);
