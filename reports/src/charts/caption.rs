//! Captions: machine, data and statistics.

use std::collections::{BTreeMap, BTreeSet};

use super::study::{self, Axis, Study};
use crate::rank::Rank;
use crate::record::{FULL_LEVEL, Gpu, RunRecord, SummaryRow, YesNo};
use crate::shape;
use crate::units::{self, counted};
use crate::winners::MIN_SAMPLES;

/// Reasons for rows that are not drawn, in the order of captions.
const REASONS: [&str; 3] = ["not valid", "no median", "memory not known"];

/// The paragraphs under a chart; `reading` explains its marks.
pub fn caption(study: &Study, reading: &str) -> Vec<String> {
    let mut last = vec![reading.to_owned()];
    last.extend(study.ranked_by.map(what_is_shown));
    last.extend(levels(&study.rows));
    last.extend(left_out(study));
    vec![machine(study), data(study), last.join(shape::SEPARATOR)]
}

/// The paragraphs under a chart of sampled values.
pub fn of_samples(study: &Study, reading: &str) -> Vec<String> {
    let reading = [reading, &samples(&study.rows)].join(shape::SEPARATOR);
    caption(study, &reading)
}

/// `intervals of 3 points with fewer than 6 samples: levels of 50 % to 88 %`.
fn levels(rows: &[&SummaryRow]) -> Option<String> {
    let has_interval = |row: &&&SummaryRow| row.ci95_low_s.is_some();
    let levels = rows.iter().filter(has_interval).map(|row| row.interval_level());
    let lower: Vec<f64> = levels.filter(|level| *level < FULL_LEVEL).collect();
    let [low, high] = [f64::min, f64::max].map(|end| lower.iter().copied().reduce(end));
    let percent = |level: f64| format!("{:.0} %", 100.0 * level);
    let range = match (percent(low?), percent(high?)) {
        (low, high) if low == high => format!("a level of {low}"),
        (low, high) => format!("levels of {low} to {high}"),
    };
    let points = counted(lower.len(), "point");
    Some(format!("intervals of {points} with fewer than {MIN_SAMPLES} samples: {range}"))
}

/// States which of the two times is drawn, because both are of the same runs.
fn what_is_shown(rank: Rank) -> String {
    let what = match rank {
        Rank::Total => "copies to and from the device included",
        Rank::Kernel => "without copies, for data that stay on the device",
    };
    format!("{}, {what}", rank.sentence())
}

/// `Model, 2 cores, 25 GB memory, 2 usable threads`.
fn machine(study: &Study) -> String {
    machine_of(study.run, study.rows.iter().map(|row| row.device.as_str()))
}

/// The machine of a run with those of its GPUs that are among `devices`.
pub fn machine_of<'a>(run: &RunRecord, devices: impl Iterator<Item = &'a str>) -> String {
    let machine = &run.machine;
    let parts = [
        machine.cpu_model.clone(),
        counted(machine.cores, "core"),
        format!("{} memory", units::bytes(machine.memory_bytes as f64)),
        counted(run.environment.usable_threads, "usable thread"),
    ];
    let devices: BTreeSet<&str> = devices.collect();
    let gpus = devices.into_iter().filter_map(|device| {
        let number: usize = device.strip_prefix("cuda:")?.parse().ok()?;
        Some(gpu(device, machine.gpus.get(number)?))
    });
    let adapters = run.shaders.iter().flat_map(|shaders| &shaders.adapters);
    let adapters = adapters.map(|adapter| format!("{}: {}", adapter.device, adapter.model));
    let by_amd = run.hip.iter();
    let by_amd = by_amd.map(|gpu| format!("{}: {}, {}", gpu.device, gpu.model, gpu.architecture));
    let gpus = gpus.chain(by_amd).chain(adapters);
    let all: Vec<String> = std::iter::once(parts.join(", ")).chain(gpus).collect();
    all.join(shape::SEPARATOR)
}

/// `cuda:0: Model, 151 GB`.
pub fn gpu(device: &str, gpu: &Gpu) -> String {
    format!("{device}: {}, {}", gpu.model, units::bytes(gpu.memory_bytes as f64))
}

/// All axes that do not vary: `2 M digis · order random · 2 threads · cache hot`.
fn data(study: &Study) -> String {
    let fixed = study::all(&study.rows).into_iter().filter(|axis| !study.varying.contains(axis));
    let phrases = fixed.filter_map(|axis| fixed_phrase(study, &axis));
    let phrases: Vec<String> = phrases.collect();
    phrases.join(shape::SEPARATOR)
}

fn fixed_phrase(study: &Study, axis: &Axis) -> Option<String> {
    match axis.values.as_slice() {
        [value] if shape::is_silent(&axis.name, value) => None,
        [value] => Some(shape::phrase(&axis.name, value)),
        _ => Some(by_device(&study.rows, axis)),
    }
}

