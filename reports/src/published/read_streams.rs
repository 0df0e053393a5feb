//! Streams that were measured for published figures, in folders next to the run's own files.

use std::fs;
use std::path::{Path, PathBuf};

use super::figure::Figure;
use super::streams::Streams;
use crate::store::{StoreError, StreamRun, ThroughputRun};

/// The streams of figures in a run's folder, by their names: all folders `NAME-…` with results.
///
/// # Errors
/// If a file is damaged or of another version.
pub fn read_published_streams(
    folder: &Path,
    figures: &[Figure],
) -> Result<Vec<Streams>, StoreError> {
    let names = figures.iter().filter_map(|figure| Some(figure.stream.as_ref()?.runs.clone()));
    let mut all: Vec<Streams> = Vec::new();
    for name in names {
        if all.iter().all(|known| known.name != name) {
            all.push(read(folder, name)?);
        }
    }
    Ok(all)
}

fn read(folder: &Path, name: String) -> Result<Streams, StoreError> {
    let mut streams = Streams::new(name);
    for folder in folders(folder, &streams.name) {
        if StreamRun::is_in(&folder) {
            let run = StreamRun::read(&folder)?;
            streams.rows.extend(run.rows);
            streams.timeslices.extend(run.timeslices);
        } else if ThroughputRun::is_in(&folder) {
            streams.points.extend(ThroughputRun::read(&folder)?.rows);
        }
    }
    Ok(streams)
}

/// The folders of a name in a fixed order; empty if the parent can't be listed.
fn folders(folder: &Path, name: &str) -> Vec<PathBuf> {
    let prefix = format!("{name}-");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| {
        let own = path.file_name().and_then(|name| name.to_str());
        own.is_some_and(|own| own.starts_with(&prefix)) && path.is_dir()
    };
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::run;
    use crate::published::figures;
    use crate::store::{StreamFolder, ThroughputFolder};
    use crate::stream::fixture::{row, timeslice};
    use crate::throughput::fixture;

    #[test]
    fn streams_are_found_by_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let record = run();
        for (name, speed) in [("beam-time-cpu-1", 1.0), ("beam-time-cpu-4", 4.0)] {
            let mut stream = StreamFolder::create(&path(name), &record).expect("new");
            stream.append(&row(speed), &[timeslice(0, 0.1)]).expect("written");
        }
        let mut events = ThroughputFolder::create(&path("events-cpu"), &record).expect("new");
        events.append(&fixture::row(1, 1e6), &[]).expect("written");
        let all = read_published_streams(folder.path(), &figures()).expect("read");
        let counts = |name: &str| {
            let streams = all.iter().find(|streams| streams.name == name).expect(name);
            [streams.rows.len(), streams.timeslices.len(), streams.points.len()]
        };
        assert_eq!(counts("beam-time"), [2, 2, 0]);
        assert_eq!(counts("events"), [0, 0, 1]);
        assert_eq!(counts("data-challenge"), [0, 0, 0]);
        std::fs::write(path("events-cpu/throughput.csv"), "nothing").expect("written");
        assert!(read_published_streams(folder.path(), &figures()).is_err());
    }
}
