//! Samples as records.

use algorithms::algorithm::{Stage, Work};
use algorithms::task::VariantInfo;
use reports::record::{Bandwidth, Params, Point, SampleRow, SummaryRow, flags};
use reports::statistics::{self, describe, oddities};

use super::rounds::{At, Series};
use super::{Sample, StopReason};

/// The share of samples that must be affected by something to mention it.
const WORTH_A_WORD: f64 = 0.1;

/// The stage that a whole run is.
pub(super) const TOTAL: &str = "total";
/// What the note of a wrong variant begins with.
pub(super) const WRONG: &str = "wrong output: ";
/// What the note of a variant begins with that failed on its device.
pub(super) const FAILED: &str = "failed: ";

/// A candidate on an input: what all its rows have in common.
pub(super) struct Subject {
    pub(super) point: Point,
    backend: String,
    stable: bool,
    work: Work,
    fingerprint: String,
    /// Bytes of all buffers alive during a run.
    pub(super) memory_bytes: u64,
    /// What the variant has to say of its figures.
    pub(super) remarks: Vec<String>,
    /// Copy bandwidth with the same number of threads, in bytes a second.
    copy_bandwidth: Option<f64>,
}

impl Subject {
    pub(super) fn new(point: Point, info: &VariantInfo, fingerprint: &str) -> Self {
        Subject {
            point,
            backend: info.backend.to_string(),
            stable: info.stable,
            work: Work::default(),
            fingerprint: info
                .plugin
                .map_or(fingerprint, |plugin| &plugin.fingerprint)
                .to_owned(),
            memory_bytes: 0,
            remarks: Vec::new(),
            copy_bandwidth: None,
        }
    }

    /// Takes down what is known once the input is there.
    pub(super) fn describe(&mut self, work: Work, bandwidth: Option<Bandwidth>) {
        self.work = work;
        self.copy_bandwidth = bandwidth.map(|bandwidth| bandwidth.copy_bytes_per_s);
    }

    /// A row for each stage of a sample.
    pub(super) fn sample_rows(&self, at: At, sample: &Sample) -> Vec<SampleRow> {
        let stages = sample
            .stages
            .iter()
            .map(|stage| (stage.name, stage.seconds));
        let all = std::iter::once((TOTAL, sample.seconds)).chain(stages);
        let flags = flags(at, sample);
        let row = |(stage, seconds): (&str, f64)| SampleRow {
            cpu: cpus(sample),
            clock_mhz: sample.clock_mhz.map(f64::round),
            flags: flags.clone(),
            ..SampleRow::new(&self.point, stage, at.round, at.number, seconds)
        };
        all.map(row).collect()
    }

    /// A row for each stage of all samples.
    pub(super) fn summary_rows(
        &self,
        reason: StopReason,
        series: &Series<Sample>,
    ) -> Vec<SummaryRow> {
        let counted: Vec<_> = series
            .samples
            .iter()
            .filter(|sample| sample.in_place)
            .collect();
        let outside = series.samples.len() - counted.len();
        if counted.is_empty() && outside > 0 {
            let note = format!("in {outside} of {outside} samples a thread was outside its place");
            return vec![self.invalid_row(&note)];
        }
        let mut rows = vec![SummaryRow {
            note: self.note(series, &counted),
            ..self.described(TOTAL, reason, &series.seconds, &series.visits)
        }];
        let first = counted.first().into_iter();
        for stage in first.flat_map(|sample| &sample.stages) {
            let of_stage = |sample: &&Sample| {
                let times = sample
                    .stages
                    .iter()
                    .filter(|other| other.name == stage.name);
                times.map(|other| other.seconds).sum::<f64>()
            };
            let seconds: Vec<_> = counted.iter().map(of_stage).collect();
            let row = self.described(stage.name, reason, &seconds, &series.visits);
            rows.push(of_its_own(row, stage));
        }
        rows
    }

    fn note(&self, series: &Series<Sample>, counted: &[&Sample]) -> String {
        let mut notes = notes(series, counted, self.work.has_reference);
        notes.extend(self.remarks.iter().cloned());
        notes.join("; ")
    }

    /// The row of a candidate that was not timed.
    pub(super) fn invalid_row(&self, note: &str) -> SummaryRow {
        SummaryRow {
            note: note.to_owned(),
            ..self.empty_row(TOTAL)
        }
    }

