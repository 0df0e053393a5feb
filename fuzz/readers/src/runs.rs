//! Files of runs.

use std::fmt::Debug;
use std::fs;

use reports::compare::{Comparison, Measured};
use reports::history::{Filter, Store};
use reports::record::CeilingsRecord;
use reports::screen::Screen;
use reports::store::{Run, RunFolder, RunSummary, StreamFolder, StreamRun};
use reports::stream::{NodePart, together};
use reports::table::{Format, RunRows, Tabular};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::parts;
use crate::scratch::{Scratch, refused};

const FILES: [&str; 3] = ["run.json", "samples.csv", "summary.csv"];
const STREAM_FILES: [&str; 3] = ["run.json", "stream.csv", "timeslices.csv"];

/// The files of a run folder.
pub(crate) fn run_folder(scratch: &Scratch, input: &[u8]) -> bool {
    let folder = scratch.folder("run");
    for (name, content) in FILES.iter().zip(parts::<3>(input)) {
        fs::write(folder.join(name), content).expect("written");
    }
    let _ = Measured::read(&folder);
    let _ = RunSummary::read(&folder);
    let run = match Run::read(&folder) {
        Ok(run) => run,
        Err(error) => return refused(&error, "run"),
    };
    let again = scratch.folder("again");
    let mut writing = RunFolder::create(&again, &run.record).expect("made");
    writing.append_samples(&run.samples).expect("written");
    writing.append_summary(&run.summary).expect("written");
    writing.describe(&run.record).expect("described");
    drop(writing);
    let read = Run::read(&again).expect("what was written is read");
    assert!(read.record == run.record, "records are the same");
    assert!(read.samples == run.samples, "samples are the same");
    assert!(read.summary == run.summary, "summaries are the same");
    RunFolder::resume(&again).expect("what was written is resumed");
    true
}

/// The files of a stream's folder, which may be a node's: it is shown, and merged with itself.
pub(crate) fn stream_folder(scratch: &Scratch, input: &[u8]) -> bool {
    let folder = scratch.folder("stream");
    for (name, content) in STREAM_FILES.iter().zip(parts::<3>(input)) {
        fs::write(folder.join(name), content).expect("written");
    }
    let run = match StreamRun::read(&folder) {
        Ok(run) => run,
        Err(error) => return refused(&error, "stream"),
    };
    for row in &run.rows {
        let part = NodePart { row, timeslices: &run.timeslices, cpus: 2 };
        let merged = together(&[part, part]).expect("two of them");
        let rows = [merged, row.clone()];
        let table = RunRows { run: &run.record, rows: &rows };
        let shown = table.render(Format::Table, Screen::default()).expect("shown");
        assert!(shown.ends_with('\n'));
    }
    let again = scratch.folder("again");
    let mut writing = StreamFolder::create(&again, &run.record).expect("made");
    for (index, row) in run.rows.iter().enumerate() {
        let timeslices = if index == 0 { &run.timeslices[..] } else { &[] };
        writing.append(row, timeslices).expect("written");
    }
    drop(writing);
    let read = StreamRun::read(&again).expect("what was written is read");
    assert!(read.record == run.record, "records are the same");
    // Values that are not numbers are the same, but not equal.
    let same = |a: &dyn Debug, b: &dyn Debug| format!("{a:?}") == format!("{b:?}");
    assert!(same(&read.rows, &run.rows), "rows are the same");
    assert!(run.rows.is_empty() || same(&read.timeslices, &run.timeslices), "timeslices are, too");
    true
}

/// The files of a store: its manifest, its record of a run, and a mark of an accepted one.
pub(crate) fn store(scratch: &Scratch, input: &[u8]) -> bool {
    let root = scratch.folder("store");
    let files = ["store.json", "runs/1-sort/stored.json", "accepted/sort@11.json"];
    for (name, content) in files.iter().zip(parts::<3>(input)) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    let store = match Store::open(&root) {
        Ok(store) => store,
        Err(error) => return refused(&error, "store"),
    };
    assert_eq!(store.list(&Filter::default()).expect("a list").len(), 1);
    let damaged = store.damaged_marks().expect("looked at");
    assert!(damaged.iter().all(|error| error.to_string().contains("accepted")));
    let _ = store.unaccept("accepted");
    assert_eq!(store.damaged_marks().expect("looked at").len(), damaged.len());
    damaged.is_empty()
}

pub(crate) fn ceilings(_: &Scratch, input: &[u8]) -> bool {
    comes_back_as_json::<CeilingsRecord>(input)
}

pub(crate) fn comparison(_: &Scratch, input: &[u8]) -> bool {
    comes_back_as_json::<Comparison>(input)
}

fn comes_back_as_json<T: PartialEq + Serialize + DeserializeOwned>(input: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<T>(input) else {
        return false;
    };
    let text = serde_json::to_string(&value).expect("what was read is written");
    let read: T = serde_json::from_str(&text).expect("what was written is read");
    assert!(read == value, "what is read is what was written");
    true
}
