//! Conversion of samples to records.

use std::time::Instant;

use portable_gpu::timing::StageTiming;
use reports::record::{
    FigureKind, J_PER_ITEM, Params, Parts, Point, QualityRow, SampleRow, SampleStatistics,
    SummaryRow, flags,
};
use reports::units;
use statistics::{Part, describe};
use tasks::algorithm::{InputState, Metric, Quality, QualityKind, Work};
use tasks::device::Backend;
use tasks::task::VariantInfo;

use super::device_use::{Ceilings, DeviceUse};
use super::gpu::kernel_counters::KernelCounters;
use super::notes::notes;
use super::rounds::SampleIndex;
use super::run_energy::RunEnergy;
use super::sampler::Sample;
use super::stages::{Coverage, KERNEL, TOTAL, is_whole, is_within, leaf};
use super::stopping::Series;
use crate::plan::quantities;
use crate::platform::counters::Counts;

/// Significant figures of a task's own metrics.
const FIGURES: usize = 5;
/// Significant figures of the profiling overhead.
const PROFILED_FIGURES: usize = 3;

/// Metrics of processors and GPUs, each by itself.
const CPU_J_PER_ITEM: &str = "cpu_j_per_item";
const GPU_J_PER_ITEM: &str = "gpu_j_per_item";

/// A candidate on an input: fields that all its rows share.
pub(super) struct RowBuilder {
    pub(super) point: Point,
    backend: String,
    stable: bool,
    /// The work, which is known once the input exists.
    pub(super) work: Work,
    extent: Coverage,
    fingerprint: String,
    /// Bytes of all buffers alive during a run.
    pub(super) memory_bytes: u64,
    /// Remarks of the variant on its figures.
    pub(super) remarks: Vec<String>,
    /// Input preconditions, where they differ between variants.
    pub(super) given: InputState,
    /// Quality of its output.
    pub(super) quality: Vec<Quality>,
    /// Other metrics of its runs.
    pub(super) figures: Vec<Metric>,
    /// Bandwidths that its times are compared with.
    pub(super) ceilings: Ceilings,
    /// Resource use of its run on a GPU.
    pub(super) device_use: DeviceUse,
    /// Counters of its kernels, if a profiler has counted them.
    pub(super) kernel_counters: Option<KernelCounters>,
    /// Energy of a run, if it was measured.
    pub(super) energy: Option<RunEnergy>,
}

impl RowBuilder {
    pub(super) fn new(point: Point, info: &VariantInfo, fingerprint: String) -> Self {
        RowBuilder {
            point,
            backend: info.backend.to_string(),
            stable: info.stable,
            work: Work::default(),
            extent: Coverage::All,
            fingerprint,
            memory_bytes: 0,
            remarks: Vec::new(),
            given: InputState::default(),
            quality: Vec::new(),
            figures: Vec::new(),
            ceilings: Ceilings { backend: info.backend, bandwidth: None },
            device_use: DeviceUse::default(),
            kernel_counters: None,
            energy: None,
        }
    }

    /// Fingerprint of its machine code.
    pub(super) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// True if it runs on a GPU by NVIDIA.
    pub(super) fn is_on_cuda(&self) -> bool {
        self.ceilings.backend == Backend::Cuda
    }

    /// Records that runs process only a subsample of the work.
    pub(super) fn set_subsampled(&mut self, work: Work) {
        self.work = work;
        self.extent = Coverage::Sample;
    }