    fn described(
        &self,
        stage: &str,
        reason: StopReason,
        seconds: &[f64],
        visits: &[usize],
    ) -> SummaryRow {
        let Some(described) = describe(seconds) else {
            return SummaryRow {
                valid: true.into(),
                stopped_by: reason.to_string(),
                note: "interrupted before the first sample".to_owned(),
                ..self.empty_row(stage)
            };
        };
        let per_second = |amount: u64| amount as f64 / described.median;
        let bytes_per_s = per_second(self.work.bytes_min);
        let interval = statistics::Series::new(seconds, visits).interval();
        SummaryRow {
            samples: described.samples,
            stopped_by: reason.to_string(),
            median_s: Some(described.median),
            mean_s: Some(described.mean),
            stddev_s: Some(described.stddev),
            min_s: Some(described.min),
            p95_s: Some(described.p95),
            p99_s: Some(described.p99),
            max_s: Some(described.max),
            ci95_low_s: interval.map(|interval| interval.low),
            ci95_high_s: interval.map(|interval| interval.high),
            items_per_s: finite(per_second(self.work.items)),
            bytes_per_s: finite(bytes_per_s),
            peak_fraction: self
                .copy_bandwidth
                .and_then(|copy| finite(bytes_per_s / copy)),
            memory_bytes: Some(self.memory_bytes),
            memory_ratio: finite(self.memory_bytes as f64 / self.work.input_bytes as f64),
            valid: true.into(),
            ..self.empty_row(stage)
        }
    }

    fn empty_row(&self, stage: &str) -> SummaryRow {
        let Point {
            algorithm,
            variant,
            device,
            threads,
            places,
            bind,
            cache,
            params,
        } = self.point.clone();
        SummaryRow {
            algorithm,
            variant,
            stage: stage.to_owned(),
            backend: self.backend.clone(),
            device,
            threads,
            places,
            bind,
            cache,
            params,
            items: self.work.items,
            item_unit: self.work.item_unit.to_owned(),
            bytes_min: self.work.bytes_min,
            samples: 0,
            stopped_by: String::new(),
            median_s: None,
            mean_s: None,
            stddev_s: None,
            min_s: None,
            p95_s: None,
            p99_s: None,
            max_s: None,
            ci95_low_s: None,
            ci95_high_s: None,
            items_per_s: None,
            bytes_per_s: None,
            peak_fraction: None,
            memory_bytes: None,
            memory_ratio: None,
            stable: self.stable.into(),
            valid: false.into(),
            fingerprint: self.fingerprint.clone(),
            metrics: Params::default(),
            note: String::new(),
        }
    }
}

/// A stage moves bytes of its own, and has no share in the memory's peak.
fn of_its_own(row: SummaryRow, stage: &Stage) -> SummaryRow {
    let moved = (stage.bytes > 0).then_some(stage.bytes as f64);
    let mut metrics = row.metrics;
    metrics.set("calls", stage.calls.to_string());
    SummaryRow {
        bytes_per_s: moved
            .zip(row.median_s)
            .map(|(bytes, median)| bytes / median),
        bytes_min: stage.bytes,
        peak_fraction: None,
        metrics,
        ..row
    }
}

/// What is divided by nothing is not known.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

fn cpus(sample: &Sample) -> String {
    let name = |cpu: &Option<usize>| cpu.map_or("?".to_owned(), |cpu| cpu.to_string());
    let names: Vec<_> = sample.cpus.iter().map(name).collect();
    names.join("+")
}

fn flags(at: At, sample: &Sample) -> String {
    let flags = [
        (at.fresh, flags::FRESH),
        (!sample.in_place, flags::OUTSIDE_PLACE),
        (sample.migrated, flags::MIGRATED),
        (sample.slow_clock, flags::SLOW_CLOCK),
        (sample.disturbed, flags::DISTURBED),
    ];
    let set = flags.iter().filter(|(set, _)| *set);
    let names: Vec<_> = set.map(|(_, name)| *name).collect();
    names.join(&flags::JOINT.to_string())
}

/// What a reader should know of the samples, in words.
fn notes(series: &Series<Sample>, counted: &[&Sample], has_reference: bool) -> Vec<String> {
    let mut notes: Vec<_> = oddities(&series.seconds)
        .iter()
        .map(ToString::to_string)
        .collect();
    let count = |odd: fn(&Sample) -> bool| counted.iter().filter(|sample| odd(sample)).count();
    let affected = [
        (
            count(|sample| sample.migrated),
            "moved between CPUs: threads are not pinned",
        ),
        (
            count(|sample| sample.slow_clock),
            "at a low clock: throttling, or other load?",
        ),
        (
            count(|sample| sample.disturbed),
            "while others used the cores: a busy machine, or a busy host?",
        ),
    ];
    for (count, what) in affected {
        // A stray sample or two is what medians are for.
        if count as f64 > WORTH_A_WORD * counted.len() as f64 {
            notes.push(format!("{count} of {} samples {what}", counted.len()));
        }
    }
    let outside = series.samples.len() - counted.len();
    if outside > 0 {
        notes.push(format!(
            "{outside} more samples do not count: a thread was outside its place"
        ));
    }
    if series.repeated > 0 {
        notes.push(format!(
            "{} disturbed samples were repeated",
            series.repeated
        ));
    }
    if !has_reference {
        notes.push("checked by order and checksums: too large for a reference".to_owned());
    }
    notes
}
