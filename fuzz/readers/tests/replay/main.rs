//! Replays the corpora and mutations of them for a few seconds: a short form of the nightly
//! fuzzing.

mod corpora;
mod mutate;

use std::fs;
use std::path::{Path, PathBuf};
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

/// The folder with the corpus of a target.
fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(target)
}

/// The entries of a corpus, in the order of their names.
fn entries(target: &str) -> Vec<Vec<u8>> {
    let files = fs::read_dir(corpus(target)).expect("a corpus");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).expect("readable")).collect()
}

#[test]
fn corpora_are_accepted() {
    for target in &TARGETS {
        let entries = entries(target.name);
        assert!(!entries.is_empty(), "{}", target.name);
        for (index, entry) in entries.iter().enumerate() {
            assert!(target.run(entry), "{}, entry {index}", target.name);
        }
    }
}

#[test]
fn mutations_are_read_or_refused() {
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let targets = TARGETS.iter().skip(thread).step_by(THREADS);
            scope.spawn(|| targets.for_each(mutations_are_read));
        }
    });
}

fn mutations_are_read(target: &Target) {
    let entries = entries(target.name);
    let mutations = if target.name == SLOW { MUTATIONS / 10 } else { MUTATIONS };
    let mut mutator = Mutator::new(&entries, Xoshiro256PlusPlus::seed_from_u64(1));
    let mut accepted = 0;
    for entry in &entries {
        for _ in 0..mutations {
            accepted += usize::from(target.run(&mutator.mutated(entry)));
        }
    }
    assert!(accepted > 0, "{}: every mutation is refused", target.name);
    assert!(accepted < mutations * entries.len(), "{}: none is refused", target.name);
}

#[test]
#[ignore = "writes the corpora"]
fn corpora_are_written() {
    for (target, entries) in corpora::made() {
        let folder = corpus(target);
        fs::create_dir_all(&folder).expect("made");
        for (name, entry) in entries {
            fs::write(folder.join(name), entry).expect("written");
        }
    }
}
