//! Pages in `tests/golden`, made by the encoders, and the digits in them; and pages of
//! the experiment's encoder, with which they are compared byte by byte.
//!
//! `cargo test --release golden -- --ignored` writes them again.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use generators_tpc::encode::SectorEncoder;
use generators_tpc::io::{PageSelection, PageWriter, index_of, read_pad_mapping, read_raw_pages};
use generators_tpc::pages::{Framing, RawPages, SectorPages};
use generators_tpc::{Digit, PadId, PadMapping, ZsFormat};

use super::common::{self, GOLDEN_SECTOR, ORBITS, decoded, golden, in_format};
use crate::experiments::{fixtures, full_set};

/// The orbit counter wraps within the time frame.
const FIRST_ORBIT: u32 = u32::MAX - 1;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn pages_file(format: ZsFormat) -> PathBuf {
    folder().join(format!("{format}.pages.gz"))
}

fn encode(format: ZsFormat) -> SectorPages {
    let encoder = SectorEncoder {
        format,
        mapping: &PadMapping::regular(),
        first_orbit: FIRST_ORBIT,
        orbits: ORBITS,
        framing: Framing::Simulated,
    };
    let digits = in_format(format, &golden());
    encoder.encode(GOLDEN_SECTOR.into(), &digits).expect("sensible digits")
}

fn read(format: ZsFormat) -> RawPages {
    let path = pages_file(format);
    let selection = PageSelection {
        sector: Some(GOLDEN_SECTOR),
        first_orbit: Some(FIRST_ORBIT),
        ..PageSelection::ALL
    };
    let index = index_of(&path).expect("a file of pages");
    read_raw_pages(&path, &index, selection).expect("a golden").0
}

/// `row,pad,time_bin,adc12,adc10`, sorted by row, pad and time bin.
fn digits_file() -> PathBuf {
    folder().join("digits.csv.gz")
}

/// The digits of the file, with the values of a format.
fn read_digits(format: ZsFormat) -> Vec<Digit> {
    let column = if format == ZsFormat::Row10 { 4 } else { 3 };
    let file = BufReader::new(GzDecoder::new(File::open(digits_file()).expect("a golden")));
    let digit = |line: String| {
        let fields: Vec<u32> = line.split(',').map(|f| f.parse().expect("a number")).collect();
        let pad = PadId::new(fields[0] as u8, fields[1] as u8);
        Digit::new(GOLDEN_SECTOR, pad, fields[2], fields[column] as u16)
    };
    let lines = file.lines().skip(1).map(|line| line.expect("text"));
    lines.map(digit).collect()
}

#[test]
fn golden_pages_are_encoded_again() {
    for format in ZsFormat::ALL {
        let golden = read(format);
        let made = encode(format);
        let lengths: Vec<_> = golden.streams().map(|s| (s.id, s.pages.len())).collect();
        assert!(made.stream_lengths().eq(lengths), "{format}");
        assert!(golden.pages() == made.pages(), "{format}");
    }
}

#[test]
fn golden_pages_hold_the_golden_digits() {
    let mapping = PadMapping::regular();
    for format in ZsFormat::ALL {
        let mut digits = read_digits(format);
        assert!(digits.is_sorted_by_key(|d| (d.row(), d.pad(), d.time_bin())));
        digits.sort_unstable();
        assert_eq!(digits.len(), golden().len());
        assert!(decoded(format, &read(format), ORBITS, &mapping) == digits, "{format}");
    }
}

#[test]
#[ignore = "writes the golden files"]
fn golden_files_are_written() {
    std::fs::create_dir_all(folder()).expect("a folder");
    for format in ZsFormat::ALL {
        let mut writer = PageWriter::create(&pages_file(format)).expect("created");
        writer.write(&encode(format)).expect("written");
        writer.finish().expect("finished");
    }
    let file = File::create(digits_file()).expect("created");
    let mut csv = GzEncoder::new(file, Compression::best());
    writeln!(csv, "row,pad,time_bin,adc12,adc10").expect("written");
    let mut digits = golden();
    digits.sort_unstable_by_key(|d| (d.row(), d.pad(), d.time_bin()));
    for digit in digits {
        let row = digit.row();
        let pad = digit.pad();
        let bin = digit.time_bin();
        let adc = digit.adc();
        let adc10 = ZsFormat::Row10.adc_of_quarters(adc);
        writeln!(csv, "{row},{pad},{bin},{adc},{adc10}").expect("written");
    }
    csv.finish().expect("written");
}

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
    let mapping = common::mapping();
    PageSet { folder, is_compressed: true, sectors: &[35], mapping }.check_all();
}

#[test]
fn pages_equal_those_of_the_experiment_in_full() {
    let Some(folder) = full_set("tpc/fixtures") else { return };
    let Some(tables) = full_set("tpc/mapping") else { return };
    let mapping = read_pad_mapping(&tables).expect("well-formed");
    PageSet { folder, is_compressed: false, sectors: &[7, 35], mapping }.check_all();
}
