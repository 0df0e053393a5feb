//! Expected results of cases.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use algorithms_lhcb::velo::model::Hit;
use flate2::read::GzDecoder;
use generators_lhcb::Events;
use generators_lhcb::io::cases;

/// Expected results of a case.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub name: String,
    /// First slot, slots and hits of pairs of modules that have slots.
    pub pairs: BTreeMap<usize, [u32; 3]>,
    pub candidates: Vec<u32>,
    /// Slots in order of creation of the hits after the sort.
    pub created: BTreeMap<usize, Vec<u32>>,
    pub hits: Vec<Hit>,
    pub search: Search,
    pub has_duplicates: bool,
    /// True if the experiment needed a larger buffer for it.
    pub exceeds_capacity: bool,
}

/// Expected results of the search, by the scalar rule where it differs.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub totals: [usize; 3],
    /// Triplets that were queued.
    pub seeds: Vec<[u32; 3]>,
    /// All other entries of the queue: their words, and how many seeds came before.
    pub entries: Vec<u32>,
    pub long: Vec<Vec<u32>>,
    pub weak: Vec<[u32; 3]>,
    pub three_hit: Vec<[u32; 3]>,
    pub used: Vec<u32>,
    pub hash: u64,
}

/// A file of fixtures; `None` with a remark if there are none.
pub fn fixture(name: &str) -> Option<PathBuf> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/lhcb/fixtures").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no {name} in ../shared");
    None
}

/// The events of a file with their expected results.
pub fn load(name: &str) -> Option<(Events, Vec<Expected>)> {
    let path = fixture(name)?;
    let events = cases::read(&path).expect("events");
    assert_eq!(events.defects, Vec::<String>::new());
    let file = BufReader::new(GzDecoder::new(File::open(&path).expect("opened")));
    let mut all = Vec::new();
    let mut case = Expected::default();
    for line in file.lines() {
        let line = line.expect("text");
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        match words[0] {
            "case" => case = Expected { name: words[1].to_owned(), ..Expected::default() },
            "end" => all.push(std::mem::take(&mut case)),
            record => case.take(record, &words[1..]),
        }
    }
    assert_eq!(all.len(), events.len());
    Some((events, all))
}

fn decimal<T: std::str::FromStr<Err: std::fmt::Debug>>(word: &&str) -> T {
    word.parse().expect("number")
}

fn hex(word: &&str) -> u32 {
    u32::from_str_radix(word, 16).expect("hexadecimal")
}

fn triplet(words: &[&str]) -> [u32; 3] {
    let slots: Vec<_> = words.iter().map(decimal).collect();
    slots.try_into().expect("three hits")
}

impl Expected {
    fn take(&mut self, record: &str, words: &[&str]) {
        let search = &mut self.search;
        match record {
            "m" => {
                let range = [decimal(&words[1]), decimal(&words[2]), decimal(&words[3])];
                self.pairs.insert(decimal(&words[0]), range);
            }
            "e" => self.candidates.extend(words.iter().map(hex)),
            "p" => {
                self.created.insert(decimal(&words[0]), words[1..].iter().map(decimal).collect());
            }
            "h" => self.hits.push(Hit {
                id: hex(&words[0]),
                position: [1, 2, 3].map(|axis| f32::from_bits(hex(&words[axis]))),
                phi: decimal(&words[4]),
            }),
            "scalar" => *search = Search::default(),
            "a" => search.totals = [0, 1, 2].map(|index| decimal(&words[index])),
            "s" => search.seeds.push(triplet(words)),
            "l" => search.entries.push(hex(&words[0])),
            "t" => search.long.push(words.iter().map(decimal).collect()),
            "w" => search.weak.push(triplet(words)),
            "f" => search.three_hit.push(triplet(words)),
            "u" => search.used.extend(words.iter().map(decimal::<u32>)),
            "o" => search.hash = u64::from_str_radix(words[1], 16).expect("hash"),
            "x" => {
                self.has_duplicates |= words[0] == "duplicate";
                self.exceeds_capacity |= words[0] == "capacity";
            }
            "raw" | "full" | "b" | "c" => {}
            unknown => panic!("unknown record {unknown}"),
        }
    }
}
