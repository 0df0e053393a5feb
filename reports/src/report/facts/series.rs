//! The medians of points over runs.

use std::collections::HashMap;

use super::super::ReportInput;
use crate::record::{Point, RunRecord, SummaryRow};
use crate::trend::{HistoryPoint, PointHistory, ShiftLimits, Trend, trends};

/// A point over runs of the same machine.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// The point in the reported run.
    pub row: &'a SummaryRow,
    /// Two runs or more, the oldest first: the last one is of the reported run.
    pub trend: Trend,
}

impl Series<'_> {
    /// The last median over the median of those before.
    pub fn change(&self) -> f64 {
        let entries = &self.trend.history.entries;
        let mut medians: Vec<f64> = entries.iter().map(|entry| entry.median_s).collect();
        let last = medians.pop().unwrap_or(1.0);
        medians.sort_by(f64::total_cmp);
        medians.get(medians.len() / 2).map_or(1.0, |m| last / m)
    }
}

/// The points of a task that an earlier run has too, by size of the change.
pub fn series<'a>(input: &ReportInput<'a>, algorithm: &str) -> Vec<Series<'a>> {
    let mut by_point: HashMap<Point, Vec<HistoryPoint>> = HashMap::new();
    for run in input.history() {
        let is_here = |row: &&SummaryRow| {
            let gpu = |record: &RunRecord| record.gpu_model(&row.device).map(str::to_owned);
            row.algorithm == algorithm && gpu(&run.record) == gpu(&input.run.record)
        };
        for row in run.rows.iter().filter(is_here) {
            if let Some(entry) = HistoryPoint::from_row("", &run.record, row) {
                by_point.entry(row.point()).or_default().push(entry);
            }
        }
    }
    let rows = input.run.summary.iter();
    let histories = rows.filter(|row| row.algorithm == algorithm).filter_map(|row| {
        let last = HistoryPoint::from_row("", &input.run.record, row)?;
        let mut entries = by_point.remove(&row.point())?;
        entries.push(last);
        let record = &input.run.record;
        let history = PointHistory {
            machine_key: record.machine_key.clone(),
            gpu: record.gpu_model(&row.device).map(str::to_owned),
            moved: None,
            point: row.point(),
            entries,
        };
        Some((row, history))
    });
    let (rows, histories): (Vec<_>, Vec<_>) = histories.unzip();
    let trends = trends(histories, &ShiftLimits::default(), &[]);
    let series = rows.into_iter().zip(trends);
    let mut series: Vec<_> = series.map(|(row, trend)| Series { row, trend }).collect();
    let moved = |series: &Series| series.change().ln().abs();
    series.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
    series
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{earlier, row, run};
    use super::*;

    #[test]
    fn earlier_runs_of_one_machine_are_in_the_order_of_time() {
        let mut elsewhere = earlier("2026-01-01T00:00:03Z", vec![row("a", "n=1", 9.0)]);
        elsewhere.record.machine_key = "other".into();
        let runs = [
            earlier("2026-01-01T00:00:05Z", vec![row("a", "n=1", 7.0)]),
            earlier("2026-01-01T00:00:02Z", vec![row("a", "n=1", 2.0)]),
            earlier("2026-01-01T00:00:01Z", vec![row("a", "n=1", 1.0)]),
            elsewhere,
        ];
        let mut run = run(vec![row("a", "n=1", 4.0), row("new", "n=1", 1.0)]);
        run.record.started = "2026-01-01T00:00:04Z".into();
        let input = ReportInput { earlier: &runs, ..ReportInput::for_run(&run) };
        let series = series(&input, "sort");
        assert_eq!(series.len(), 1);
        let medians: Vec<_> = series[0].trend.history.entries.iter().map(|e| e.median_s).collect();
        assert_eq!(medians, [1.0, 2.0, 4.0]);
        assert_eq!(series[0].change(), 2.0);
    }

    #[test]
    fn changes_of_the_level_are_found() {
        let day = |day: usize| format!("2025-12-{day:02}T00:00:00Z");
        let level = |day: usize| if day <= 20 { 1.0 } else { 1.5 };
        // Slightly different each time, as times are.
        let median = |day: usize| level(day) * (1.0 + 1e-3 * (day * 7 % 5) as f64);
        let nights = 1..=29;
        let runs: Vec<_> = nights
            .map(|night| earlier(&day(night), vec![row("a", "n=1", median(night))]))
            .collect();
        let run = run(vec![row("a", "n=1", 1.5)]);
        let input = ReportInput { earlier: &runs, ..ReportInput::for_run(&run) };
        let series = series(&input, "sort");
        let firsts: Vec<usize> = series[0].trend.shifts.iter().map(|shift| shift.first).collect();
        assert_eq!(firsts, [20]);
    }

    #[test]
    fn the_largest_changes_come_first() {
        let rows = |a: f64, b: f64| vec![row("a", "n=1", a), row("b", "n=1", b)];
        let runs = [earlier("2025-12-31T00:00:00Z", rows(1.0, 1.0))];
        let run = run(rows(1.1, 0.5));
        let input = ReportInput { earlier: &runs, ..ReportInput::for_run(&run) };
        assert_eq!(series(&input, "sort")[0].row.variant, "b");
    }
}
