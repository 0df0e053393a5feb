//! Clusters and hits as binary columns: a magic number, the number of modules and of groups, the
//! number of items, those in each group, and then column after column, all little endian and
//! compressed. Columns are in the order of the fields.

use std::array;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use algorithms::sts::{Cluster, Hit, Partitioned};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use generators::sts::Address;

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
