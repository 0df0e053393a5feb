//! Slowdowns by load and neighbour, for tables and charts.

use super::slowdowns::TOGETHER;
use super::{BACKGROUND, MixedResult, SlowdownRow};
use crate::grouped::distinct;
use crate::table::{Side, Table};
use crate::units;

impl MixedResult {
    /// Names of the neighbours, in the order of the matrix: loads, all together, background loads.
    pub fn neighbours(&self) -> Vec<String> {
        let mut names = distinct(self.slowdowns.iter().map(|row| row.neighbour.clone()));
        let loads: Vec<&str> = self.loads.iter().map(|load| load.load.as_str()).collect();
        names.sort_by_key(|name| {
            let position = loads.iter().position(|load| load == name);
            (name.starts_with(BACKGROUND), name == TOGETHER, position)
        });
        names
    }

    /// The slowdown of a load by a neighbour.
    pub fn slowdown(&self, load: &str, neighbour: &str) -> Option<&SlowdownRow> {
        self.slowdowns.iter().find(|row| row.load == load && row.neighbour == neighbour)
    }

    /// Names of the loads that have slowdowns.
    pub fn slowed_loads(&self) -> Vec<String> {
        distinct(self.slowdowns.iter().map(|row| row.load.clone()))
    }
}

impl SlowdownRow {
    /// `1.52 × (1.49 to 1.55)`, or what is there instead of a ratio.
    pub fn words(&self) -> String {
        let Some(slowdown) = self.slowdown else {
            return if self.effect == "unbounded" { "unbounded" } else { "-" }.to_owned();
        };
        let ends = self.slowdown_low.zip(self.slowdown_high);
        let interval =
            ends.map_or_else(String::new, |(low, high)| format!(" ({low:.2} to {high:.2})"));
        units::times(slowdown) + &interval
    }

    /// True if the slowdown is more than noise.
    pub fn is_beyond_noise(&self) -> bool {
        matches!(self.effect.as_str(), "slower" | "faster" | "unbounded")
    }
}

/// The matrix as a table.
pub fn matrix(result: &MixedResult) -> Table {
    let neighbours = result.neighbours();
    let mut columns = vec![("slowdown of".to_owned(), Side::Left)];
    columns.extend(neighbours.iter().map(|name| (format!("with {name}"), Side::Right)));
    let cell = |load: &str, neighbour: &str| match result.slowdown(load, neighbour) {
        Some(row) if row.is_beyond_noise() => format!("{} *", row.words()),
        Some(row) => row.words(),
        None => String::new(),
    };
    let loads = result.slowed_loads();
    let rows = loads.iter().map(|load| {
        let cells = neighbours.iter().map(|neighbour| cell(load, neighbour));
        std::iter::once(load.clone()).chain(cells).collect::<Vec<_>>()
    });
    let open: Vec<String> = result
        .loads
        .iter()
        .filter(|load| load.is_open_loop() && load.is_valid())
        .map(|load| load.load.clone())
        .collect();
    let mut notes = vec![words_on_noise(&result.slowdowns)];
    if !open.is_empty() {
        notes
            .push(format!("of {}: ratios of the median latency, not of the rate", open.join(", ")));
    }
    Table::new(&columns, rows)
        .under("Slowdown of each load by each neighbour (1: none), with 95 % intervals")
        .with_notes(notes)
}

/// Number of slowdowns beyond the noise, and of those that are expected by chance.
fn words_on_noise(rows: &[SlowdownRow]) -> String {
    let judged = rows.iter().filter(|row| row.effect != "unknown").count();
    let beyond = rows.iter().filter(|row| row.is_beyond_noise()).count();
    format!(
        "* beyond the noise: {beyond} of {}; about one of twenty without an effect would be, by \
         chance",
        units::counted(judged, "ratio")
    )
}