    /// Rows of a sample, one per stage. Their starts are relative to `origin`.
    pub(super) fn sample_rows(
        &self,
        at: SampleIndex,
        sample: &Sample,
        origin: Instant,
    ) -> Vec<SampleRow> {
        let row = |stage: &str, seconds: f64| SampleRow {
            cpu: cpus(sample),
            clock_mhz: sample.clock_mhz.map(f64::round),
            flags: flags(at, sample),
            ..SampleRow::new(&self.point, stage, at.round, at.index, seconds)
        };
        let whole = SampleRow {
            cpu_s: sample.cpu_seconds,
            run_delay_s: sample.run_delay_seconds,
            counters: sample.counters.unwrap_or_default().params(),
            start_s: since(origin, sample.start),
            ..row(self.extent.whole(), sample.seconds)
        };
        let stages = sample.stages.iter().flatten();
        let staged_start = since(origin, sample.staged_start);
        let parts = stages.map(|stage| SampleRow {
            start_s: staged_start.zip(stage.start_s).map(|(run, stage)| run + stage),
            ..row(&self.extent.part(&stage.name), stage.seconds)
        });
        std::iter::once(whole).chain(parts).collect()
    }

    /// Summary rows, one per stage.
    pub(super) fn summary_rows(
        &self,
        stopped_by: &str,
        series: &Series<Sample>,
    ) -> Vec<SummaryRow> {
        let samples = series.samples.iter();
        let counted: Vec<_> = samples.filter(|sample| sample.within_cpu_set).collect();
        let outside = series.samples.len() - counted.len();
        if counted.is_empty() && outside > 0 {
            let note =
                format!("in {outside} of {outside} samples a thread was outside its CPU set");
            return vec![self.invalid_row(&note)];
        }
        let whole = self.extent.whole();
        let row = self.described(whole, stopped_by, &series.seconds, &series.block_offsets);
        let mut metrics = self.metrics(row.median_s, &counted);
        metrics.extend(&row.metrics);
        let mut rows = vec![self.with_energy(SummaryRow {
            note: notes(series, &counted, self.ceilings.backend, &self.remarks()),
            metrics,
            ..row
        })];
        let stages = counted.iter().find_map(|sample| sample.stages.as_ref());
        let stages = stages.map_or(&[][..], Vec::as_slice);
        for stage in stages {
            let (seconds, block_offsets) = times_of(stage, &counted, &series.block_offsets);
            let name = self.extent.part(&stage.name);
            let row = self.described(&name, stopped_by, &seconds, &block_offsets);
            rows.push(self.stage_row(row, stage, stages));
        }
        rows
    }

    /// Metrics for runs of this time: the task's own, hardware counters, and energy.
    fn metrics(&self, seconds: Option<f64>, counted: &[&Sample]) -> Params {
        let mut metrics = quantities::metrics();
        let quality = self.quality.iter().map(|quality| &quality.metric);
        for metric in self.work.metrics.iter().chain(quality).chain(&self.figures) {
            if let Some(value) = seconds.and_then(|seconds| finite_value(metric.value(seconds))) {
                metrics.set(metric.info.name, units::significant(value, FIGURES));
            }
        }
        let counts: Vec<_> = counted.iter().filter_map(|it| it.counters).collect();
        for (name, value) in Counts::medians_per_item(&counts, self.work.items) {
            metrics.set(name, value);
        }
        let profiled: Vec<f64> = counted.iter().filter_map(|it| it.profiled_seconds).collect();
        if let Some((profiled, seconds)) = describe(&profiled).zip(seconds) {
            metrics
                .set("profiled", units::significant(profiled.median / seconds, PROFILED_FIGURES));
        }
        if let Some(energy) = &self.energy {
            let parts = [
                (J_PER_ITEM, Some(energy.median())),
                (CPU_J_PER_ITEM, energy.parts.cpu),
                (GPU_J_PER_ITEM, energy.parts.gpu),
            ];
            for (name, joules) in parts {
                if let Some(joules) = joules {
                    metrics.set(name, format!("{:.3e}", self.of_item(joules)));
                }
            }
        }
        if let Some(bytes) = self.device_use.allocated_bytes {
            metrics.set("device_bytes", bytes.to_string());
        }
        metrics
    }

    /// Part of an amount of a run for each item.
    fn of_item(&self, amount: f64) -> f64 {
        amount / self.work.items.max(1) as f64
    }

