//! Clusters and hits as binary columns: the magic, the number of modules and of
//! groups, the number of things, those in each group, and then column after column,
//! all little endian and compressed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use algorithms::sts::{Cluster, Hit, Partitioned};
use flate2::read::GzDecoder;
use generators::sts::Address;

/// The clusters of all module sides, in the order of the file.
pub fn read_clusters(path: &Path) -> Partitioned<Cluster> {
    let columns = Columns::read(path, *b"STSCLUS1", 6);
    let cluster = |at| Cluster {
        charge: columns.float(0, at),
        size: columns.word(1, at) as i32,
        position: columns.float(2, at),
        position_error: columns.float(3, at),
        time: columns.word(4, at),
        time_error: columns.float(5, at),
    };
    Partitioned::of_sides(columns.groups(|_, at| cluster(at)))
}

/// The hits of all modules, in the order of the file.
pub fn read_hits(path: &Path) -> Partitioned<Hit> {
    let columns = Columns::read(path, *b"STSHITS1", 11);
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
    Partitioned::of_modules(columns.groups(hit))
}

/// Columns of 32 bits each.
struct Columns {
    lengths: Vec<usize>,
    words: Vec<u32>,
}

impl Columns {
    fn read(path: &Path, magic: [u8; 8], columns: usize) -> Self {
        const HEADER: usize = 24;
        let mut bytes = Vec::new();
        let mut file = GzDecoder::new(File::open(path).expect("opened"));
        file.read_to_end(&mut bytes).expect("read");
        assert_eq!(bytes[..8], magic);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let groups = word(12) as usize;
        let lengths: Vec<_> = (0..groups).map(|g| word(HEADER + 4 * g) as usize).collect();
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
