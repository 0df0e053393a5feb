//! Input size from which a GPU is faster than the CPU.
//!
//! A GPU has a large fixed cost and a small cost per item, so it is the faster one from some size
//! on. That size depends on whether the data have to be copied there and back.
//!
//! This module finds the axis that makes inputs larger and picks the fastest variants at each size;
//! [`statistics::crossings`] finds the sizes at which both are equally fast, and `words` describes
//! which one is faster from which size on.

mod words;

use std::collections::{BTreeMap, BTreeSet};

pub use words::{fastest_variants, sentences};

use statistics::{Crossing, Faster, Interval, MedianPair, Timing, crossings};

use crate::grouped::grouped;
use crate::rank::{KERNEL, TOTAL};
use crate::record::SummaryRow;
use crate::shape::{self, Axes, CPU, GIVEN};

/// Minimum number of sizes that locate a crossing.
const MIN_SIZES: usize = 3;

/// The numeric axis of the data with the most values, among those along which the number of items
/// grows while all else is fixed. `digis` is one, and so is a rate if the time is fixed.
fn axis(rows: &[&SummaryRow]) -> Option<String> {
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.params.iter().map(|(name, _)| name)).collect();
    let counted = names.into_iter().map(|name| (values(rows, name), name));
    let long = counted.filter(|(values, _)| *values >= MIN_SIZES);
    let sizes = long.filter(|(_, name)| items_rise_with(rows, name));
    sizes.max().map(|(_, name)| name.to_owned())
}

/// Axes of the data, the state of the cache and the kind of input, without the axis of the size.
/// Number and placement of threads only matter on the CPU.
fn setting(row: &SummaryRow, size: &str) -> Axes {
    let params = shape::param_axes(&row.algorithm, &row.params).into_iter();
    let params = params.filter(|(name, _)| *name != *size);
    let others = [("cache", &row.cache), (GIVEN, &row.given)];
    let others = others.into_iter().filter(|(name, value)| *name != GIVEN || !value.is_empty());
    params.chain(others.map(|(name, value)| (name.into(), value.clone()))).collect()
}

/// The number of different values, if all are numbers.
fn values(rows: &[&SummaryRow], name: &str) -> usize {
    let values: Option<Vec<f64>> = rows.iter().map(|row| row.params.number(name)).collect();
    let mut values = values.unwrap_or_default();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

fn items_rise_with(rows: &[&SummaryRow], name: &str) -> bool {
    let settings = grouped(rows.iter().copied(), |row| setting(row, name));
    settings.iter().all(|(_, rows)| {
        let points = rows.iter().filter_map(|row| Some((row.params.number(name)?, row.items)));
        rises(points)
    })
}

/// True if each larger value has more items than all smaller ones.
fn rises(points: impl Iterator<Item = (f64, u64)>) -> bool {
    let mut ranges: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for (value, items) in points {
        let range = ranges.entry(items).or_insert((value, value));
        *range = (range.0.min(value), range.1.max(value));
    }
    let ranges: Vec<_> = ranges.into_values().collect();
    ranges.iter().all(|(low, high)| low == high)
        && ranges.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

/// A CPU and a GPU on the same data in several sizes.
#[derive(Clone, Debug)]
pub struct Sweep<'a> {
    /// Axes that distinguish it from the other sweeps of a task, the GPU included.
    pub setting: Axes,
    /// Unit of the size: `digi`.
    pub item: String,
    /// The fastest on the CPU, over all variants, threads and placements.
    pub cpu: Curve<'a>,
    /// The fastest variant on the GPU, copies included.
    pub end_to_end: Curve<'a>,
    /// The variant with the fastest kernels; empty if kernels were not timed.
    pub kernels: Curve<'a>,
}

/// A row for each size, by size.
#[derive(Clone, Debug, Default)]
pub struct Curve<'a>(BTreeMap<u64, &'a SummaryRow>);

/// Part of a GPU's work that is compared with the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuTime {
    /// All of it, copies included.
    EndToEnd,
    /// Kernels only, as if the data stayed on the GPU.
    Kernels,
}

/// Comparison of the CPU with a GPU, size by size.
#[derive(Clone, Debug)]
pub struct CpuVsGpu {
    /// Compared part of the GPU's work.
    pub gpu_time: GpuTime,
    /// The CPU (first) against the GPU at each size.
    pub pairs: Vec<MedianPair>,
}