    /// Adds the energy of an item, if it was measured.
    fn with_energy(&self, row: SummaryRow) -> SummaryRow {
        let Some(energy) = &self.energy else { return row };
        let interval = energy.interval();
        let windows: Vec<f64> = energy.windows.iter().map(|run_j| self.of_item(*run_j)).collect();
        let mut row = SummaryRow {
            j_per_item: Some(self.of_item(energy.median())),
            j_per_item_low: interval.map(|interval| self.of_item(interval.low)),
            j_per_item_high: interval.map(|interval| self.of_item(interval.high)),
            energy_source: energy.source.clone(),
            energy_s: Some(energy.covered_s),
            ..row
        };
        row.set_windows(&windows);
        row
    }

    /// Rows of `quality.csv`.
    pub(super) fn quality_rows(&self) -> Vec<QualityRow> {
        let known = self.quality.iter().filter(|quality| quality.is_of_truth());
        let row = |quality: &Quality| {
            let part =
                |part: &tasks::algorithm::PartSum| Part { sum: part.sum, count: part.count as f64 };
            let kind = match quality.kind {
                QualityKind::Share => FigureKind::Share,
                QualityKind::Mean => FigureKind::Mean,
                QualityKind::Width => FigureKind::Width,
            };
            let parts = Parts(quality.parts.iter().map(part).collect());
            QualityRow::new(&self.point, quality.metric.info.name, kind, quality.value(), parts)
        };
        known.map(row).collect()
    }

    /// Row of a candidate that was not timed.
    pub(super) fn invalid_row(&self, note: &str) -> SummaryRow {
        SummaryRow { note: note.to_owned(), ..self.empty_row(TOTAL) }
    }

    fn described(
        &self,
        stage: &str,
        stopped_by: &str,
        seconds: &[f64],
        block_offsets: &[usize],
    ) -> SummaryRow {
        let Some(found) = SampleStatistics::new(seconds, block_offsets) else {
            return SummaryRow {
                valid: true.into(),
                stopped_by: stopped_by.to_owned(),
                note: "interrupted before the first sample".to_owned(),
                ..self.empty_row(stage)
            };
        };
        found.fill(SummaryRow {
            metrics: quantities::metrics(),
            stopped_by: stopped_by.to_owned(),
            peak_fraction: self.peak_fraction(stage, found.median()),
            memory_bytes: Some(self.memory_bytes),
            memory_ratio: finite_value(self.memory_bytes as f64 / self.work.input_bytes as f64),
            valid: true.into(),
            ..self.empty_row(stage)
        })
    }

    /// Achieved fraction of the peak bandwidth: required bytes over `seconds`, relative to the
    /// limit.
    fn peak_fraction(&self, stage: &str, seconds: f64) -> Option<f64> {
        let sampled_gpu = self.ceilings.backend != Backend::Cpu;
        let one_way = self.work.to_host_bytes;
        let one_way = one_way.filter(|_| sampled_gpu && is_whole(stage));
        let (bytes, limit) = match one_way {
            Some(bytes) => (bytes, self.ceilings.link_to_host()),
            None => (self.work.bytes_min, self.ceilings.for_stage(stage)),
        };
        // The minimum number of bytes is not known.
        let limit = limit.filter(|_| bytes > 0);
        limit.and_then(|limit| finite_value(bytes as f64 / seconds / limit))
    }

    /// Notes for readers that are independent of the samples.
    fn remarks(&self) -> Vec<String> {
        let unchecked = "checked by order and checksums: too large for a reference";
        let unchecked = (!self.work.has_reference).then(|| unchecked.to_owned());
        let notes = unchecked.into_iter().chain(self.device_use.note.clone());
        notes.chain(self.remarks.iter().cloned()).collect()
    }

