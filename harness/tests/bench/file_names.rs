//! Names of files that are not UTF-8.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::common::{Folder, Run, folder};

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
