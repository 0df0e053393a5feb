//! Measured counterparts of published values.

use std::collections::BTreeSet;

use statistics::{Interval, Timing};

use super::data::Streams;
use super::figure::{Figure, Threads, Value};
use crate::rank::TOTAL;
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::units;

/// The stage of variants that are too slow for all of an input.
const SAMPLE: &str = "sample";
/// The metric of the time per page, in µs.
const PAGE_TIME: &str = "us_per_page";
/// Minimum number of samples for a range.
const MIN_SAMPLES: usize = 3;

/// A run that is searched for values.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The description of the run.
    pub record: &'a RunRecord,
    /// The rows of the run.
    pub rows: &'a [SummaryRow],
    /// The streams that were measured, if any.
    pub streams: &'a [Streams],
}

/// A measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// In seconds, or in the unit of the value.
    pub amount: f64,
    /// The 95 % interval of the time, in seconds; for few samples, from the fastest to the slowest;
    /// `None` for one or two. Counts have no scatter.
    pub interval: Option<Interval>,
    /// Number of items: those of a sample, if only that was processed.
    pub items: u64,
    /// True if that is only a part of the input.
    pub is_sample: bool,
    /// Unit of the items.
    pub item_unit: String,
    /// Number of threads.
    pub threads: usize,
}

impl Here<'_> {
    /// The figure with a value for each number of threads between one and the maximum.
    pub fn with_all_threads(&self, mut figure: Figure) -> Figure {
        let values = figure.values.into_iter();
        figure.values = values.flat_map(|value| self.by_threads(value)).collect();
        figure
    }

    fn by_threads(&self, value: Value) -> Vec<Value> {
        if value.threads != Threads::Between {
            return vec![value];
        }
        let max_threads = self.record.environment.usable_threads;
        let points = self.rows.iter().map(SummaryRow::point);
        let points = points.filter(|point| value.is_point(point, max_threads));
        let numbers: BTreeSet<usize> = points.map(|point| point.threads).collect();
        let with = |number: usize| {
            let mut value = value.clone();
            value.label = value.label.replace("{}", &number.to_string());
            value.threads = Threads::Exactly(number);
            value
        };
        numbers.into_iter().map(with).collect()
    }

    /// Description of the machine: `Model, 2 threads, cuda:0: GPU 100`.
    pub fn machine(&self) -> String {
        let machine = &self.record.machine;
        let threads = self.record.environment.usable_threads;
        let threads = units::counted(threads, "thread");
        let gpus = machine.gpus.iter().enumerate();
        let gpus = gpus.map(|(i, gpu)| format!("cuda:{i}: {}", gpu.model));
        let parts = [machine.cpu_model.clone(), threads].into_iter().chain(gpus);
        parts.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn has_gpu(&self) -> bool {
        !self.record.machine.gpus.is_empty()
    }

    /// The largest input of a value in the run.
    ///
    /// # Errors
    /// The reason why there is none, as text.
    pub fn find(&self, wanted: &Value) -> Result<Measured, String> {
        let max_threads = self.record.environment.usable_threads;
        let is_whole = |row: &&SummaryRow| [TOTAL, SAMPLE].contains(&row.stage.as_str());
        let wholes = self.rows.iter().filter(is_whole);
        let meant = wholes.filter(|row| wanted.is_point(&row.point(), max_threads));
        let Some(total) = meant.max_by_key(|row| row.items) else {
            let needs_gpu = wanted.device == "cuda" && !self.has_gpu();
            let needs_shaders = wanted.device.starts_with("wgpu") && self.record.shaders.is_none();
            return Err(match wanted.threads {
                _ if wanted.task.is_empty() => "not reproducible here".to_owned(),
                _ if needs_gpu => "needs a GPU".to_owned(),
                _ if needs_shaders => "needs a GPU that shaders run on".to_owned(),
                Threads::Exactly(number) if number > max_threads => {
                    format!("needs {number} threads")
                }
                _ => "not measured".to_owned(),
            });
        };
        if total.valid == YesNo::No {
            return Err(total.note.clone());
        }
        self.measured(wanted, total).ok_or_else(|| "the run has no such stage or metric".to_owned())
    }

    fn measured(&self, wanted: &Value, total: &SummaryRow) -> Option<Measured> {
        let of_all = (total.items, total.item_unit.as_str());
        let ((amount, interval), (items, item_unit)) = match wanted.metric.as_deref() {
            Some(PAGE_TIME) => (self.page_time(wanted, total)?, (1, "page")),
            Some(name) => (exactly(counted(total, name)?), of_all),
            None => (self.sum(wanted, total)?, of_all),
        };
        Some(Measured {
            amount,
            interval,
            items,
            item_unit: item_unit.to_owned(),
            is_sample: total.stage == SAMPLE,
            threads: total.threads,
        })
    }

    /// The time per page: its share of the selected stages.
    fn page_time(&self, wanted: &Value, total: &SummaryRow) -> Option<(f64, Option<Interval>)> {
        let each = 1e-6 * total.metrics.number(PAGE_TIME)? / total.median_s?;
        let (seconds, interval) = self.sum(wanted, total)?;
        Some((each * seconds, interval.map(|it| it.times(each))))
    }

    /// The total time of all selected stages. Their intervals are added as if all errors had the
    /// same sign, which is the worst case.
    fn sum(&self, wanted: &Value, total: &SummaryRow) -> Option<(f64, Option<Interval>)> {
        let point = total.point();
        let mut seconds = 0.0;
        let mut interval = Some(Interval { low: 0.0, high: 0.0 });
        let (share, stages) = match wanted.stage.split_once('*') {
            Some((share, stages)) => (share.parse().ok()?, stages),
            None => (1.0, wanted.stage.as_str()),
        };
        for stage in stages.split('+') {
            let is_stage = |row: &&SummaryRow| row.stage == stage && row.point() == point;
            let row = self.rows.iter().find(is_stage)?;
            seconds += row.median_s?;
            let ends = row.ci95_low_s.zip(row.ci95_high_s);
            let range = || row.min_s.zip(row.max_s).filter(|_| row.samples >= MIN_SAMPLES);
            let both = interval.zip(ends.or_else(range));
            interval = both
                .map(|(sum, (low, high))| Interval { low: sum.low + low, high: sum.high + high });
        }
        Some((share * seconds, interval.map(|it| it.times(share))))
    }
}