    /// Adapts a row to a stage. A single stage is rated by the bytes that it moves itself.
    /// All kernels together have to move what any implementation must, so that they can be
    /// compared; the bytes that they do move are a separate metric.
    fn stage_row(&self, row: SummaryRow, stage: &StageTiming, all: &[StageTiming]) -> SummaryRow {
        let mut metrics = row.metrics.clone();
        metrics.set("calls", stage.calls.to_string());
        if stage.name == KERNEL {
            metrics.set("bytes_moved", stage.bytes.to_string());
            if let Some(counters) = &self.kernel_counters {
                counters.describe_all(&mut metrics);
            }
            return SummaryRow { metrics, ..row };
        }
        self.device_use.describe(leaf(&stage.name), &mut metrics);
        if let Some(counters) = &self.kernel_counters {
            counters.describe(leaf(&stage.name), stage.calls, &mut metrics);
        }
        let is_scope = all.iter().any(|other| is_within(&other.name, &stage.name));
        let moved = (stage.bytes > 0).then_some(stage.bytes as f64);
        let rate = moved.zip(row.median_s).map(|(bytes, median)| bytes / median);
        let limit = self.ceilings.for_stage(&stage.name).filter(|_| !is_scope);
        SummaryRow {
            bytes_per_s: rate.and_then(finite_value),
            bytes_min: stage.bytes,
            peak_fraction: rate.zip(limit).and_then(|(rate, limit)| finite_value(rate / limit)),
            metrics,
            ..row
        }
    }

    fn empty_row(&self, stage: &str) -> SummaryRow {
        SummaryRow {
            backend: self.backend.clone(),
            items: self.work.items,
            item_unit: self.work.item_unit.to_owned(),
            bytes_min: self.work.bytes_min,
            stable: self.stable.into(),
            fingerprint: self.fingerprint.clone(),
            given: self.given.to(stage).to_owned(),
            ..SummaryRow::new(&self.point, stage)
        }
    }
}

/// Seconds from `origin` to a start.
fn since(origin: Instant, start: Option<Instant>) -> Option<f64> {
    start.map(|start| start.saturating_duration_since(origin).as_secs_f64())
}

/// Turns infinite and NaN values into `None`.
fn finite_value(index: f64) -> Option<f64> {
    index.is_finite().then_some(index)
}

fn cpus(sample: &Sample) -> String {
    let name = |cpu: &Option<usize>| cpu.map_or("?".to_owned(), |cpu| cpu.to_string());
    let names: Vec<_> = sample.cpus.iter().map(name).collect();
    names.join("+")
}

fn flags(at: SampleIndex, sample: &Sample) -> String {
    let flags = [
        (at.fresh, flags::FRESH),
        (!sample.within_cpu_set, flags::OUTSIDE_CPU_SET),
        (sample.migrated, flags::MIGRATED),
        (sample.slow_clock, flags::SLOW_CLOCK),
        (sample.disturbed, flags::DISTURBED),
        (sample.quota_throttled, flags::QUOTA_THROTTLED),
        (!sample.limits.is_empty(), flags::THROTTLED),
        (sample.launches_in_stages, flags::LATE_LAUNCHES),
    ];
    let set = flags.iter().filter(|(set, _)| *set);
    let names: Vec<_> = set.map(|(_, name)| *name).collect();
    names.join(&flags::JOINT.to_string())
}

/// Times of a stage in all samples that have stages, and the offsets of the blocks in them.
fn times_of(
    stage: &StageTiming,
    counted: &[&Sample],
    block_offsets: &[usize],
) -> (Vec<f64>, Vec<usize>) {
    let mut seconds = Vec::new();
    let mut starts = Vec::new();
    for (index, sample) in counted.iter().enumerate() {
        if block_offsets.contains(&index) {
            starts.push(seconds.len());
        }
        if let Some(stages) = &sample.stages {
            let times = stages.iter().filter(|other| other.name == stage.name);
            seconds.push(times.map(|other| other.seconds).sum());
        }
    }
    (seconds, starts)
}

#[cfg(test)]
mod tests;
