//! Clusters and hits that the experiment's own code found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use algorithms::sts::reference::{self, offline};
use algorithms::sts::rules::{Exact, Published};
use algorithms::sts::{Cluster, Hit, Timeslice};
use generators::io::{read_digis, read_setup};

use crate::columns::{read_clusters, read_hits};

fn fixture(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/sts/fixtures");
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not here", path.display());
    None
}

fn timeslice() -> Option<Timeslice> {
    let digis = read_digis(&fixture("full.digis.bin.gz")?).expect("digis");
    let setup = read_setup(&fixture("full.params.json")?).expect("a setup");
    Some(Timeslice::new(digis, Arc::new(setup)))
}

#[test]
fn the_published_reference_finds_their_clusters_to_the_last_bit() {
    let Some(Timeslice { digis, setup }) = timeslice() else {
        return;
    };
    let Some(path) = fixture("full.clusters.bin.gz") else {
        return;
    };
    let expected = read_clusters(&path);
    let found = reference::clusters::<Published>(&digis, &setup);
    assert_eq!(found.items().len(), 171_104);
    for side in 0..expected.segments() {
        let mut expected = expected.segment(side).to_vec();
        expected.sort_by_key(Cluster::order);
        let pairs = expected.iter().zip(found.segment(side));
        for (place, (expected, found)) in pairs.enumerate() {
            assert_eq!(
                expected.order(),
                found.order(),
                "side {side}, {place}: {expected:?} {found:?}"
            );
        }
        assert_eq!(expected.len(), found.segment(side).len());
    }
}

#[test]
fn the_published_reference_finds_their_hits_to_the_last_bit() {
    let Some(Timeslice { digis, setup }) = timeslice() else {
        return;
    };
    let Some(path) = fixture("full.hits.bin.gz") else {
        return;
    };
    let expected = read_hits(&path);
    let clusters = reference::clusters::<Published>(&digis, &setup);
    let found = reference::hits::<Published>(&clusters, &setup);
    assert_eq!(found.items().len(), 137_666);
    for module in 0..expected.segments() {
        let mut expected = expected.segment(module).to_vec();
        expected.sort_by_key(Hit::order);
        let pairs = expected.iter().zip(found.segment(module));
        for (place, (expected, found)) in pairs.enumerate() {
            assert_eq!(
                expected.order(),
                found.order(),
                "module {module}, {place}: {expected:?} {found:?}"
            );
        }
        assert_eq!(expected.len(), found.segment(module).len());
    }
}

/// With dead time and early in a timeslice, the three differ by little.
#[test]
fn other_semantics_differ_by_as_much_as_is_known() {
    let Some(Timeslice { digis, setup }) = timeslice() else {
        return;
    };
    let published = reference::clusters::<Published>(&digis, &setup);
    let exact = reference::clusters::<Exact>(&digis, &setup);
    let same = published.items().iter().zip(exact.items());
    let same = same.filter(|(a, b)| a.order() == b.order()).count();
    assert_eq!(exact.items().len(), published.items().len());
    eprintln!("{same} clusters the same");
    let exact_hits = reference::hits::<Exact>(&exact, &setup).items().len();
    eprintln!("exact hits {exact_hits}");
    let offline = offline::clusters(&digis, &setup);
    let hits = offline::hits(&offline, &setup).items().len();
    eprintln!("offline {} {hits}", offline.items().len());
}
