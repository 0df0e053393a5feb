//! Settings with their standing, as tables.

use super::{Candidate, Goal, Standing};
use crate::frame::Frame;
use crate::record::RunRecord;
use crate::row::{Record, row};
use crate::screen::Screen;
use crate::shape;
use crate::table::{Side, Table, Tabular};

/// Settings of a run by speed and quality.
#[derive(Clone, Copy, Debug)]
pub struct ParetoTable<'a> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The metrics, the speed first.
    pub goals: &'a [Goal],
    /// The settings.
    pub candidates: &'a [Candidate],
    /// The standing of each.
    pub standings: &'a [Standing],
}

row! {
    /// A metric of a setting, in `pareto.csv`.
    #[derive(Debug)]
    struct ParetoRow<'a> {
        /// The point: see the rows of the run.
        point_id: &'a str,
        /// Variant and device.
        name: &'a str,
        /// The parameters that vary.
        setting: &'a str,
        /// The metric.
        metric: &'a str,
        /// Its value.
        value: Option<f64>,
        /// Lower end of the 95 % interval.
        low: Option<f64>,
        /// Upper end of the 95 % interval.
        high: Option<f64>,
        /// `front`, `undecided` or `dominated`.
        standing: &'a str,
        /// The point that is better; empty on the front.
        by: &'a str,
    }
}

impl<'a> ParetoTable<'a> {
    /// The settings on the front, the fastest first.
    pub fn front(&self) -> Vec<&'a Candidate> {
        let order = self.fastest_first().into_iter();
        let of_front = order.filter(|&index| self.standings[index] == Standing::Front);
        of_front.map(|index| &self.candidates[index]).collect()
    }

    fn fastest_first(&self) -> Vec<usize> {
        let speed = |index: usize| self.goals[0].score(self.candidates[index].figures[0].value);
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by(|&a, &b| speed(b).total_cmp(&speed(a)));
        order
    }

    /// Name and parameters of a setting.
    pub fn words(candidate: &Candidate) -> String {
        shape::joined([&candidate.name, &candidate.setting])
    }

    fn cells(&self, candidate: &Candidate, standing: Standing) -> Vec<String> {
        let figure = |(goal, figure): (&Goal, &super::Figure)| {
            let value = goal.words(figure.value);
            match figure.interval {
                Some(ends) => {
                    format!("{value} ({} to {})", goal.words(ends.low), goal.words(ends.high))
                }
                None => value,
            }
        };
        let by = standing.by().map(|by| Self::words(&self.candidates[by]));
        let words = [standing.name().to_owned(), Self::words(candidate)];
        let figures = self.goals.iter().zip(&candidate.figures).map(figure);
        words.into_iter().chain(figures).chain([by.unwrap_or_default()]).collect()
    }
}

impl Tabular for ParetoTable<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let goals = self.goals.iter().map(|goal| (goal.label.as_str(), Side::Right));
        let ends = [("better setting", Side::Left)];
        let columns = [("standing", Side::Left), ("setting", Side::Left)];
        let columns: Vec<_> = columns.into_iter().chain(goals).chain(ends).collect();
        let order = self.fastest_first().into_iter();
        let rows = order.map(|index| self.cells(&self.candidates[index], self.standings[index]));
        vec![Table::new(&columns, rows)]
    }

    fn frame(&self) -> Frame {
        let mut records = Vec::new();
        for (candidate, standing) in self.candidates.iter().zip(self.standings) {
            let by = standing.by().map_or("", |by| &self.candidates[by].point_id);
            for (goal, figure) in self.goals.iter().zip(&candidate.figures) {
                records.push(Record::from(ParetoRow {
                    point_id: &candidate.point_id,
                    name: &candidate.name,
                    setting: &candidate.setting,
                    metric: &goal.metric,
                    value: Some(figure.value),
                    low: figure.interval.map(|ends| ends.low),
                    high: figure.interval.map(|ends| ends.high),
                    standing: standing.name(),
                    by,
                }));
            }
        }
        Frame::like_first(records)
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}
