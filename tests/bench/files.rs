//! Files: written as a whole or not at all, with names that are not UTF-8, and too large for the
//! memory.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;

use crate::common::fake::write_run;
use crate::common::{Folder, Run, folder};

/// With a run of two variants.
fn with_run() -> Folder {
    let folder = folder();
    let medians = [("std-stable", 1e-3), ("rdst", 2e-3)];
    write_run(&folder, "a", "2027-01-01T00:00:00Z", 1, &medians);
    folder
}

/// Returns the names of the files in a folder.
fn files_below(folder: &Folder) -> BTreeSet<String> {
    let entries = fs::read_dir(folder.path()).expect("readable");
    let names = entries.map(|entry| entry.expect("one").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Commands that write the file `out.csv`.
const WRITERS: [&str; 4] = [
    "export a --format csv --out out.csv",
    "report a --force --format html --out out.csv",
    "winners a --format json=out.csv",
    GENERATE,
];
/// Command without the extension of the file, which selects the format.
const GENERATE: &str = "generate sts --segments 4 --digis 20k --out out.csv";

#[test]
fn where_there_is_no_room_a_file_stays_as_it_was() {
    let folder = with_run();
    for line in WRITERS {
        folder.write("out.csv", "what was there before");
        let before = files_below(&folder);
        folder.bench_with_file_limit(0, line).exits(1).says("out.csv: ");
        assert_eq!(folder.read("out.csv"), "what was there before", "{line}");
        assert_eq!(files_below(&folder), before, "{line}");
        folder.bench(line);
        assert_ne!(folder.read("out.csv"), "what was there before", "{line}");
        assert_eq!(files_below(&folder), before, "{line}");
    }
}

#[test]
fn links_lead_to_the_file_and_devices_stay_what_they_are() {
    let folder = with_run();
    fs::create_dir(folder.join("elsewhere")).expect("made");
    for line in WRITERS {
        folder.write("elsewhere/target", "before");
        let _ = fs::remove_file(folder.join("out.csv"));
        symlink("elsewhere/target", folder.join("out.csv")).expect("linked");
        folder.bench(line);
        assert!(folder.join("out.csv").is_symlink(), "{line}");
        assert_ne!(folder.read("elsewhere/target"), "before", "{line}");
    }
    for line in WRITERS.into_iter().filter(|line| *line != GENERATE) {
        folder.bench(line.replace("out.csv", "/dev/full")).exits(1).says("/dev/full: ");
        assert!(!fs::metadata("/dev/full").expect("there").is_file(), "{line}");
    }
}

#[test]
fn files_of_a_killed_export_are_removed_by_the_next_one() {
    let folder = with_run();
    folder.write(".page.csv.Ab12.draft", "half");
    folder.bench("export a --format csv --out page.csv").exits(0);
    assert!(!folder.join(".page.csv.Ab12.draft").exists());
}

/// Runs `bench` with the words of a line, the last of which is a name of bytes.
fn bench(folder: &Folder, line: &str, name: &[u8]) -> Run {
    Run::from_command(folder.command(line).arg(OsStr::from_bytes(name)))
}

fn names(folder: &Folder) -> BTreeSet<Vec<u8>> {
    let entries = fs::read_dir(folder.path()).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_vec()).collect()
}

#[test]
fn companions_of_files_have_the_bytes_of_their_names() {
    let folder = folder();
    let generate = "generate tpc --sectors 1 --orbits 1 --occupancy 0.01";
    let labelled = format!("{generate} --truth tracks --out");
    bench(&folder, &labelled, b"a\xff.pages").exits(0);
    bench(&folder, &format!("{generate} --zs row12 --out"), b"a\xfe.pages").exits(0);
    let sts = "generate sts-physics --preset mcbm-2024 --scale 0.0001 --truth --out";
    bench(&folder, sts, b"s\xff.csv").exits(0);
    let raw = "generate sts-raw --preset mcbm-2024 --scale 0.0001 --split 1 --out";
    bench(&folder, raw, b"r\xff_%n.tsa").exits(0);
    let expected: [&[u8]; 11] = [
        b"a\xff.pages",
        b"a\xff.index.csv",
        b"a\xff.labels",
        b"a\xfe.pages",
        b"a\xfe.index.csv",
        b"s\xff.csv",
        b"s\xff.setup.json",
        b"s\xff.crossings.csv",
        b"s\xff.sources.csv",
        b"r\xff_0000.tsa",
        b"r\xff.setup.json",
    ];
    assert_eq!(names(&folder), expected.into_iter().map(<[u8]>::to_vec).collect());

    // The indices differ, so each file is read with its own.
    let digits = "decode --sector 0 --strict --digits d.csv --input";
    bench(&folder, digits, b"a\xff.pages").exits(0);
    bench(&folder, digits, b"a\xfe.pages").exits(0);
    bench(&folder, "unpack --digis d.bin --input", b"r\xff_%n.tsa").exits(0);
    let setup = bench(&folder, "unpack --digis d.bin --input r.tsa --setup", b"r\xff.setup.json");
    setup.exits(2).says("not UTF-8");
}

#[test]
fn outputs_have_the_bytes_of_their_names() {
    let folder = folder();
    folder.bench("generate tpc --sectors 1 --orbits 1 --occupancy 0.01 --out a.pages").exits(0);
    bench(&folder, "decode --sector 0 --input a.pages --digits", b"d\xff.csv").exits(0);
    let written = OsString::from_vec(b"d\xff.csv".to_vec());
    assert!(fs::metadata(folder.join(written)).expect("written").len() > 100);
}

/// Writes a sparse file of digis, with 8 million in each of 24 segments.
fn sparse_digis(folder: &Folder) {
    const SEGMENTS: u32 = 24;
    const DIGIS: u32 = 8_000_000;
    let mut file = File::create(folder.join("d.bin")).expect("created");
    let digis = u64::from(SEGMENTS) * u64::from(DIGIS);
    let header = [&b"STSDIGI1"[..], &12_u32.to_le_bytes(), &SEGMENTS.to_le_bytes()].concat();
    file.write_all(&header).expect("written");
    file.write_all(&digis.to_le_bytes()).expect("written");
    file.write_all(&DIGIS.to_le_bytes().repeat(SEGMENTS as usize)).expect("written");
    file.set_len(120 + 7 * digis).expect("sparse");
}

#[test]
fn files_that_do_not_fit_are_refused_before_they_are_read() {
    let folder = folder();
    sparse_digis(&folder);
    let run = folder.bench_with_limit("-v 4000000", "sort --input d.bin --dry-run").exits(2);
    run.says("d.bin has 1.34 GB of data").says("of data fit: use a smaller file");
}

#[test]
fn compressed_files_that_do_not_fit_are_refused_while_they_are_decompressed() {
    let folder = folder();
    sparse_digis(&folder);
    let mut digis = File::open(folder.join("d.bin")).expect("written");
    let file = File::create(folder.join("z.bin")).expect("created");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::copy(&mut digis, &mut encoder).expect("compressed");
    encoder.finish().expect("written");
    let run = folder.bench_with_limit("-v 1000000", "sort --input z.bin --dry-run").exits(2);
    run.says("z.bin has more than").says("of data fit: use a smaller file");
}

#[test]
fn a_part_of_an_archive_is_read_where_all_of_it_does_not_fit() {
    let folder = folder();
    folder.bench("generate sts-raw --preset mcbm-2024 --scale 0.01 --out d.tsa").exits(0);
    let inputs = "--input d.tsa ".repeat(40);
    let unpack = format!("unpack {inputs} --dry-run");
    let limit = "-v 1000000";
    let run = folder.bench_with_limit(limit, &unpack).exits(2);
    run.says("d.tsa has more than").says("with --timeslices, --skip, --take");
    folder.bench_with_limit(limit, &format!("{unpack} --skip 3 --take 1")).exits(0);
}
