//! Tables that are part of the program, and streams that were measured for published figures, in
//! folders next to the run's own files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::figure::{Claim, Figure, Stream, Value, kind};
use crate::grouped::grouped;
use crate::record::YesNo;
use crate::store::{StoreError, StreamRun, ThroughputRun};
use crate::stream::{StreamRow, TimesliceRow, highest_kept_up};
use crate::throughput::{Curve, ThroughputRow, curves};

/// Tables of published figures, in CSV.
#[derive(Clone, Copy, Debug)]
pub struct PublishedTables<'a> {
    /// A row for each figure.
    pub figures: &'a str,
    /// A row for each published number, with its counterpart.
    pub values: &'a str,
    /// A row for each claim.
    pub claims: &'a str,
    /// A row for each figure that streams are measured for.
    pub streams: &'a str,
}

/// All published figures of tables, in the order of the publications.
pub fn read_figures(tables: &PublishedTables<'_>) -> Vec<Figure> {
    let values = rows::<Value>(tables.values);
    let claims = rows::<Claim>(tables.claims);
    let streams = rows::<Stream>(tables.streams);
    let mut figures = rows::<Figure>(tables.figures);
    for figure in &mut figures {
        let id = &figure.id;
        figure.values = values.iter().filter(|value| value.figure == *id).cloned().collect();
        figure.claims = claims.iter().filter(|claim| claim.figure == *id).cloned().collect();
        figure.stream = streams.iter().find(|stream| stream.figure == *id).cloned();
    }
    figures
}

/// The rows of a table. Tables are part of a program and read by a test, so invalid rows are skipped.
fn rows<R: DeserializeOwned>(text: &str) -> Vec<R> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().filter_map(Result::ok).collect()
}

/// The parameter of a value at one speed; others are of the highest speed that was kept up with.
const SPEED: &str = "speed";

/// Results of streams with one name: of an open-loop run of timeslices, or of concurrent events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streams {
    /// Their name.
    pub name: String,
    /// Speeds on devices.
    pub rows: Vec<StreamRow>,
    /// Their timeslices.
    pub timeslices: Vec<TimesliceRow>,
    /// Points of concurrent events.
    pub points: Vec<ThroughputRow>,
}

impl Streams {
    /// Streams of a name without results.
    pub fn new(name: String) -> Self {
        Streams { name, ..Streams::default() }
    }

    /// The displayed row of each device: the highest speed that was kept up with, else the lowest.
    pub fn best_rows(&self) -> Vec<&StreamRow> {
        let rows = self.rows.iter().filter(|row| row.is_measured());
        let by_device = grouped(rows, |row| row.device.clone()).into_iter();
        by_device.filter_map(|(_, rows)| best(&rows)).collect()
    }

    /// The timeslices of a row.
    pub fn timeslices_of<'a>(
        &'a self,
        row: &'a StreamRow,
    ) -> impl Iterator<Item = &'a TimesliceRow> + Clone {
        self.timeslices.iter().filter(|timeslice| timeslice.point_id == row.point_id)
    }

    /// Curves of events over streams.
    pub fn curves(&self) -> Vec<Curve<'_>> {
        curves(&self.points)
    }

    /// The row of a value; for any device, the one with the highest speed.
    pub(super) fn row(&self, value: &Value) -> Option<&StreamRow> {
        let is_there = |row: &&StreamRow| is_kind(value, &row.device);
        match value.params.get(SPEED).and_then(|speed| speed.parse::<f64>().ok()) {
            Some(speed) => {
                let measured = self.rows.iter().filter(|row| row.is_measured());
                measured.filter(is_there).find(|row| row.speed == speed)
            }
            None => {
                let shown = self.best_rows().into_iter().filter(is_there);
                shown.max_by(|a, b| a.speed.total_cmp(&b.speed))
            }
        }
    }

    /// The curve of a value: the one with the highest rate.
    pub(super) fn curve(&self, value: &Value) -> Option<Curve<'_>> {
        let own = self.curves().into_iter();
        let own = own.filter(|curve| curve.rows.iter().any(|row| is_kind(value, &row.device)));
        let best = |curve: &Curve<'_>| curve.best().and_then(events).unwrap_or_default();
        own.max_by(|a, b| best(a).total_cmp(&best(b)))
    }

    /// Reason why there is no result on a device, if a row states one.
    pub(super) fn note(&self, value: &Value) -> Option<String> {
        let rows = self.rows.iter().map(|row| (&row.device, row.valid, &row.note));
        let points = self.points.iter().map(|row| (&row.device, row.valid, &row.note));
        let mut refused = rows.chain(points).filter(|(device, ..)| is_kind(value, device));
        let (.., note) =
            refused.find(|(_, valid, note)| *valid == YesNo::No && !note.is_empty())?;
        Some(note.clone())
    }
}

/// The highest speed of a device that was kept up with, else the lowest.
fn best<'a>(rows: &[&'a StreamRow]) -> Option<&'a StreamRow> {
    let slowest = || rows.iter().copied().min_by(|a, b| a.speed.total_cmp(&b.speed));
    highest_kept_up(rows.iter().copied()).or_else(slowest)
}

fn is_kind(value: &Value, device: &str) -> bool {
    value.device.is_empty() || kind(device) == value.device
}

