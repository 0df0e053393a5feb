//! A mix as tables: its loads, the matrix of slowdowns, and what explains those beyond the noise.

use super::competition::Resource;
use super::matrix::matrix;
use super::{LoadRow, MixedResult, SlowdownRow, per_second};
use crate::frame::Frame;
use crate::record::{RunRecord, YesNo};
use crate::row::Record;
use crate::screen::Screen;
use crate::table::{Highlight, Side, Table, Tabular, known};
use crate::units;

const LOADS: [(&str, Side); 14] = [
    ("load", Side::Left),
    ("task", Side::Left),
    ("variant", Side::Left),
    ("device", Side::Left),
    ("threads", Side::Right),
    ("due", Side::Right),
    ("alone", Side::Right),
    ("95 %", Side::Right),
    ("together", Side::Right),
    ("95 % ", Side::Right),
    ("p50 alone", Side::Right),
    ("p50 together", Side::Right),
    ("p99 alone", Side::Right),
    ("p99 together", Side::Right),
];
const EVIDENCE: [(&str, Side); 10] = [
    ("load", Side::Left),
    ("neighbour", Side::Left),
    ("slowdown", Side::Right),
    ("competes for (inferred)", Side::Left),
    ("threads", Side::Right),
    ("CPUs", Side::Right),
    ("cores", Side::Right),
    ("copy", Side::Right),
    ("link", Side::Right),
    ("kernels", Side::Right),
];
/// Columns that are omitted on narrow terminals, the least important first.
const DISPENSABLE: [&str; 7] =
    ["95 % ", "95 %", "p99 alone", "p50 alone", "threads", "variant", "task"];

/// A mix with the record of its run.
#[derive(Clone, Copy, Debug)]
pub struct MixedTable<'a> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The rows.
    pub result: &'a MixedResult,
}

impl Tabular for MixedTable<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let result = self.result;
        let matrix = (!result.slowdowns.is_empty()).then(|| matrix(result));
        [Some(loads(result)), matrix, evidence(result)].into_iter().flatten().collect()
    }

    fn frame(&self) -> Frame {
        Frame::new(&record(&LoadRow::default()), self.result.loads.iter().map(record))
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

fn record(row: &LoadRow) -> Record<'_> {
    row.record().spread("axis", row.params.iter())
}

fn loads(result: &MixedResult) -> Table {
    let highlight = |load: &LoadRow| match load.valid {
        YesNo::Yes => Highlight::Plain,
        YesNo::No => Highlight::NotValid,
    };
    let noted = result.loads.iter().filter(|load| !load.note.is_empty());
    let notes = noted.map(|load| format!("{}: {}", load.load, load.note));
    Table::new(&LOADS, result.loads.iter().map(cells))
        .under("Loads: events per second and latency, alone and together")
        .with_highlights(result.loads.iter().map(highlight).collect())
        .with_notes(notes.chain(result.mix_in_words()).collect())
        .without_if_narrow(&DISPENSABLE)
}

fn cells(load: &LoadRow) -> Vec<String> {
    let half = |value: Option<f64>, low: Option<f64>, high: Option<f64>| {
        let half = value.zip(low.zip(high)).map(|(value, (low, high))| (high - low) / 2.0 / value);
        known(half, |half| format!("± {}", units::percent(half)))
    };
    let time = |seconds: Option<f64>, is_unbounded: YesNo| match is_unbounded {
        YesNo::Yes => "unbounded".to_owned(),
        YesNo::No => known(seconds, |seconds| units::seconds(seconds, 3)),
    };
    vec![
        load.load.clone(),
        load.algorithm.clone(),
        load.variant.clone(),
        load.device.clone(),
        format!("{} x {}", load.streams, load.threads),
        known(load.due_per_s, per_second),
        known(load.alone_per_s, per_second),
        half(load.alone_per_s, load.alone_per_s_low, load.alone_per_s_high),
        known(load.together_per_s, per_second),
        half(load.together_per_s, load.together_per_s_low, load.together_per_s_high),
        time(load.alone_p50_s, load.alone_unbounded),
        time(load.together_p50_s, load.together_unbounded),
        time(load.alone_p99_s, load.alone_unbounded),
        time(load.together_p99_s, load.together_unbounded),
    ]
}

/// Evidence of the slowdowns beyond the noise; `None` without any.
fn evidence(result: &MixedResult) -> Option<Table> {
    let slowed: Vec<&SlowdownRow> =
        result.slowdowns.iter().filter(|row| !row.competes_for.is_empty()).collect();
    let share = |share: Option<f64>| known(share, units::percent);
    let resources = |row: &SlowdownRow| {
        let names: Vec<&str> = row.competes_for.split('+').map(Resource::words).collect();
        names.join(", ")
    };
    let cells = |row: &&SlowdownRow| {
        vec![
            row.load.clone(),
            row.neighbour.clone(),
            known(row.slowdown, units::times),
            resources(row),
            row.threads.to_string(),
            row.cpus.to_string(),
            share(row.cores_share_alone),
            share(row.copy_share_alone),
            share(row.link_share_alone),
            share(row.kernels_share_alone),
        ]
    };
    let note = "cores, copy, link, kernels: shares of the CPUs, of the copy bandwidth, of the link and \
                of the GPU's time that both use alone, added; what explains a slowdown is inferred \
                from them, not measured";
    (!slowed.is_empty()).then(|| {
        Table::new(&EVIDENCE, slowed.iter().map(cells))
            .under("What loads that slow each other down compete for")
            .with_notes(vec![note.to_owned()])
            .without_if_narrow(&["kernels", "link", "CPUs", "threads"])
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::mix;
    use super::*;
    use crate::table::{Format, for_people};

    #[test]
    fn a_mix_has_three_tables() {
        let result = mix();
        let run = RunRecord::default();
        let tables = MixedTable { run: &run, result: &result }.tables(Screen::default());
        let [loads, matrix, evidence] = &tables[..] else { panic!("{}", tables.len()) };
        assert_eq!(loads.column("due"), ["-", "-", "200/s", "-"]);
        assert!(loads.notes().iter().any(|note| note.ends_with("limited by velo")));
        let names = matrix.names();
        let expected =
            ["with sts", "with velo", "with online", "with together", "with background-memory"];
        assert_eq!(names[1..], expected);
        assert!(matrix.column("with velo")[0].starts_with("2.00 × (1."), "{matrix:?}");
        assert!(matrix.column("with velo")[0].ends_with(" *"), "{matrix:?}");
        assert_eq!(matrix.column("with sts")[0], "", "not with itself");
        let inferred = evidence.column("competes for (inferred)");
        assert!(inferred.contains(&"cache or shared clocks (by exclusion)"), "{inferred:?}");
        let text = for_people(Format::Markdown, &tables, Screen::default());
        assert!(text.contains("not measured"), "{text}");
    }

    #[test]
    fn one_load_has_one_table() {
        let result = MixedResult {
            loads: vec![super::super::fixture::load("sts", 1)],
            ..MixedResult::default()
        };
        let run = RunRecord::default();
        assert_eq!(MixedTable { run: &run, result: &result }.tables(Screen::default()).len(), 1);
    }

    #[test]
    fn programs_get_all_columns() {
        let result = mix();
        let run = RunRecord::default();
        let text = MixedTable { run: &run, result: &result }.frame().csv().expect("rows");
        let header = text.lines().next().expect("a header");
        assert!(header.starts_with("load,algorithm,variant,"), "{header}");
        assert_eq!(text.lines().count(), 1 + 4);
    }
}
