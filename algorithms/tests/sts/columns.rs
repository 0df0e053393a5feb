//! Clusters and hits as binary columns: a magic, the number of modules and of groups,
//! the number of things, those in each group, and then column after column, all little
//! endian and compressed.

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

/// The clusters of all module sides, in the order of the file.
pub fn read_clusters(path: &Path) -> Partitioned<Cluster> {
    let columns = Columns::read(path, CLUSTERS, 6);
    let cluster = |at| Cluster {
        charge: columns.float(0, at),
        size: columns.word(1, at) as i32,
        position: columns.float(2, at),
        position_error: columns.float(3, at),
        time: columns.word(4, at),
        time_error: columns.float(5, at),
    };
    Partitioned::of_sides(&columns.groups(|_, at| cluster(at)))
}

/// The hits of all modules, in the order of the file.
pub fn read_hits(path: &Path) -> Partitioned<Hit> {
    let columns = Columns::read(path, HITS, 11);
    let hit = |module, at| Hit {
        x: columns.float(0, at),
        y: columns.float(1, at),
        z: columns.float(2, at),
        time: columns.word(3, at),
        dx: columns.float(4, at),
        dy: columns.float(5, at),
        dz: columns.float(6, at),
        dxy: columns.float(7, at),
        time_error: columns.float(8, at),
        du: columns.float(9, at),
        dv: columns.float(10, at),
        address: Address::of_module(module).full(),
    };
    Partitioned::of_modules(&columns.groups(hit))
}

/// Writes clusters for [`read_clusters`].
pub fn write_clusters(path: &Path, clusters: &Partitioned<Cluster>) {
    let words = |cluster: &Cluster| {
        let Cluster {
            charge,
            size,
            position,
            position_error,
            time,
            time_error,
        } = *cluster;
        let [charge, position] = [charge, position].map(f32::to_bits);
        let [position_error, time_error] = [position_error, time_error].map(f32::to_bits);
        vec![
            charge,
            size as u32,
            position,
            position_error,
            time,
            time_error,
        ]
    };
    write(path, CLUSTERS, clusters.segments() / 2, clusters, words);
}

/// Writes hits for [`read_hits`].
pub fn write_hits(path: &Path, hits: &Partitioned<Hit>) {
    let words = |hit: &Hit| {
        let floats = [
            hit.x,
            hit.y,
            hit.z,
            0.0,
            hit.dx,
            hit.dy,
            hit.dz,
            hit.dxy,
            hit.time_error,
            hit.du,
            hit.dv,
        ];
        let mut words = floats.map(f32::to_bits).to_vec();
        words[3] = hit.time;
        words
    };
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
    let header = [
        modules as u32,
        things.segments() as u32,
        rows.len() as u32,
        0,
    ];
    let columns = rows.first().map_or(0, Vec::len);
    let columns = (0..columns).flat_map(|column| rows.iter().map(move |row| row[column]));
    let all = header.into_iter().chain(lengths).chain(columns);
    let bytes: Vec<_> = magic
        .into_iter()
        .chain(all.flat_map(u32::to_le_bytes))
        .collect();
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
        let lengths: Vec<_> = (0..groups)
            .map(|group| word(HEADER + 4 * group) as usize)
            .collect();
        let words = (HEADER + 4 * groups..bytes.len()).step_by(4).map(word);
        let words: Vec<_> = words.collect();
        assert_eq!(words.len(), columns * lengths.iter().sum::<usize>());
        Columns { lengths, words }
    }

    fn word(&self, column: usize, at: usize) -> u32 {
        self.words[column * self.lengths.iter().sum::<usize>() + at]
    }

    fn float(&self, column: usize, at: usize) -> f32 {
        f32::from_bits(self.word(column, at))
    }

    fn groups<T>(&self, thing: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
        let mut start = 0;
        let group = |(number, &length): (usize, &usize)| {
            let places = start..start + length;
            start += length;
            places.map(|at| thing(number, at)).collect()
        };
        self.lengths.iter().enumerate().map(group).collect()
    }
}
