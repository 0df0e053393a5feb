//! Replays small valid inputs of all targets and mutations of them for a few seconds: a short form of
//! the nightly fuzzing.

mod data;
mod mutate;
mod runs;
mod texts;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use fuzz_readers::{TARGETS, Target};
use mutate::Mutator;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Mutations of each entry of a corpus.
const MUTATIONS: usize = 1000;
/// The slowest target by far: it parses a whole command line each time.
const SLOW: &str = "defaults";
const THREADS: usize = 2;

/// Name of a target, and its entries by their names.
type Corpus = (&'static str, Vec<(&'static str, Vec<u8>)>);

/// Makes the corpora: small valid inputs of all targets, each in the order of the entries' names.
fn corpora() -> BTreeMap<&'static str, Vec<Vec<u8>>> {
    let all = [data::corpora(), runs::corpora(), texts::corpora()].concat();
    let sorted = |(target, mut entries): Corpus| {
        entries.sort();
        (target, entries.into_iter().map(|(_, entry)| entry).collect())
    };
    all.into_iter().map(sorted).collect()
}

#[test]
fn corpora_are_accepted() {
    let corpora = corpora();
    for target in &TARGETS {
        for (index, entry) in corpora[target.name].iter().enumerate() {
            assert!(target.run(entry), "{}, entry {index}", target.name);
        }
    }
}

#[test]
fn mutations_are_read_or_refused() {
    let corpora = corpora();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let targets = TARGETS.iter().skip(thread).step_by(THREADS);
            scope.spawn(|| targets.for_each(|target| mutations_are_read(target, &corpora)));
        }
    });
}

fn mutations_are_read(target: &Target, corpora: &BTreeMap<&str, Vec<Vec<u8>>>) {
    let entries = &corpora[target.name];
    let mutations = if target.name == SLOW { MUTATIONS / 10 } else { MUTATIONS };
    let mut mutator = Mutator::new(entries, Xoshiro256PlusPlus::seed_from_u64(1));
    let mut accepted = 0;
    for entry in entries {
        for _ in 0..mutations {
            accepted += usize::from(target.run(&mutator.mutated(entry)));
        }
    }
    assert!(accepted > 0, "{}: every mutation is refused", target.name);
    assert!(accepted < mutations * entries.len(), "{}: none is refused", target.name);
}

#[test]
fn every_target_has_a_binary() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("the manifest of the fuzz targets");
    let binaries = manifest.lines().filter_map(|line| line.strip_prefix("    { name = \""));
    let mut binaries: Vec<_> = binaries.filter_map(|rest| rest.split('"').next()).collect();
    let mut targets = TARGETS.each_ref().map(|target| target.name);
    binaries.sort_unstable();
    targets.sort_unstable();
    assert_eq!(binaries, targets);
}

/// Written before they are fuzzed (`scripts/fuzz.sh`): libFuzzer starts from files.
#[test]
#[ignore = "writes the corpora"]
fn corpora_are_written() {
    for (target, entries) in corpora() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(target);
        fs::create_dir_all(&folder).expect("a folder");
        for (index, entry) in entries.iter().enumerate() {
            fs::write(folder.join(index.to_string()), entry).expect("written");
        }
    }
}
