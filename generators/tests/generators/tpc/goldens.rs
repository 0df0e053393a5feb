//! Pages in `tests/generators/golden/tpc`, made by the encoders, and the digits in them.
//!
//! `cargo test --release golden -- --ignored` writes them again.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::common::digits::{GOLDEN_SECTOR, ORBITS, golden, in_format};
use super::common::slow_reader;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use generators::io::{PageSelection, PageWriter, index_of, read_raw_pages};
use generators::tpc::encode::SectorEncoder;
use generators::tpc::pages::{Framing, RawPages, SectorPages};
use generators::tpc::{Digit, PadId, PadMapping, ZsFormat};

/// The orbit counter wraps within the time frame.
const FIRST_ORBIT: u32 = u32::MAX - 1;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generators/golden/tpc")
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
        assert!(slow_reader::read(&read(format), &mapping) == digits, "{format}");
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
