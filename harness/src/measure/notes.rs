//! Notes for readers on the samples of a candidate.

use std::collections::BTreeSet;

use portable_gpu::monitor::Limit;
use statistics::sample_warnings;
use tasks::device::Backend;

use super::sampler::Sample;
use super::stopping::Series;

/// Share of samples that must be affected before a note is written.
const MIN_SHARE: f64 = 0.1;

/// Property of a sample, and the text of the note on affected samples.
type Remark = (fn(&Sample) -> bool, &'static str);

/// Properties that concern host threads.
const ON_CPU: [Remark; 5] = [
    (share_a_cpu, "in which threads shared a CPU; give each its own with --places cores"),
    (|sample| sample.migrated, "migrated between CPUs; pin threads with --bind close"),
    (
        |sample| sample.quota_throttled,
        "in which threads were stopped: the CPU quota of the control group was used up",
    ),
    (|sample| sample.slow_clock, "at a low clock: throttling, or other load?"),
    (|sample| sample.disturbed, "while others used the cores: a busy machine, or a busy host?"),
];

/// True if two workers of a team were on one CPU.
fn share_a_cpu(sample: &Sample) -> bool {
    let cpus: Vec<usize> = sample.cpus.iter().copied().flatten().collect();
    let distinct: BTreeSet<usize> = cpus.iter().copied().collect();
    distinct.len() < cpus.len()
}

/// Properties that concern a GPU; reasons for throttling have their own note.
const ON_GPU: [Remark; 2] = [
    (|sample| sample.slow_clock, "at a low clock of the GPU: other work on it, or a limit?"),
    (
        |sample| sample.launches_in_stages,
        "with launches that the device did not wait for: their cost is in the times of kernels",
    ),
];

/// All notes on a candidate: those on its samples, `counted` of which count, and other remarks.
pub(super) fn notes(
    series: &Series<Sample>,
    counted: &[&Sample],
    backend: Backend,
    remarks: &[String],
) -> String {
    // Samples throttled by the CPU quota are explained by that, and need no other explanation.
    let free = counted.iter().filter(|sample| !sample.quota_throttled);
    let odd = sample_warnings(&free.map(|sample| sample.seconds).collect::<Vec<_>>());
    let mut notes: Vec<_> = odd.iter().map(ToString::to_string).collect();
    notes.extend(match backend {
        Backend::Cpu => affected(counted, &ON_CPU),
        Backend::Cuda | Backend::Wgpu => [affected(counted, &ON_GPU), limits(counted)].concat(),
    });
    let outside = series.samples.len() - counted.len();
    if outside > 0 {
        notes
            .push(format!("{outside} more samples do not count: a thread was outside its CPU set"));
    }
    if counted.len() == 1 {
        notes.push("a single sample: its scatter is unknown".to_owned());
    }
    notes.extend_from_slice(remarks);
    notes.join("; ")
}

fn affected(counted: &[&Sample], remarks: &[Remark]) -> Vec<String> {
    let note = |(is_so, what): &Remark| affected_note(counted, is_so, what);
    remarks.iter().filter_map(note).collect()
}

fn limits(counted: &[&Sample]) -> Vec<String> {
    let note = |limit: Limit| {
        let what = format!("with a clock held down by {limit}");
        affected_note(counted, |sample| sample.limits.contains(&limit), &what)
    };
    let all = [Limit::Power, Limit::Heat, Limit::Hardware];
    all.into_iter().filter_map(note).collect()
}

/// Note on the number of affected samples; `None` for one or two outliers, which medians tolerate.
fn affected_note(
    counted: &[&Sample],
    is_so: impl Fn(&Sample) -> bool,
    what: &str,
) -> Option<String> {
    let count = counted.iter().filter(|it| is_so(it)).count();
    let all = counted.len();
    let is_relevant = count as f64 > MIN_SHARE * all as f64;
    is_relevant.then(|| format!("{count} of {all} samples {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note_of(backend: Backend, affected: usize, sample: Sample) -> String {
        let quiet = Sample::default();
        let all: Vec<_> = (0..10).map(|i| if i < affected { &sample } else { &quiet }).collect();
        let series = Series {
            samples: all.iter().map(|sample| (*sample).clone()).collect(),
            ..Series::default()
        };
        notes(&series, &all, backend, &[])
    }

    #[test]
    fn throttled_samples_have_no_other_explanation() {
        let stopped = Sample { quota_throttled: true, seconds: 90.0, ..Sample::default() };
        let free = Sample { seconds: 1.0, ..Sample::default() };
        let all: Vec<_> = (0..30).map(|i| if i % 6 == 5 { &stopped } else { &free }).collect();
        let series = Series {
            samples: all.iter().map(|sample| (*sample).clone()).collect(),
            ..Series::default()
        };
        let expected = "5 of 30 samples in which threads were stopped: the CPU quota of the control \
                        group was used up";
        assert_eq!(notes(&series, &all, Backend::Cpu, &[]), expected);
    }

    #[test]
    fn threads_on_one_cpu_are_noticed() {
        let sample = |cpus: [Option<usize>; 2]| Sample { cpus: cpus.into(), ..Sample::default() };
        let note = note_of(Backend::Cpu, 4, sample([Some(3), Some(3)]));
        assert!(note.starts_with("4 of 10 samples in which threads shared a CPU"), "{note}");
        assert_eq!(note_of(Backend::Cpu, 4, sample([Some(3), Some(2)])), "");
        assert_eq!(note_of(Backend::Cpu, 4, sample([None, None])), "");
    }

    fn odd() -> Sample {
        Sample {
            migrated: true,
            slow_clock: true,
            disturbed: true,
            limits: vec![Limit::Heat],
            launches_in_stages: true,
            ..Sample::default()
        }
    }

    #[test]
    fn notes_match_the_device_and_ignore_single_samples() {
        let gpu = ["4 of 10 samples at a low clock of the GPU", "held down by heat", "launches"];
        let cpu = ["migrated between CPUs", "busy"];
        for (backend, affected_note, others) in [
            (Backend::Cuda, &gpu[..], ["CPU", "cores"]),
            (Backend::Cpu, &cpu[..], ["GPU", "launches"]),
        ] {
            let note = note_of(backend, 4, odd());
            assert!(affected_note.iter().all(|words| note.contains(words)), "{note}");
            assert!(others.iter().all(|words| !note.contains(words)), "{note}");
            assert_eq!(note_of(backend, 1, odd()), "");
        }
    }
}