/// The sweeps among the rows of a task: a CPU and a GPU with at least three sizes in common.
pub fn sweeps<'a>(rows: &[&'a SummaryRow]) -> Vec<Sweep<'a>> {
    let is_timed = |row: &&SummaryRow| row.items > 0 && row.valid_median().is_some();
    let timed: Vec<&SummaryRow> = rows.iter().copied().filter(is_timed).collect();
    let Some(size) = axis(&timed) else {
        return Vec::new();
    };
    let settings = grouped(timed, |row| setting(row, &size));
    let sweeps = settings.iter().flat_map(|(setting, rows)| of_setting(setting, rows));
    without_common(sweeps.collect())
}

/// A sweep for each GPU.
fn of_setting<'a>(setting: &Axes, rows: &[&'a SummaryRow]) -> Vec<Sweep<'a>> {
    let devices = grouped(rows.iter().copied(), |row| row.device.clone());
    let gpus = devices.iter().filter(|(device, _)| device != CPU);
    let cpu = Curve::fastest(rows.iter().filter(|row| row.device == CPU), TOTAL);
    let sweep = |(device, rows): &(String, Vec<&'a SummaryRow>)| Sweep {
        setting: [setting.as_slice(), &[("device".into(), device.clone())]].concat(),
        item: rows.first().map_or_else(String::new, |row| row.item_unit.clone()),
        cpu: cpu.clone(),
        end_to_end: Curve::fastest(rows, TOTAL),
        kernels: Curve::fastest(rows, KERNEL),
    };
    let sweeps = gpus.map(sweep);
    sweeps.filter(|sweep| !sweep.comparisons().is_empty()).collect()
}

/// Removes axes from the settings that all sweeps have in common.
fn without_common(mut sweeps: Vec<Sweep>) -> Vec<Sweep> {
    let common = shape::common(sweeps.iter().map(|sweep| sweep.setting.clone()));
    for sweep in &mut sweeps {
        sweep.setting.retain(|axis| !common.contains(axis));
    }
    sweeps
}

impl<'a> Sweep<'a> {
    /// Compares the CPU with the GPU end to end and by kernels, where enough sizes were measured.
    pub fn comparisons(&self) -> Vec<CpuVsGpu> {
        let times = [(GpuTime::EndToEnd, &self.end_to_end), (GpuTime::Kernels, &self.kernels)];
        let comparisons = times.map(|(gpu_time, gpu)| CpuVsGpu::new(gpu_time, &self.cpu, gpu));
        let is_long = |comparison: &CpuVsGpu| comparison.pairs.len() >= MIN_SIZES;
        comparisons.into_iter().filter(is_long).collect()
    }
}

impl<'a> Curve<'a> {
    /// The fastest row of a stage at each size, the first one of equals.
    fn fastest<'r>(rows: impl IntoIterator<Item = &'r &'a SummaryRow>, stage: &str) -> Self
    where
        'a: 'r,
    {
        let mut fastest: BTreeMap<u64, &SummaryRow> = BTreeMap::new();
        for row in rows.into_iter().filter(|row| row.stage == stage) {
            let best = fastest.entry(row.items).or_insert(row);
            if row.median_s < best.median_s {
                *best = row;
            }
        }
        Curve(fastest)
    }

    /// Sizes with their rows.
    pub fn points(&self) -> impl Iterator<Item = (u64, &'a SummaryRow)> + '_ {
        self.0.iter().map(|(size, row)| (*size, *row))
    }
}

impl CpuVsGpu {
    /// Compares both at their common sizes.
    fn new(gpu_time: GpuTime, cpu: &Curve, gpu: &Curve) -> CpuVsGpu {
        let pair = |(size, row): (u64, &SummaryRow)| {
            Some(MedianPair {
                size: size as f64,
                first: timing(cpu.0.get(&size)?),
                second: timing(row),
            })
        };
        CpuVsGpu { gpu_time, pairs: gpu.points().filter_map(pair).collect() }
    }

    /// Sizes at which the GPU becomes faster than the CPU, or slower.
    pub fn crossings(&self) -> Vec<Crossing> {
        crossings(&self.pairs)
    }

