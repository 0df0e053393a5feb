//! Every CPU variant that finds clusters of the TPC, in charges and in pages of a sector, on one
//! thread.

use benches::cpu_variants;
use criterion::{Criterion, criterion_group, criterion_main};
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const TASKS: [&str; 2] = ["cluster-finder", "tpc"];
const OCCUPANCIES: [&str; 2] = ["0.01", "0.07"];

fn variants(criterion: &mut Criterion) {
    for task in TASKS {
        for occupancy in OCCUPANCIES {
            let params = [("sectors", "1"), ("orbits", "1"), ("occupancy", occupancy)];
            cpu_variants(criterion, task, task, params.into_iter().collect(), occupancy);
        }
    }
}

criterion_group!(benches, variants);
criterion_main!(benches);
