//! Pages of the experiment's encoder: ours makes the same bytes.

use std::fs;
use std::path::Path;

use super::common::shared;
use generators::io::read_pad_mapping;
use generators::tpc::encode::SectorEncoder;
use generators::tpc::pages::{Framing, SectorPages};
use generators::tpc::{Digit, PadId, PadMapping, ZsFormat};

const SECTORS: [usize; 2] = [7, 35];

/// The columns of a CSV file of whole numbers, without the header.
fn rows(path: &Path) -> Vec<Vec<u64>> {
    let text = fs::read_to_string(path).expect("a fixture");
    let number = |field: &str| field.parse().expect("a number");
    let row = |line: &str| line.split(',').map(number).collect();
    text.lines().skip(1).map(row).collect()
}

fn digits(folder: &Path, format: ZsFormat, sector: usize) -> Vec<Digit> {
    let column = if format == ZsFormat::Row10 { 4 } else { 3 };
    let digit = |row: Vec<u64>| {
        let pad = PadId::new(row[0] as u8, row[1] as u8);
        Digit::new(sector as u8, pad, row[2] as u32, row[column] as u16)
    };
    let rows = rows(&folder.join(format!("s{sector}.digits.csv")));
    rows.into_iter().map(digit).collect()
}

fn first_orbit(folder: &Path, sector: usize) -> u32 {
    let rows = rows(&folder.join("meta.csv"));
    let row = rows.iter().find(|row| row[0] == sector as u64);
    row.expect("a row for each sector")[1] as u32
}

fn encode(folder: &Path, mapping: &PadMapping, format: ZsFormat, sector: usize) -> SectorPages {
    let encoder = SectorEncoder {
        format,
        mapping,
        first_orbit: first_orbit(folder, sector),
        orbits: 4,
        framing: Framing::Simulated,
    };
    let mut digits = digits(folder, format, sector);
    digits.reverse();
    encoder.encode(sector, &digits).expect("digits of the sector")
}

#[test]
fn pages_equal_those_of_the_experiment() {
    let (Some(folder), Some(tables)) = (shared("fixtures"), shared("mapping")) else {
        return;
    };
    let mapping = read_pad_mapping(&tables).expect("well-formed");
    for format in ZsFormat::ALL {
        for sector in SECTORS {
            let name = format!("v{}_s{sector}", format.version());
            let pages = encode(&folder, &mapping, format, sector);
            let lengths: Vec<_> = rows(&folder.join(format!("{name}.index.csv")))
                .iter()
                .map(|row| row[1] as usize)
                .collect();
            let made: Vec<_> = pages.stream_lengths().map(|(_, pages)| pages).collect();
            assert_eq!(made, lengths, "{name}");
            let expected = fs::read(folder.join(format!("{name}.pages"))).expect("a fixture");
            let bytes = pages.pages().as_flattened();
            let first = bytes.iter().zip(&expected).position(|(a, b)| a != b);
            let place = first.map(|byte| (byte / 8192, byte % 8192));
            assert_eq!(place, None, "{name}: page and byte that differ");
            assert_eq!(bytes.len(), expected.len(), "{name}");
        }
    }
}
