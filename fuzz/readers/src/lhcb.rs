//! Data of the vertex locator: events and its geometry.

use std::fs;
use std::path::Path;

use generators_common::DataError;
use generators_lhcb::io::{cases, mdf, write_events};
use generators_lhcb::{BankKind, Events, geometry};

use crate::scratch::{Scratch, refused};

/// Events of the experiment, of which either kind of banks is preferred.
pub(crate) fn mdf(scratch: &Scratch, input: &[u8]) -> bool {
    let read = |kind| come_back(scratch, "events.mdf", input, |path| mdf::read(path, kind));
    BankKind::ALL.map(read).contains(&true)
}

pub(crate) fn cases(scratch: &Scratch, input: &[u8]) -> bool {
    come_back(scratch, "events.cases", input, cases::read)
}

/// Reads events, writes them to another file, and checks that they read back as the same. Invalid events,
/// which are left out, are not written, and numbers of the truth need not be numbers.
fn come_back(
    scratch: &Scratch,
    name: &str,
    input: &[u8],
    read: impl Fn(&Path) -> Result<Events, DataError>,
) -> bool {
    let events = match read(&scratch.file(name, input)) {
        Ok(events) => events,
        Err(error) => return refused(&error, name),
    };
    if events.is_empty() {
        assert!(!events.defects.is_empty(), "events were left out");
        return false;
    }
    let written = |name: &str, events: &Events| {
        let path = scratch.path(name);
        write_events(&path, events).expect("what was read is written");
        path
    };
    let path = written(&format!("again-{name}"), &events);
    let read = read(&path).expect("what was written is read");
    assert_eq!(read.defects, [""; 0], "what was written is valid");
    assert!(read.words() == events.words(), "words are the same");
    assert!(read.banks() == events.banks(), "banks are the same");
    assert!(read.headers() == events.headers(), "formats are the same");
    let twice = written(&format!("twice-{name}"), &read);
    let [path, twice] = [path, twice].map(|path| fs::read(path).expect("readable"));
    assert!(path == twice, "what is written of them is the same, names and truth included");
    true
}

/// A geometry, as text or as the experiment's file. There is no writer.
pub(crate) fn geometry(scratch: &Scratch, input: &[u8]) -> bool {
    let name = "velo.geometry";
    let geometry = match geometry::read(&scratch.file(name, input)) {
        Ok(geometry) => geometry,
        Err(error) => return refused(&error, name),
    };
    let columns = geometry.column_x.iter().chain(&geometry.column_pitch);
    let mut numbers = columns.chain(&geometry.module_z).chain(geometry.sensors.as_flattened());
    assert!(numbers.all(|number| number.is_finite()), "all numbers are finite");
    true
}
