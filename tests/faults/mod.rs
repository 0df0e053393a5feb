//! Integrity of files after faults: a full disk, an unreadable file, a kill, a power cut.
//!
//! | module | holds |
//! |---|---|
//! | `faults.c` | a library that is preloaded into `bench`: it makes operations fail, and logs them |
//! | `library` | compiling it, running `bench` with it, and reading its log |
//! | `tree` | files of a folder |
//! | `scenario` | commands with the files before, and their results without faults |
//! | `trials` | every fault in every operation of a command, and kills at any time |
//! | `power_cut` | a power cut after each operation, and the state of the disk after it |

mod library;
mod power_cut;
mod scenario;
mod tree;
mod trials;

use crate::common::{can_measure, folder};
use library::{can_inject, run_by_clock};

/// A day of the year 1900, and one of the year 12000.
const STRANGE_CLOCKS: [i64; 2] = [-4_000_000_000, 315_000_000_000];

#[test]
fn a_clock_that_is_wrong_is_noted() {
    if !can_inject() || !can_measure() {
        return;
    }
    for shift in STRANGE_CLOCKS {
        let folder = folder();
        let lines = [
            "sort --variant std-stable --segments 4 --digis 1k --samples 3 --threads 1 --out r",
            "history add r --store s",
            "history accept latest --store s",
            "history --store s --since 1d",
            "history prune --keep 1 --keep-days 1 --store s",
            "report r --out page.html",
            "export r --format influx",
        ];
        for line in lines {
            run_by_clock(shift, &folder, line).exits(0);
        }
        let notes = folder.record("r").notes;
        assert!(notes.iter().any(|note| note.contains("set the clock")), "{notes:?}");
    }
}