/// A metric of a task, or a column.
fn counted(total: &SummaryRow, name: &str) -> Option<f64> {
    match name {
        "memory_ratio" => total.memory_ratio,
        "digis" => Some(total.items as f64),
        "bytes_min" => Some(total.bytes_min as f64),
        _ => total.metrics.number(name),
    }
}

/// An amount without scatter.
fn exactly(amount: f64) -> (f64, Option<Interval>) {
    (amount, Some(Interval { low: amount, high: amount }))
}

impl Measured {
    /// The amount per item.
    pub fn amount_an_item(&self) -> f64 {
        self.amount / self.items as f64
    }

    /// The amount per item with its interval.
    pub(super) fn timing(&self) -> Timing {
        let items = self.items as f64;
        let each = |interval: Interval| Interval {
            low: interval.low / items,
            high: interval.high / items,
        };
        Timing { median: self.amount_an_item(), interval: self.interval.map(each) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reproduction;
    use super::super::fixture::figures;
    use super::super::fixture::{chain, rows, table};
    use super::*;
    use crate::charts::fixture::run;

    fn found(rows: &[SummaryRow], label: &str) -> Result<Measured, String> {
        table(rows).found(label).cloned().map_err(str::to_owned)
    }

    #[test]
    fn stages_are_added_up() {
        let sort = found(&rows(), "sort, online, 1 thread").expect("measured");
        // Sorting digis takes 2 ms, sorting clusters 3 ms.
        assert!((sort.amount - 5e-3).abs() < 1e-12, "{sort:?}");
        let interval = sort.interval.expect("ends");
        assert!((interval.low - 5e-3 * 0.97).abs() < 1e-12, "{interval:?}");
        assert_eq!(sort.items, 1_000_000);
    }

    #[test]
    fn threads_are_one_or_all_that_there_are() {
        let cluster = |label: &str| found(&rows(), label).map(|found| found.threads);
        assert_eq!(cluster("cluster, online, 1 thread"), Ok(1));
        assert_eq!(cluster("cluster, online, all threads"), Ok(2));
        let alone = found(&chain("online", 1, 1.0), "cluster, online, all threads");
        assert_eq!(alone, Err("not measured".to_owned()), "of two threads");
    }

    #[test]
    fn curves_have_a_value_for_each_number_of_threads() {
        let figures = figures().into_iter();
        let curves = figures.into_iter().find(|it| it.id == "C.3").expect("curves");
        let mut record = run();
        record.environment.usable_threads = 8;
        let rows = [1, 2, 4, 8].map(|threads| chain("online", threads, 1.0 / threads as f64));
        let rows = rows.concat();
        let here = Here { record: &record, rows: &rows, streams: &[] };
        let curves = Reproduction::new(curves, &here);
        let online = ["1 thread", "2 threads", "4 threads", "all threads"];
        let labels = ["offline, 1 thread", "offline, all threads"].map(str::to_owned);
        let labels = labels.into_iter().chain(online.map(|threads| format!("online, {threads}")));
        assert_eq!(curves.figure.labels(), labels.collect::<Vec<_>>());
        let found = curves.measured.into_iter();
        let found: Vec<_> = found.filter_map(|(_, found)| Some(found.ok()?.threads)).collect();
        assert_eq!(found, [1, 2, 4, 8]);
    }

    #[test]
    fn missing_values_have_a_reason() {
        let label = "cluster, offline, 1 thread";
        let missing = found(&chain("online", 1, 1.0), label);
        assert_eq!(missing, Err("not measured".to_owned()));
        let mut wrong = chain("offline", 1, 1.0);
        wrong[0].valid = YesNo::No;
        wrong[0].note = "wrong output".into();
        assert_eq!(found(&wrong, label), Err("wrong output".to_owned()));
        let mut elsewhere = run();
        elsewhere.machine.gpus.clear();
        let formats = figures().into_iter().find(|it| it.id == "fig3.8").expect("formats");
        let gpu = formats.value("link, GPU", "").expect("a value");
        let here = Here { record: &elsewhere, rows: &[], streams: &[] };
        assert_eq!(here.find(gpu), Err("needs a GPU".to_owned()));
        let threads = figures().into_iter().find(|it| it.id == "fig3.6").expect("threads");
        let many = threads.value("64 threads", "").expect("a value");
        assert_eq!(here.find(many), Err("needs 64 threads".to_owned()));
    }
}