/// `2 threads on cpu, 1 thread on cuda:0`.
fn by_device(rows: &[&SummaryRow], axis: &Axis) -> String {
    let value = |row: &&SummaryRow| (row.device.clone(), study::value_of(row, &axis.name));
    let values: BTreeMap<String, String> = rows.iter().map(value).collect();
    let phrase = |(device, value): (&String, &String)| {
        format!("{} on {device}", shape::phrase(&axis.name, value))
    };
    values.iter().map(phrase).collect::<Vec<_>>().join(", ")
}

/// `10 to 34 samples per point`.
fn samples(rows: &[&SummaryRow]) -> String {
    let counts = || rows.iter().map(|row| row.samples);
    let min = counts().min().unwrap_or(0);
    let max = counts().max().unwrap_or(0);
    match min == max {
        true => format!("{} per point", counted(max, "sample")),
        false => format!("{min} to {max} samples per point"),
    }
}

/// `1 variant not shown: not valid (block-merge)`.
fn left_out(study: &Study) -> Vec<String> {
    let rows = |reason| study.left_out.iter().copied().filter(move |row| why_not(row) == reason);
    REASONS.iter().flat_map(|reason| not_shown(study, rows(*reason), reason)).collect()
}

/// Reason why a row is not drawn. A row that has everything else lacks the memory, which only one
/// chart needs.
fn why_not(row: &SummaryRow) -> &'static str {
    let [not_valid, no_median, no_memory] = REASONS;
    match (row.valid, row.valid_median()) {
        (YesNo::No, _) => not_valid,
        (YesNo::Yes, None) => no_median,
        (YesNo::Yes, Some(_)) => no_memory,
    }
}

/// Variants without any row by name, and the number of missing points of others.
fn not_shown<'a>(
    study: &Study,
    rows: impl Iterator<Item = &'a SummaryRow>,
    reason: &str,
) -> Vec<String> {
    let shown: BTreeSet<String> = study.rows.iter().map(|row| study.series(row)).collect();
    let (partly, wholly): (Vec<_>, Vec<_>) =
        rows.map(|row| study.series(row)).partition(|name| shown.contains(name));
    let sorted = |series: &[String]| Vec::from_iter(BTreeSet::from_iter(series.iter().cloned()));
    let text = |count: usize, what: &str, names: &[String]| {
        let names = names.join(", ");
        (count > 0).then(|| format!("{} not shown: {reason} ({names})", counted(count, what)))
    };
    let wholly = sorted(&wholly);
    let variants = text(wholly.len(), "variant", &wholly);
    variants.into_iter().chain(text(partly.len(), "point", &sorted(&partly))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{of_study, row};
    use super::*;

    fn caption_of(rows: &[SummaryRow]) -> Vec<String> {
        of_study(rows, &[], |study| of_samples(study, "reading"))
    }

    #[test]
    fn only_constant_axes_are_listed() {
        let rows = [row("a", "digis=2000000;n=1", 1e-3), row("a", "digis=2000000;n=2", 1e-3)];
        assert_eq!(caption_of(&rows)[1], "2 M digis · 2 threads · cache hot");
    }

    #[test]
    fn intervals_of_few_samples_are_not_called_95_percent() {
        let few = |variant: &str, level: &str| {
            let mut row = row(variant, "n=1", 1e-3);
            row.metrics.set("interval_level", level);
            row
        };
        let caption = caption_of(&[few("a", "0.50"), few("b", "0.88"), row("c", "n=1", 1e-3)]);
        let expected = "intervals of 2 points with fewer than 6 samples: levels of 50 % to 88 %";
        assert!(caption[2].contains(expected), "{caption:?}");
        assert!(!caption_of(&[row("c", "n=1", 1e-3)])[2].contains("level"));
    }

    #[test]
    fn a_gpu_is_named_with_its_own_threads() {
        let mut gpu = row("a", "digis=1", 1e-3);
        gpu.device = "cuda:0".into();
        gpu.threads = 1;
        let caption = caption_of(&[row("a", "digis=1", 1e-3), gpu]);
        let machine = "Model 9000, 2 cores, 25 GB memory, 2 usable threads";
        assert_eq!(caption[0], format!("{machine} · cuda:0: GPU 100, 80 GB"));
        assert!(caption[1].contains("2 threads on cpu, 1 thread on cuda:0"));
    }

    #[test]
    fn missing_points_are_counted_and_named() {
        let mut wrong = row("b", "n=1", 1e-3);
        wrong.valid = YesNo::No;
        let mut partly = row("a", "n=2", 1e-3);
        partly.median_s = None;
        let caption = caption_of(&[row("a", "n=1", 1e-3), wrong, partly]);
        assert_eq!(
            caption[2],
            "reading · 10 samples per point · 1 variant not shown: not valid (b) · 1 point not \
             shown: no median (a)"
        );
    }
}
