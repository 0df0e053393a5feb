//! Pages whose digits are known: each variant finds them, and nothing else.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use algorithms::algorithm::Algorithm;
use algorithms::device::emulator::{self, Config};
use algorithms::device::{Backend, Target, Team};
use algorithms::tpc_decode::{Decoded, TimeFrame, TpcDecode};
use flate2::read::GzDecoder;
use generators::tpc::ZsFormat;

/// Sectors whose pages the experiment's encoder wrote.
const FIXTURE_SECTORS: [u32; 2] = [7, 35];

/// Row, pad, time bin and ADC value.
type Row = [u32; 4];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn numbers(text: &str) -> Vec<Vec<u32>> {
    let number = |field: &str| field.parse().expect("a number");
    let row = |line: &str| line.split(',').map(number).collect();
    text.lines().skip(1).map(row).collect()
}

/// The digits of a list with a column for 12-bit and one for 10-bit values.
fn expected(text: &str, format: ZsFormat) -> Vec<Row> {
    let column = if format == ZsFormat::Row10 { 4 } else { 3 };
    let row = |row: Vec<u32>| [row[0], row[1], row[2], row[column]];
    let mut rows: Vec<Row> = numbers(text).into_iter().map(row).collect();
    rows.sort_unstable();
    rows
}

fn read(pages: &Path, options: &[(&'static str, String)]) -> TimeFrame {
    let params = options.iter().cloned().collect();
    let (frame, _) = TpcDecode.read(pages, &params).expect("pages");
    frame
}

/// What each variant makes of a time frame.
fn decode_with_all(frame: &TimeFrame) -> BTreeMap<&'static str, Decoded> {
    let team = Team::new(2).expect("threads");
    let host = Target::host(&team);
    let gpu = emulator::gpu_for_tests(Config::default());
    let emulated = gpu.map(|gpu| Target::emulated(gpu, &team));
    let mut decoded = BTreeMap::new();
    for variant in TpcDecode.variants() {
        let target = match variant.backend {
            Backend::Cpu => Some(&host),
            Backend::Cuda => emulated.as_ref(),
            Backend::Wgpu => None,
        };
        let Some(target) = target else { continue };
        let output = variant.output(&TpcDecode, frame, target);
        decoded.insert(variant.name, output.expect("any input"));
    }
    decoded
}

fn check(frame: &TimeFrame, format: ZsFormat, expected: &[Row], name: &str) {
    assert_eq!(frame.format(), format, "{name}");
    for (variant, decoded) in decode_with_all(frame) {
        assert_eq!(decoded.damaged, [], "{variant} on {name}");
        let row = |digit: &generators::tpc::Digit| {
            let (row, pad) = (digit.row().into(), digit.pad().into());
            [row, pad, digit.time_bin(), digit.adc().into()]
        };
        let mut found: Vec<Row> = decoded.digits.iter().map(row).collect();
        found.sort_unstable();
        assert!(found == expected, "{variant} on {name}");
    }
}

#[test]
fn pages_of_the_experiment_have_their_digits() {
    let shared = root().join("../shared/tpc");
    let (folder, mapping) = (shared.join("fixtures"), shared.join("mapping"));
    if !folder.is_dir() {
        eprintln!("skipped: no {}", folder.display());
        return;
    }
    let meta = fs::read_to_string(folder.join("meta.csv")).expect("a table of sectors");
    for sector in FIXTURE_SECTORS {
        let row = numbers(&meta).into_iter().find(|row| row[0] == sector);
        let first_orbit = row.expect("a row for each sector")[1];
        let digits = folder.join(format!("s{sector}.digits.csv"));
        let digits = fs::read_to_string(digits).expect("a list of digits");
        for format in ZsFormat::ALL {
            let name = format!("v{}_s{sector}", format.version());
            let options = [
                ("sector", sector.to_string()),
                ("first-orbit", first_orbit.to_string()),
                ("mapping", mapping.display().to_string()),
            ];
            let frame = read(&folder.join(format!("{name}.pages")), &options);
            check(&frame, format, &expected(&digits, format), &name);
        }
    }
}

#[test]
fn pages_of_our_own_have_their_digits() {
    let folder = root().join("generators/tests/generators/golden/tpc");
    let mut digits = String::new();
    let file = File::open(folder.join("digits.csv.gz")).expect("a list of digits");
    GzDecoder::new(file).read_to_string(&mut digits).expect("text");
    for format in ZsFormat::ALL {
        let options = [("sector", "21".to_owned()), ("first-orbit", (u32::MAX - 1).to_string())];
        let frame = read(&folder.join(format!("{format}.pages.gz")), &options);
        check(&frame, format, &expected(&digits, format), format.name());
    }
}
