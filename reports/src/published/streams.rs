//! Streams that were measured for figures.

use super::figure::{Value, kind};
use crate::grouped::grouped;
use crate::record::YesNo;
use crate::stream::{StreamRow, TimesliceRow, highest_kept_up};
use crate::throughput::{Curve, ThroughputRow, curves};

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
    Some(row.rate()? / row.items)
}