pub(super) fn events(row: &ThroughputRow) -> Option<f64> {
    Some(row.rate()? / row.items_per_event())
}

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
    use super::super::fixture::{CLAIMS, FIGURES, STREAMS, VALUES, figures};
    use super::*;
    use crate::charts::fixture::run;
    use crate::store::{StreamFolder, ThroughputFolder};
    use crate::stream::fixture::{row, timeslice};
    use crate::throughput::fixture;

    #[test]
    fn no_row_of_the_tables_is_lost() {
        let lines = |text: &str| text.lines().count() - 1;
        let figures = figures();
        assert_eq!(figures.len(), lines(FIGURES));
        let values = figures.iter().map(|figure| figure.values.len());
        assert_eq!(values.sum::<usize>(), lines(VALUES));
        let claims = figures.iter().map(|figure| figure.claims.len());
        assert_eq!(claims.sum::<usize>(), lines(CLAIMS));
        let streams = figures.iter().filter(|figure| figure.stream.is_some());
        assert_eq!(streams.count(), lines(STREAMS));
    }

    #[test]
    fn all_that_is_named_is_there() {
        for figure in figures() {
            let id = &figure.id;
            assert_eq!(figure.claims.is_empty(), !figure.reason.is_empty(), "{id}");
            for value in &figure.values {
                if let Some(basis) = &value.basis {
                    assert!(figure.value(basis, "").is_some(), "{id}: {basis}");
                }
            }
            for claim in &figure.claims {
                for (label, hardware) in [
                    (&claim.faster, &claim.hardware_of_faster),
                    (&claim.slower, &claim.hardware_of_slower),
                ] {
                    let value = figure.value(label, hardware);
                    assert!(value.is_some(), "{id}: {label} on {hardware}");
                }
            }
        }
    }

    #[test]
    fn reproducible_figures_name_their_points() {
        let figures = figures();
        let group = |name: &str| figures.iter().filter(|figure| figure.group == name).count();
        assert_eq!(["secB", "secC", "allen"].map(group), [16, 6, 6]);
        for figure in &figures {
            assert_eq!(figure.values.is_empty(), !figure.reason.is_empty(), "{}", figure.id);
        }
    }

    /// Values with one label have one measured counterpart, for all published machines.
    #[test]
    fn labels_are_clear() {
        for figure in figures() {
            for value in &figure.values {
                let first = figure.value(&value.label, "").expect("itself");
                let (Value { hardware, published, unit, items, basis, .. }, first) =
                    (value.clone(), first.clone());
                let first = Value { hardware, published, unit, items, basis, ..first };
                assert_eq!(*value, first, "{}", figure.id);
            }
        }
    }

    #[test]
    fn numbers_are_those_that_were_printed() {
        let figures = figures();
        let figure = |id: &str| figures.iter().find(|figure| figure.id == id).expect(id);
        let table = figure("tab5.1");
        let value = table.value("sort, online, 1 thread", "Xeon Gold 6130").expect("a value");
        assert_eq!(value.seconds(), Some(1.22));
        let nanoseconds = value.amount_an_item().expect("items") * 1e9;
        assert!((nanoseconds - 70.93).abs() < 0.01, "{nanoseconds}");
        let speed_up = table.published_speed_up(value).expect("a basis");
        assert!((speed_up - 2.4 / 1.22).abs() < 1e-9, "{speed_up}");
        let layers = figure("fig4.4");
        let one_api = layers.value("oneAPI", "").expect("a value");
        assert_eq!(layers.published_speed_up(one_api), Some(100.0 / 136.0));
        let gather = figure("fig3.10");
        let value = gather.value("writes to the host", "MI100").expect("a value");
        assert_eq!(gather.published_speed_up(value), Some(60.0));
        let search = figure("allen.search");
        let value = search.value("search, published, GPU", "").expect("a value");
        assert_eq!((value.seconds(), value.counts()), (Some(1e-3 / 592.0), None));
        let physics = figure("allen.physics");
        let value = physics.value("efficiency, super-pixels, minimum bias", "").expect("a value");
        assert!(value.amount().is_some_and(|share| (share - 0.9852).abs() < 1e-12));
    }

    #[test]
    fn streams_are_found_by_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let record = run();
        for (name, speed) in [("beam-time-cpu-1", 1.0), ("beam-time-cpu-4", 4.0)] {
            let mut stream = StreamFolder::create(&path(name), &record).expect("new");
            stream.append(&row(speed), &[timeslice(0, 0.1)]).expect("written");
        }
        let mut events = ThroughputFolder::create(&path("velo-events-cpu"), &record).expect("new");
        events.append(&fixture::row(1, 1e6), &[]).expect("written");
        let all = read_published_streams(folder.path(), &figures()).expect("read");
        let counts = |name: &str| {
            let streams = all.iter().find(|streams| streams.name == name).expect(name);
            [streams.rows.len(), streams.timeslices.len(), streams.points.len()]
        };
        assert_eq!(counts("beam-time"), [2, 2, 0]);
        assert_eq!(counts("velo-events"), [0, 0, 1]);
        assert_eq!(counts("data-challenge"), [0, 0, 0]);
        std::fs::write(path("velo-events-cpu/throughput.csv"), "nothing").expect("written");
        assert!(read_published_streams(folder.path(), &figures()).is_err());
    }
}
