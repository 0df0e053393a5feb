//! Tests that each variant finds exactly the known digits of pages.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use algorithms_tpc::tpc_decode::{Decoded, TimeFrame, TpcDecode};
use generators_tpc::mapping::{ChipChannel, LinkChannel};
use generators_tpc::{PadId, PadMapping, Region, ZsFormat};
use portable_gpu::emulator::{self, Config};
use tasks::algorithm::Algorithm;
use tasks::device::{Backend, Target, Team};
use tempfile::{TempDir, tempdir};

use crate::common::text_of;
use crate::experiments::{fixtures, full_set};

/// Row, pad, time bin and ADC value.
type Row = [u32; 4];

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
    let (frame, _) = TpcDecode.read(&pages.into(), &params).expect("pages");
    frame
}

/// Output of each variant for a time frame.
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
        let row = |digit: &generators_tpc::Digit| {
            let row = digit.row().into();
            let pad = digit.pad().into();
            [row, pad, digit.time_bin(), digit.adc().into()]
        };
        let mut found: Vec<Row> = decoded.digits.iter().map(row).collect();
        found.sort_unstable();
        assert!(found == expected, "{variant} on {name}");
    }
}

/// Pages that the experiment's encoder wrote, and digits; both file names end in `.gz`, or neither.
struct PageSet<'a> {
    folder: &'a Path,
    /// Geometry tables with the experiment's mapping.
    tables: &'a Path,
    ending: &'a str,
}

impl PageSet<'_> {
    fn check(&self, sector: u32) {
        let meta = fs::read_to_string(self.folder.join("meta.csv")).expect("a table of sectors");
        let row = numbers(&meta).into_iter().find(|row| row[0] == sector);
        let first_orbit = row.expect("a row for each sector")[1];
        let digits = text_of(&self.folder.join(format!("s{sector}.digits.csv{}", self.ending)));
        for format in ZsFormat::ALL {
            let name = format!("v{}_s{sector}", format.version());
            let options = [
                ("sector", sector.to_string()),
                ("first-orbit", first_orbit.to_string()),
                ("mapping", self.tables.display().to_string()),
            ];
            let pages = self.folder.join(format!("{name}.pages{}", self.ending));
            check(&read(&pages, &options), format, &expected(&digits, format), &name);
        }
    }
}

/// Tables with the experiment's mapping of three regions, as far as its pages contain it, and the
/// regular mapping elsewhere.
fn tables() -> TempDir {
    let wires = text_of(&fixtures("tpc-pages").join("wiring.csv.gz"));
    let wire = |row: Vec<u32>| {
        let region = Region::new(row[0] as usize).expect("a region");
        let channel = LinkChannel { region, fec: row[2] as u8, channel: row[3] as u8 };
        (channel, PadId::new(row[4] as u8, row[5] as u8))
    };
    let wires: BTreeMap<_, _> = numbers(&wires).into_iter().map(wire).collect();
    let regular = PadMapping::regular();
    let line = |channel: LinkChannel| {
        let pad = wires.get(&channel).copied().or_else(|| regular.pad(channel));
        let pad = pad.expect("a channel");
        let ChipChannel { fec, chip, channel } = channel.into();
        format!("0 {} {} 0 0 0 0 0 0 {fec} 0 0 {chip} {channel}\n", pad.row(), pad.pad())
    };
    let channels = Region::all().flat_map(|region| {
        (0..region.pads().len()).map(move |index| LinkChannel::from_index(region, index))
    });
    let lines: String = channels.map(line).collect();
    let folder = tempdir().expect("a folder");
    // All are read as one table.
    let tables = [("IROC", &lines[..]), ("OROC1", ""), ("OROC2", ""), ("OROC3", "")];
    for (chamber, lines) in tables {
        fs::write(folder.path().join(format!("TABLE-{chamber}.txt")), lines).expect("written");
    }
    folder
}

#[test]
fn pages_of_the_experiment_have_their_digits() {
    let folder = fixtures("tpc-pages");
    let tables = tables();
    PageSet { folder: &folder, tables: tables.path(), ending: ".gz" }.check(35);
}

#[test]
fn pages_of_the_experiment_have_their_digits_in_full() {
    let Some(folder) = full_set("tpc/fixtures") else { return };
    let Some(tables) = full_set("tpc/mapping") else { return };
    let set = PageSet { folder: &folder, tables: &tables, ending: "" };
    [7, 35].into_iter().for_each(|sector| set.check(sector));
}

#[test]
fn pages_of_our_own_have_their_digits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("generators/tpc/tests/golden");
    let digits = text_of(&folder.join("digits.csv.gz"));
    for format in ZsFormat::ALL {
        let options = [("sector", "21".to_owned()), ("first-orbit", (u32::MAX - 1).to_string())];
        let frame = read(&folder.join(format!("{format}.pages.gz")), &options);
        check(&frame, format, &expected(&digits, format), format.name());
    }
}
