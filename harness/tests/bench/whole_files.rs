//! Files that commands write: there as a whole, or as they were.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use crate::common::made_up::write_run;
use crate::common::{Folder, folder};

/// With a run of two variants.
fn with_run() -> Folder {
    let folder = folder();
    let medians = [("std-stable", 1e-3), ("rdst", 2e-3)];
    write_run(&folder, "a", "2027-01-01T00:00:00Z", 1, &medians);
    folder
}

/// Returns the names of the files in a folder.
fn names(folder: &Folder) -> BTreeSet<String> {
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
        let before = names(&folder);
        folder.bench_with_file_limit(0, line).exits(1).says("out.csv: ");
        assert_eq!(folder.read("out.csv"), "what was there before", "{line}");
        assert_eq!(names(&folder), before, "{line}");
        folder.bench(line);
        assert_ne!(folder.read("out.csv"), "what was there before", "{line}");
        assert_eq!(names(&folder), before, "{line}");
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
