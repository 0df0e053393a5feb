//! Comparison with pages of the experiment's encoder, byte by byte.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use generators::io::read_pad_mapping;
use generators::tpc::encode::SectorEncoder;
use generators::tpc::pages::{Framing, SectorPages};
use generators::tpc::{Digit, PadId, PadMapping, ZsFormat};

use super::common::wiring;
use crate::experiments::{fixtures, full_set};

/// Pages of some sectors, and the digits in them.
struct PageSet {
    folder: PathBuf,
    is_compressed: bool,
    sectors: &'static [usize],
    mapping: PadMapping,
}

/// The rows of a CSV file of whole numbers, without the header.
fn rows(text: &[u8]) -> Vec<Vec<u64>> {
    let text = str::from_utf8(text).expect("text");
    let number = |field: &str| field.parse().expect("a number");
    let row = |line: &str| line.split(',').map(number).collect();
    text.lines().skip(1).map(row).collect()
}

impl PageSet {
    /// Pages or digits.
    fn read(&self, name: &str) -> Vec<u8> {
        if !self.is_compressed {
            return self.plain(name);
        }
        let compressed = self.plain(&format!("{name}.gz"));
        let mut bytes = Vec::new();
        GzDecoder::new(&compressed[..]).read_to_end(&mut bytes).expect("compressed");
        bytes
    }

    fn plain(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).expect("a fixture")
    }

    fn digits(&self, format: ZsFormat, sector: usize) -> Vec<Digit> {
        let column = if format == ZsFormat::Row10 { 4 } else { 3 };
        let digit = |row: Vec<u64>| {
            let pad = PadId::new(row[0] as u8, row[1] as u8);
            Digit::new(sector as u8, pad, row[2] as u32, row[column] as u16)
        };
        let rows = rows(&self.read(&format!("s{sector}.digits.csv")));
        rows.into_iter().map(digit).collect()
    }

    fn first_orbit(&self, sector: usize) -> u32 {
        let rows = rows(&self.plain("meta.csv"));
        let row = rows.iter().find(|row| row[0] == sector as u64);
        row.expect("a row for each sector")[1] as u32
    }

    fn encode(&self, format: ZsFormat, sector: usize) -> SectorPages {
        let encoder = SectorEncoder {
            format,
            mapping: &self.mapping,
            first_orbit: self.first_orbit(sector),
            orbits: 4,
            framing: Framing::Simulated,
        };
        let mut digits = self.digits(format, sector);
        digits.reverse();
        encoder.encode(sector, &digits).expect("digits of the sector")
    }

    fn check(&self, format: ZsFormat, sector: usize) {
        let name = format!("v{}_s{sector}", format.version());
        let pages = self.encode(format, sector);
        let lengths: Vec<_> = rows(&self.plain(&format!("{name}.index.csv")))
            .iter()
            .map(|row| row[1] as usize)
            .collect();
        let made: Vec<_> = pages.stream_lengths().map(|(_, pages)| pages).collect();
        assert_eq!(made, lengths, "{name}");
        let expected = self.read(&format!("{name}.pages"));
        let bytes = pages.pages().as_flattened();
        let first = bytes.iter().zip(&expected).position(|(a, b)| a != b);
        let difference = first.map(|byte| (byte / 8192, byte % 8192));
        assert_eq!(difference, None, "{name}: page and byte that differ");
        assert_eq!(bytes.len(), expected.len(), "{name}");
    }

    fn check_all(&self) {
        for format in ZsFormat::ALL {
            self.sectors.iter().for_each(|&sector| self.check(format, sector));
        }
    }
}

#[test]
fn pages_equal_those_of_the_experiment() {
    let folder = fixtures("tpc-pages");
    let mapping = wiring::mapping();
    PageSet { folder, is_compressed: true, sectors: &[35], mapping }.check_all();
}

#[test]
fn pages_equal_those_of_the_experiment_in_full() {
    let Some(folder) = full_set("tpc/fixtures") else { return };
    let Some(tables) = full_set("tpc/mapping") else { return };
    let mapping = read_pad_mapping(&tables).expect("well-formed");
    PageSet { folder, is_compressed: false, sectors: &[7, 35], mapping }.check_all();
}
