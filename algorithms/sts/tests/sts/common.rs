//! Runs variants of the chain, and reads and writes clusters and hits of known results.

use std::array;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use algorithms_sts::sts::task::{STS, Timeslices};
use algorithms_sts::sts::{Cluster, Hit, Partitioned, Product};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use generators_sts::Address;
use portable_gpu::emulator;
use portable_gpu::emulator::{Config, Lanes};
use tasks::algorithm::{Algorithm, Promise, Semantics};
use tasks::device::{Target, Team};

/// Returns the output of each CPU variant with these semantics, by its name.
pub fn found_by_all(
    input: &Timeslices,
    semantics: Semantics,
    threads: usize,
) -> Vec<(&'static str, Vec<Product>)> {
    let team = Team::new(threads).expect("threads");
    found_at(input, semantics, &Target::host(&team))
}

/// Variants with this suffix differ from others only for several timeslices.
const SAME_KERNELS: &str = "-overlapped";

/// Returns the outputs of the kernels on the emulator, with warps of `lanes` lanes; nothing if the
/// build has no emulator.
pub fn found_by_kernels(
    input: &Timeslices,
    semantics: Semantics,
    lanes: Lanes,
) -> Vec<(&'static str, Vec<Product>)> {
    let gpu = emulator::gpu_for_tests(Config { lanes, ..Config::default() });
    let Some(gpu) = gpu else { return Vec::new() };
    let team = Team::new(1).expect("a thread");
    found_at(input, semantics, &Target::emulated(gpu, &team))
}

/// True if another variant has the same kernels for this input.
fn is_double(name: &str, input: &Timeslices) -> bool {
    name.ends_with(SAME_KERNELS) && input.0.len() == 1
}

fn found_at(
    input: &Timeslices,
    semantics: Semantics,
    target: &Target<'_>,
) -> Vec<(&'static str, Vec<Product>)> {
    let variants = STS.variants().into_iter();
    let variants = variants.filter(|variant| variant.backend == target.device.backend());
    let variants = variants.filter(|variant| (variant.semantics)(input) == semantics);
    let variants = variants.filter(|variant| !is_double(variant.name, input));
    let found = variants.map(|variant| {
        let output = variant.output(&STS, input, target);
        (variant.name, output.expect("any input"))
    });
    found.collect()
}

/// The output of a chain.
pub fn both(clusters: Partitioned<Cluster>, hits: Partitioned<Hit>) -> Product {
    let clusters = Product::Clusters(clusters);
    let hits = Product::Hits(hits);
    Product::Both(Box::new(clusters), Box::new(hits))
}

/// Asserts that all outputs are equal to the expected one, to the last bit.
pub fn assert_same(input: &Timeslices, expected: &Product, found: &[Product], context: &str) {
    let promise = Promise {
        stable: false,
        content: tasks::algorithm::Content::Whole,
        semantics: Semantics::Exact,
    };
    let expected = vec![expected.clone()];
    let checked = STS.check(input, Some(&expected), &found.to_vec(), promise);
    checked.unwrap_or_else(|error| panic!("{context}: {error}"));
}

// Clusters and hits as binary columns: a magic number, the number of modules and of groups, the
// number of items, those in each group, and then column after column, all little endian and
// compressed. Columns are in the order of the fields.

const CLUSTERS: [u8; 8] = *b"STSCLUS1";
const HITS: [u8; 8] = *b"STSHITS1";
const HEADER: usize = 24;

/// Reads the clusters of all module sides, in the order of the file.
pub fn read_clusters(path: &Path) -> Partitioned<Cluster> {
    let columns = Columns::read(path, CLUSTERS, 6);
    Partitioned::of_sides(&columns.groups(|_, words: [u32; 6]| bytemuck::cast(words)))
}

/// Reads the hits of all modules, in the order of the file, which does not contain addresses.
pub fn read_hits(path: &Path) -> Partitioned<Hit> {
    let columns = Columns::read(path, HITS, 11);
    let hit = |module, words: [u32; 11]| {
        let mut all = [Address::of_module(module).full(); 12];
        all[..11].copy_from_slice(&words);
        bytemuck::cast(all)
    };
    Partitioned::of_modules(&columns.groups(hit))
}

/// Writes clusters for [`read_clusters`].
pub fn write_clusters(path: &Path, clusters: &Partitioned<Cluster>) {
    let words = |&cluster: &Cluster| bytemuck::cast::<_, [u32; 6]>(cluster).to_vec();
    write(path, CLUSTERS, clusters.segments() / 2, clusters, words);
}

/// Writes hits for [`read_hits`].
pub fn write_hits(path: &Path, hits: &Partitioned<Hit>) {
    let words = |&hit: &Hit| bytemuck::cast::<_, [u32; 12]>(hit)[..11].to_vec();
    write(path, HITS, hits.segments(), hits, words);
}

fn write<T>(
    path: &Path,
    magic: [u8; 8],
    modules: usize,
    things: &Partitioned<T>,
    words: impl Fn(&T) -> Vec<u32>,
) {
    let rows: Vec<_> = things.items().iter().map(words).collect();
    let lengths = things.partition().lengths().map(|length| length as u32);
    let header = [modules as u32, things.segments() as u32, rows.len() as u32, 0];
    let columns = rows.first().map_or(0, Vec::len);
    let columns = (0..columns).flat_map(|column| rows.iter().map(move |row| row[column]));
    let all = header.into_iter().chain(lengths).chain(columns);
    let bytes: Vec<_> = magic.into_iter().chain(all.flat_map(u32::to_le_bytes)).collect();
    let file = File::create(path).expect("created");
    let mut file = GzEncoder::new(file, Compression::best());
    file.write_all(&bytes).expect("written");
    file.finish().expect("written");
}

/// Columns of 32 bits each.
struct Columns {
    lengths: Vec<usize>,
    words: Vec<u32>,
}

impl Columns {
    fn read(path: &Path, magic: [u8; 8], columns: usize) -> Self {
        let mut bytes = Vec::new();
        let mut file = GzDecoder::new(File::open(path).expect("opened"));
        file.read_to_end(&mut bytes).expect("read");
        assert_eq!(bytes[..8], magic);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let groups = word(12) as usize;
        let lengths: Vec<_> = (0..groups).map(|group| word(HEADER + 4 * group) as usize).collect();
        let words = (HEADER + 4 * groups..bytes.len()).step_by(4).map(word);
        let words: Vec<_> = words.collect();
        assert_eq!(words.len(), columns * lengths.iter().sum::<usize>());
        Columns { lengths, words }
    }

    fn groups<T, const COLUMNS: usize>(
        &self,
        thing: impl Fn(usize, [u32; COLUMNS]) -> T,
    ) -> Vec<Vec<T>> {
        let rows = self.lengths.iter().sum::<usize>();
        let mut start = 0;
        let words = |row: usize| array::from_fn(|column| self.words[column * rows + row]);
        let group = |(number, &length): (usize, &usize)| {
            let rows_of_group = start..start + length;
            start += length;
            rows_of_group.map(|row| thing(number, words(row))).collect()
        };
        self.lengths.iter().enumerate().map(group).collect()
    }
}
