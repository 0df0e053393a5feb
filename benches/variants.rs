//! Every CPU variant of the tasks at small sizes, on one thread.

use benches::cpu_variants;
use criterion::{Criterion, criterion_group, criterion_main};
use generators_lhcb::BankKind;
use generators_tpc::ZsFormat;

const DIGIS: [&str; 3] = ["1000", "30000", "1000000"];
const MCBM: [(&str, &str); 2] = [("preset", "mcbm-2024"), ("scale", "0.01")];
/// Lengths of microslices in ns.
const MICROSLICES: [&str; 3] = ["10000", "100000", "1280000"];
const OUTPUTS: [&str; 2] = ["digits", "charge-map"];
const CLUSTER_TASKS: [&str; 2] = ["cluster-finder", "tpc"];
const VELO_TASKS: [&str; 2] = ["velo", "velo-tracks"];
const VELO_STAGES: [&str; 3] = ["velo-cluster", "velo-decode", "velo-sort"];
const VELO_EVENTS: [(&str, &str); 2] = [("events", "100"), ("batch", "100")];
const OCCUPANCIES: [&str; 2] = ["0.01", "0.07"];

fn sort(criterion: &mut Criterion) {
    for digis in DIGIS {
        let params = [("segments", "24"), ("digis", digis)].into_iter().collect();
        cpu_variants(criterion, "sort", "sort", params, digis);
    }
}

/// Unpacking raw data of the STS, in long microslices and in short ones.
fn unpack(criterion: &mut Criterion) {
    for microslice in MICROSLICES {
        let params = MCBM.into_iter().chain([("microslice", microslice)]).collect();
        cpu_variants(criterion, "unpack", "unpack", params, microslice);
    }
}

/// The chain of the STS from raw data.
fn chain(criterion: &mut Criterion) {
    let params = MCBM.into_iter().chain([("from", "raw")]).collect();
    cpu_variants(criterion, "sts-from-raw", "sts", params, "mcbm-2024");
}

/// Decoding a sector of each format.
fn decode(criterion: &mut Criterion) {
    for output in OUTPUTS {
        for format in ZsFormat::ALL {
            let zs = format.name();
            let params = [("zs", zs), ("sectors", "1"), ("orbits", "1"), ("output", output)];
            let params = params.into_iter().collect();
            cpu_variants(criterion, &format!("decode-{output}"), "decode", params, zs);
        }
    }
}

/// Finding clusters of the TPC, in charges and in pages of a sector.
fn clusters(criterion: &mut Criterion) {
    for task in CLUSTER_TASKS {
        for occupancy in OCCUPANCIES {
            let params = [("sectors", "1"), ("orbits", "1"), ("occupancy", occupancy)];
            cpu_variants(criterion, task, task, params.into_iter().collect(), occupancy);
        }
    }
}

/// The VELO: the chain and the search in either kind of banks, and the stages that take one kind.
fn velo(criterion: &mut Criterion) {
    for task in VELO_TASKS {
        for kind in BankKind::ALL {
            let banks = kind.name();
            let params = VELO_EVENTS.into_iter().chain([("banks", banks)]).collect();
            cpu_variants(criterion, task, task, params, banks);
        }
    }
    for task in VELO_STAGES {
        cpu_variants(criterion, task, task, VELO_EVENTS.into_iter().collect(), "minbias");
    }
}

criterion_group!(benches, sort, unpack, chain, decode, clusters, velo);
criterion_main!(benches);
