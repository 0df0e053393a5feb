//! Simulated streams as a table.

use super::{MAX_P50_DEVIATION, MAX_P99_DEVIATION, SimulationRow};
use crate::frame::Frame;
use crate::record::RunRecord;
use crate::screen::Screen;
use crate::stream::short;
use crate::table::{Side, Table, Tabular, known};
use crate::units;

/// Simulated streams of a run.
#[derive(Clone, Copy, Debug)]
pub struct Simulated<'a> {
    /// `run.json` of the stream.
    pub run: &'a RunRecord,
    /// The rows.
    pub rows: &'a [SimulationRow],
}

const COLUMNS: [(&str, Side); 14] = [
    ("variant", Side::Left),
    ("device", Side::Left),
    ("nodes", Side::Right),
    ("workers", Side::Right),
    ("speed", Side::Right),
    ("busy", Side::Right),
    ("kept up", Side::Left),
    ("left", Side::Right),
    ("p50", Side::Right),
    ("measured", Side::Right),
    ("off by", Side::Right),
    ("p99", Side::Right),
    ("measured", Side::Right),
    ("off by", Side::Right),
];

impl Tabular for Simulated<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let notes = notes(self.rows);
        vec![Table::new(&COLUMNS, self.rows.iter().map(cells)).with_notes(notes)]
    }

    fn frame(&self) -> Frame {
        let empty = SimulationRow::default();
        Frame::new(&empty.record(), self.rows.iter().map(SimulationRow::record))
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

fn cells(row: &SimulationRow) -> Vec<String> {
    let time = |seconds: Option<f64>| known(seconds, |seconds| units::seconds(seconds, 3));
    let deviation = |share: Option<f64>| known(share, |share| format!("{:+.0} %", 100.0 * share));
    vec![
        row.variant.clone(),
        row.device.clone(),
        row.nodes.to_string(),
        row.workers.to_string(),
        short(row.speed),
        units::percent(row.utilisation),
        row.kept_up.name().to_owned(),
        row.left.to_string(),
        time(row.p50_s),
        time(row.measured_p50_s),
        deviation(row.p50_deviation),
        time(row.p99_s),
        time(row.measured_p99_s),
        deviation(row.p99_deviation),
    ]
}

/// Judgement of the simulation, where it can be compared.
fn notes(rows: &[SimulationRow]) -> Vec<String> {
    let judged: Vec<bool> = rows.iter().filter_map(SimulationRow::is_near).collect();
    let near = judged.iter().filter(|is_near| **is_near).count();
    let mut notes = Vec::new();
    if !judged.is_empty() {
        notes.push(format!(
            "{near} of {} that keep up are within {} of the measured median and {} of the 99th percentile",
            units::counted(judged.len(), "stream"),
            units::percent(MAX_P50_DEVIATION),
            units::percent(MAX_P99_DEVIATION),
        ));
    }
    let own =
        rows.iter().filter(|row| row.measured_p50_s.is_some() && row.service_speed == row.speed);
    if own.count() > 0 {
        notes.push(
            "times of workers are those of the stream itself where it has no other speed: that tests less"
                .to_owned(),
        );
    }
    notes
}
