//! A self-test for a terminal.

use comfy_table::{CellAlignment, Table, presets::NOTHING};

use crate::record::{SelfTest, Trial};
use crate::units::percent;

const COLUMNS: [&str; 6] = [
    "injected",
    "points",
    "SLOWER",
    "FASTER",
    "INCONCLUSIVE",
    "SAME",
];

/// What the gate said of each slowdown, as shares of the points.
pub fn selftest(test: &SelfTest) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(COLUMNS);
    table.add_rows(test.trials.iter().map(cells));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: Vec<_> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    let (effect, p) = (percent(test.min_effect), test.significance);
    format!(
        "What the gate said of known slowdowns (minimum effect {effect}, p < {p}):\n{}\n",
        lines.join("\n")
    )
}

fn cells(trial: &Trial) -> [String; 6] {
    let injected = match trial.slowdown {
        0.0 => "none".to_owned(),
        slowdown => percent(slowdown),
    };
    let changed = trial.slower + trial.faster + trial.inconclusive;
    let share = |count: usize| percent(count as f64 / trial.points.max(1) as f64);
    [
        injected,
        trial.points.to_string(),
        share(trial.slower),
        share(trial.faster),
        share(trial.inconclusive),
        share(trial.points.saturating_sub(changed)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_points() {
        let trial = Trial {
            slowdown: 0.05,
            pairs: 1,
            points: 200,
            slower: 190,
            faster: 1,
            inconclusive: 8,
        };
        let expected = ["5.0 %", "200", "95 %", "0.50 %", "4.0 %", "0.50 %"];
        assert_eq!(cells(&trial), expected.map(str::to_owned));
    }
}
