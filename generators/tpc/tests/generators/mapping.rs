//! The experiment's pad mapping as files.

use std::fs;
use std::path::Path;

use generators_tpc::io::read_pad_mapping;
use generators_tpc::mapping::{ChipChannel, LinkChannel, pad_number};
use generators_tpc::{PadMapping, Region};

use super::common::wires;

use crate::experiments::full_set;

/// The rows of the four tables, the last column exclusive.
const TABLES: [(&str, std::ops::Range<usize>); 4] = [
    ("TABLE-IROC.txt", 0..63),
    ("TABLE-OROC1.txt", 63..97),
    ("TABLE-OROC2.txt", 97..127),
    ("TABLE-OROC3.txt", 127..152),
];

/// The lines of a table with the wiring of the experiment and the pads of the
/// regular mapping.
fn lines(mapping: &PadMapping, rows: std::ops::Range<usize>) -> Vec<String> {
    let channels = Region::all().flat_map(|region| {
        (0..region.pads().len()).map(move |index| LinkChannel::from_index(region, index))
    });
    let mut lines = Vec::new();
    for channel in channels {
        let pad = mapping.pad(channel).expect("a channel");
        if rows.contains(&usize::from(pad.row())) {
            let ChipChannel { fec, chip, channel: on_chip } = channel.into();
            let number = pad_number(pad).expect("a pad");
            let row = pad.row();
            let pad = pad.pad();
            lines.push(format!(
                "{number}\t{row}\t{pad}\t-1.5\t852.25\t1\t5\t0\t0\t{fec}\t0\t4\t{chip}\t{on_chip}\n"
            ));
        }
    }
    lines
}

fn write_tables(folder: &Path) -> PadMapping {
    let mapping = PadMapping::regular();
    for (name, rows) in TABLES {
        fs::write(folder.join(name), lines(&mapping, rows).concat()).expect("written");
    }
    mapping
}

/// The error after `change` of the lines of the first table.
fn error_after(change: impl FnOnce(&mut Vec<String>)) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mapping = write_tables(folder.path());
    let mut changed = lines(&mapping, TABLES[0].1.clone());
    change(&mut changed);
    fs::write(folder.path().join(TABLES[0].0), changed.concat()).expect("written");
    let error = read_pad_mapping(folder.path()).expect_err("damaged");
    error.to_string()
}

#[test]
fn tables_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mapping = write_tables(folder.path());
    assert_eq!(read_pad_mapping(folder.path()).expect("well-formed"), mapping);
}

#[test]
fn damage_is_named_with_file_and_line() {
    let replace = |line: usize, from: &'static str, to: &'static str| {
        error_after(move |lines| lines[line] = lines[line].replacen(from, to, 1))
    };
    let short = replace(2, "\t852.25", "");
    assert!(short.contains("TABLE-IROC.txt, line 3"), "{short}");
    assert!(short.contains("13 columns instead of 14"), "{short}");
    let fec = error_after(|lines| {
        lines[7] = "0 0 0 0 0 0 0 0 0 91 0 0 0 0\n".to_owned();
    });
    assert!(fec.contains("line 8: FEC in sector \"91\""), "{fec}");
    assert!(fec.contains("from 0 to 90"), "{fec}");
    let pad = error_after(|lines| lines[0] = "0 0 66 0 0 0 0 0 0 0 0 0 0 0\n".to_owned());
    assert!(pad.contains("pad 66 is not in row 0, which has 66"), "{pad}");
    let text = error_after(|lines| lines[0] = "0 x 6 0 0 0 0 0 0 0 0 0 0 0\n".to_owned());
    assert!(text.contains("row \"x\" (column 2)"), "{text}");
}

#[test]
fn tables_that_are_not_bijections_are_refused() {
    let cut = error_after(|lines| lines.truncate(100));
    assert!(cut.contains("channels instead of 14560"), "{cut}");
    let twice = error_after(|lines| lines.push(lines[5].clone()));
    assert!(twice.contains("line 5281"), "{twice}");
    assert!(twice.contains("already"), "{twice}");
    let swapped = error_after(|lines| {
        let fields = |line: &str| -> Vec<String> {
            line.split_whitespace().map(ToOwned::to_owned).collect()
        };
        let mut first = fields(&lines[0]);
        let mut last = fields(&lines[lines.len() - 1]);
        std::mem::swap(&mut first[1], &mut last[1]);
        std::mem::swap(&mut first[2], &mut last[2]);
        let end = lines.len() - 1;
        lines[0] = first.join(" ") + "\n";
        lines[end] = last.join(" ") + "\n";
    });
    assert!(swapped.contains("which its region does not have"), "{swapped}");
}

#[test]
fn a_missing_table_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = read_pad_mapping(folder.path()).expect_err("empty");
    assert!(error.to_string().contains("TABLE-IROC.txt"), "{error}");
}

/// Its tables are not in the repository: see [`the_experiments_mapping_is_read_in_full`].
#[test]
fn the_experiments_channels_are_of_their_endpoints_and_regions() {
    let wires = wires();
    assert_eq!(wires.len(), 4480);
    for wire in wires {
        let channel = wire.channel;
        assert_eq!(channel.endpoint().number(), wire.endpoint, "{channel:?}");
        let number = pad_number(wire.pad).expect("a pad");
        assert!(channel.region.pads().contains(&number), "{channel:?}");
    }
}

#[test]
fn the_experiments_mapping_is_read_in_full() {
    let Some(folder) = full_set("tpc/mapping") else { return };
    let mapping = read_pad_mapping(&folder).expect("well-formed");
    let expected = fs::read_to_string(folder.join("link_map.csv")).expect("there");
    let mut count = 0;
    for line in expected.lines().skip(1) {
        let fields: Vec<usize> =
            line.split(',').map(|field| field.parse().expect("a number")).collect();
        let channel = LinkChannel {
            region: Region::new(fields[0]).expect("a region"),
            fec: fields[2] as u8,
            channel: fields[3] as u8,
        };
        let pad = mapping.pad(channel).expect("a channel");
        assert_eq!(channel.endpoint().number(), fields[1], "{line}");
        let found = (usize::from(pad.row()), usize::from(pad.pad()));
        assert_eq!(found, (fields[6], fields[7]), "{line}");
        count += 1;
    }
    assert_eq!(count, 14_560);
}
