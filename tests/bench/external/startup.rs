//! The start-up of programs, which is taken off their wall time.

use reports::record::YesNo;

use super::{SORT, variant};
use crate::common::{measuring, row};

/// Sorting digis, after a command that sees the number of lines as `$lines`; an input without digis
/// has one.
fn sorts_after(command: &str) -> String {
    variant(&format!("lines=$(wc -l < {{input}}); {command}; {SORT}"), "")
}

const LINE: &str = "sort --digis 2k --segments 24 --variant external-shell --threads 1 --max-time \
                    300ms --no-charts --out r --plugin p.toml";

#[test]
fn a_start_up_that_was_disturbed_is_measured_again() {
    let Some(folder) = measuring() else { return };
    // The first nine runs without digis, which are those of the first start-up, are slow.
    let slow = "if [ $lines != 1 ]; then sleep 0.5; \
                elif [ $(ls {folder} | grep -c slow) -lt 9 ]; then \
                mktemp {folder}/slowXXXXXX; sleep 1.5; fi";
    folder.write("p.toml", sorts_after(slow));
    folder.bench(LINE).exits(0);
    let rows = folder.rows("r");
    let row = row(&rows, "external-shell");
    assert_eq!(row.valid, YesNo::Yes, "{}", row.note);
    assert!(row.metrics.number("startup_s") < Some(1.5), "{:?}", row.metrics.number("startup_s"));
}

#[test]
fn a_program_that_takes_no_longer_than_its_start_has_no_time() {
    let Some(folder) = measuring() else { return };
    folder.write("p.toml", sorts_after("if [ $lines = 1 ]; then sleep 0.3; fi"));
    folder.bench(LINE).exits(3).prints("its time is that of its start");
}
