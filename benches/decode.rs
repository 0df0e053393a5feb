//! Every CPU variant of `decode` on a sector of each format, on one thread.

use benches::cpu_variants;
use criterion::{Criterion, criterion_group, criterion_main};
use generators::tpc::ZsFormat;
use harness::platform::LabAllocator;

#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

const OUTPUTS: [&str; 2] = ["digits", "charge-map"];

fn variants(criterion: &mut Criterion) {
    for output in OUTPUTS {
        for format in ZsFormat::ALL {
            let zs = format.name();
            let params = [("zs", zs), ("sectors", "1"), ("orbits", "1"), ("output", output)];
            let params = params.into_iter().collect();
            cpu_variants(criterion, &format!("decode-{output}"), "decode", params, zs);
        }
    }
}

criterion_group!(benches, variants);
criterion_main!(benches);