    /// Number of sizes at which this one is significantly faster.
    pub fn clear_leads(&self, of: Faster) -> usize {
        let leads = self.pairs.iter().map(MedianPair::clearly_faster);
        leads.filter(|lead| *lead == Some(of)).count()
    }
}

fn timing(row: &SummaryRow) -> Timing {
    let ends = row.ci95_low_s.zip(row.ci95_high_s);
    let ends = ends.filter(|(low, high)| *low > 0.0 && low <= high);
    Timing {
        median: row.median_s.unwrap_or_default(),
        interval: ends.map(|(low, high)| Interval { low, high }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::{break_even_rows, row};
    use crate::record::YesNo;
    use crate::shape::AxisName;

    fn with_items(params: &str, items: u64) -> SummaryRow {
        SummaryRow { items, ..row("a", params, 1e-3) }
    }

    fn size_axis(rows: &[SummaryRow]) -> Option<String> {
        axis(&rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_size_axis_changes_the_number_of_items() {
        let mut rows = Vec::new();
        for segments in [1, 2, 3, 4] {
            for digis in [10, 20, 30] {
                let params = format!("digis={digis};order=random;segments={segments}");
                rows.push(with_items(&params, digis));
            }
        }
        assert_eq!(size_axis(&rows).as_deref(), Some("digis"));
    }

    #[test]
    fn a_rate_makes_more_items_too() {
        let rows = [1, 2, 3].map(|rate| with_items(&format!("noise=5;rate={rate}"), 7 * rate + 2));
        assert_eq!(size_axis(&rows).as_deref(), Some("rate"));
    }

    #[test]
    fn two_sizes_and_what_items_do_not_follow_are_none() {
        let rows = |sizes: &[u64], items: fn(u64) -> u64| -> Vec<SummaryRow> {
            sizes.iter().map(|&n| with_items(&format!("n={n}"), items(n))).collect()
        };
        assert_eq!(size_axis(&rows(&[1, 2], |n| n)), None, "two");
        assert_eq!(size_axis(&rows(&[1, 2, 3], |n| 10 - n)), None, "falls");
        assert_eq!(size_axis(&rows(&[1, 2, 3], |_| 10)), None, "stays");
        let words = ["a", "b", "c"].map(|n| with_items(&format!("n={n}"), n.len() as u64));
        assert_eq!(size_axis(&words), None);
    }

    fn all_sweeps(rows: &[SummaryRow]) -> Vec<Sweep<'_>> {
        sweeps(&rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_fastest_at_each_size_is_the_curve() {
        let rows = break_even_rows(&["random"]);
        let sweeps = all_sweeps(&rows);
        assert_eq!(sweeps.len(), 1);
        assert!(sweeps[0].setting.is_empty(), "{:?}", sweeps[0].setting);
        assert_eq!(sweeps[0].item, "digi");
        let variants: Vec<_> =
            sweeps[0].cpu.points().map(|(_, row)| row.variant.as_str()).collect();
        assert_eq!(variants, ["small", "small", "large", "large", "large"]);
        let gpu_time = |comparison: &CpuVsGpu| (comparison.gpu_time, comparison.pairs.len());
        let times: Vec<_> = sweeps[0].comparisons().iter().map(gpu_time).collect();
        assert_eq!(times, [(GpuTime::EndToEnd, 5), (GpuTime::Kernels, 5)]);
    }

    #[test]
    fn other_axes_make_sweeps_of_their_own() {
        let rows = break_even_rows(&["random", "time"]);
        let settings: Vec<_> = all_sweeps(&rows).into_iter().map(|sweep| sweep.setting).collect();
        let order = |value: &str| vec![(AxisName::from("order"), value.to_owned())];
        assert_eq!(settings, [order("random"), order("time")]);
    }

    #[test]
    fn each_gpu_has_a_sweep() {
        let mut rows = break_even_rows(&["random"]);
        let second = rows
            .iter()
            .filter(|row| row.device == "cuda:0")
            .map(|row| SummaryRow { device: "cuda:1".into(), ..row.clone() });
        rows.extend(second.collect::<Vec<_>>());
        let settings: Vec<_> = all_sweeps(&rows).into_iter().map(|sweep| sweep.setting).collect();
        let device = |name: &str| vec![(AxisName::from("device"), name.to_owned())];
        assert_eq!(settings, [device("cuda:0"), device("cuda:1")]);
    }

    #[test]
    fn without_a_partner_there_is_no_sweep() {
        let rows = break_even_rows(&["random"]);
        let only = |keep: fn(&SummaryRow) -> bool| {
            let rows: Vec<_> = rows.iter().filter(|row| keep(row)).cloned().collect();
            all_sweeps(&rows).len()
        };
        assert_eq!(only(|row| row.device == "cpu"), 0);
        assert_eq!(only(|row| row.device != "cpu"), 0);
        assert_eq!(only(|row| row.device == "cpu" || row.items < 100_000), 0);
        assert_eq!(only(|row| row.stage != "kernel"), 1);
        assert_eq!(all_sweeps(&[row("a", "digis=1", 1e-3)]).len(), 0);
    }

    #[test]
    fn sizes_that_are_not_valid_do_not_count() {
        let mut rows = break_even_rows(&["random"]);
        for row in rows.iter_mut().filter(|row| row.device != "cpu" && row.items > 1_000_000) {
            row.valid = YesNo::No;
        }
        let sizes: Vec<_> = all_sweeps(&rows)[0]
            .comparisons()
            .iter()
            .map(|comparison| comparison.pairs.len())
            .collect();
        assert_eq!(sizes, [4, 4]);
    }
}
