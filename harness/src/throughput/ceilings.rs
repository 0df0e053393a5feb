//! Bandwidth limits of the machine, and the fractions of them that a point reaches.

use std::collections::BTreeMap;
use std::time::Duration;

use portable_gpu::timing::{StageTiming, Stages};
use reports::record::Bandwidth;
use reports::throughput::ThroughputRow;
use serde::{Deserialize, Serialize};
use tasks::device::{Device, Team, TeamError};

use super::links::Links;
use super::placement::StreamGpus;
use crate::measure::{gpu_ceilings, measure_bandwidth};
use crate::platform::{last_level_bytes, usable_threads};
use crate::request::DeviceSet;

/// Measured bandwidths: that of the host with all CPUs, and those of GPUs.
#[derive(Default)]
pub(crate) struct Ceilings {
    pub(crate) named: BTreeMap<String, Bandwidth>,
    pub(crate) notes: Vec<String>,
}

/// GPU metrics of an event: the mean over a batch, each event run by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventGpuMetrics {
    pub(super) kernel_s: f64,
    pub(super) up_bytes: f64,
    pub(super) down_bytes: f64,
}

impl Ceilings {
    /// Measures the devices of these points; failures yield a note.
    pub(crate) fn measure(
        device_sets: &[DeviceSet],
        gpus: &StreamGpus,
        time: Option<Duration>,
        report: impl Fn(&str),
    ) -> Result<Self, TeamError> {
        let mut ceilings = Ceilings::default();
        let mut devices: Vec<Device> = Vec::new();
        for &device in device_sets.iter().flat_map(DeviceSet::devices) {
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        for device in devices {
            match device {
                Device::Cpu => {
                    let threads = usable_threads();
                    report(&format!("measuring the bandwidth of {threads} threads"));
                    let team = Team::new(threads)?;
                    let topology = crate::platform::Topology::this_machine();
                    let (bytes, note) = last_level_bytes(&topology);
                    ceilings.notes.extend(note);
                    let bandwidth = measure_bandwidth(&team, bytes, time);
                    ceilings.named.insert(host(), bandwidth);
                }
                _ => ceilings.measure_gpu(device, gpus, &report),
            }
        }
        for device_set in device_sets.iter().filter(|device_set| device_set.devices().len() > 1) {
            ceilings.measure_links(device_set, gpus, &report);
        }
        Ok(ceilings)
    }

    /// Measures several GPUs together: each has its own memory, but they share that of the host.
    fn measure_links(&mut self, device_set: &DeviceSet, gpus: &StreamGpus, report: impl Fn(&str)) {
        report(&format!("measuring the links of {device_set} at once"));
        let at_once = Links::open(device_set, gpus).and_then(|mut links| links.at_once());
        gpus.trim();
        match at_once {
            Ok(link) => {
                let of_each = |figure: fn(&Bandwidth) -> f64| {
                    let names = device_set.devices().iter().map(|device| device.to_string());
                    names.filter_map(|name| self.named.get(&name)).map(figure).sum()
                };
                let all = Bandwidth {
                    copy_bytes_per_s: of_each(|it| it.copy_bytes_per_s),
                    triad_bytes_per_s: of_each(|it| it.triad_bytes_per_s),
                    store_bytes_per_s: None,
                    link: Some(link),
                };
                self.named.insert(device_set.to_string(), all);
            }
            Err(error) => self.notes.push(format!(
                "what the links of {device_set} carry at once was not measured, so their share is of \
                 what each carries alone: {error}"
            )),
        }
    }

    fn measure_gpu(&mut self, device: Device, gpus: &StreamGpus, report: impl Fn(&str)) {
        report(&format!("measuring the bandwidth of {device}"));
        let gpu = gpus.for_stream(device, 0);
        let measured = gpu.and_then(|gpu| gpu.map(|gpu| gpu_ceilings::bandwidth(&gpu)).transpose());
        match measured {
            Ok(Some(bandwidth)) => {
                self.named.insert(device.to_string(), bandwidth);
            }
            Ok(None) => {}
            Err(error) => {
                self.notes.push(format!("the bandwidth of {device} was not measured: {error}"));
            }
        }
        gpus.trim();
    }

    /// Fills the fractions that a point reaches into its row, which has its rates.
    pub(crate) fn fill(
        &self,
        row: &mut ThroughputRow,
        device_set: &DeviceSet,
        gpu_metrics: Option<EventGpuMetrics>,
    ) {
        let Some(rate) = row.events_per_s else { return };
        let bytes = rate * row.bytes_min;
        let Some(gpu_metrics) = gpu_metrics else {
            let host = self.named.get(&host());
            row.copy_share = host.map(|host| bytes / host.copy_bytes_per_s);
            return;
        };
        // Streams are evenly distributed.
        let devices = device_set.devices().len() as f64;
        row.kernels_share =
            (gpu_metrics.kernel_s > 0.0).then(|| rate * gpu_metrics.kernel_s / devices);
        // The slowest device is relevant where they differ.
        let all = || device_set.devices().iter().filter_map(|it| self.named.get(&it.to_string()));
        let largest =
            |share: &dyn Fn(&Bandwidth) -> Option<f64>| all().filter_map(share).reduce(f64::max);
        row.copy_share = largest(&|it| Some(bytes / devices / it.copy_bytes_per_s));
        let alone = largest(&|it| Some(rate / devices * gpu_metrics.link_s(it)?));
        let at_once = self.named.get(&device_set.to_string()).filter(|_| devices > 1.0);
        let at_once = at_once.and_then(|it| Some(rate * gpu_metrics.link_s(it)?));
        // The larger fraction: of all links at once, or of the slowest of them.
        row.link_share = [alone, at_once].into_iter().flatten().reduce(f64::max);
    }
}

impl EventGpuMetrics {
    /// An event that copies these bytes in each direction, and has no kernels.
    pub(crate) fn copies(bytes: f64) -> Self {
        EventGpuMetrics { kernel_s: 0.0, up_bytes: bytes, down_bytes: bytes }
    }

    /// Mean of several events. Copies are reported with the stage that they are part of, as in
    /// `presort/h2d`; kernels are summed over all stages.
    pub(super) fn mean(all: &[Stages]) -> Self {
        let mean = |is_one: &dyn Fn(&str) -> bool, figure: fn(&StageTiming) -> f64| {
            let stages = all.iter().flatten().filter(|stage| is_one(&stage.name));
            stages.map(figure).sum::<f64>() / all.len().max(1) as f64
        };
        let bytes = |copy: &str| {
            let is_copy = |name: &str| name.rsplit('/').next() == Some(copy);
            mean(&is_copy, |stage| stage.bytes as f64)
        };
        EventGpuMetrics {
            kernel_s: mean(&|name| name == "kernel", |stage| stage.seconds),
            up_bytes: bytes("h2d"),
            down_bytes: bytes("d2h"),
        }
    }

    /// Minimum time for which copies of an event occupy the link: transfers of different events
    /// overlap in both directions, and neither one direction nor both together can be faster than
    /// was measured.
    fn link_s(&self, bandwidth: &Bandwidth) -> Option<f64> {
        let link = bandwidth.link?;
        let up = self.up_bytes / link.h2d_bytes_per_s;
        let down = self.down_bytes / link.d2h_bytes_per_s;
        let both = (self.up_bytes + self.down_bytes) / link.both_bytes_per_s;
        Some(up.max(down).max(both))
    }
}

fn host() -> String {
    format!("cpu/{}", usable_threads())
}

#[cfg(test)]
mod tests {
    use reports::record::LinkBandwidth;

    use super::*;

    fn gpu() -> Bandwidth {
        let link =
            LinkBandwidth { h2d_bytes_per_s: 50e9, d2h_bytes_per_s: 50e9, both_bytes_per_s: 80e9 };
        Bandwidth { copy_bytes_per_s: 1e12, link: Some(link), ..Bandwidth::default() }
    }

    #[test]
    fn shares_are_of_all_devices_together() {
        let named = ["cuda:0", "cuda:1"].map(|name| (name.to_owned(), gpu()));
        let ceilings = Ceilings { named: named.into(), notes: Vec::new() };
        let device_set: DeviceSet = "cuda:0+cuda:1".parse().expect("one kind");
        let mut row = ThroughputRow {
            events_per_s: Some(1000.0),
            bytes_min: 1e8,
            ..ThroughputRow::default()
        };
        let gpu_metrics = EventGpuMetrics { kernel_s: 1e-3, up_bytes: 60e6, down_bytes: 20e6 };
        ceilings.fill(&mut row, &device_set, Some(gpu_metrics));
        let close = |share: Option<f64>, expected: f64| {
            assert!((share.expect("known") - expected).abs() < 1e-9, "{share:?} {expected}");
        };
        close(row.kernels_share, 0.5);
        close(row.copy_share, 0.05);
        // One direction takes 1.2 ms, both together 1 ms.
        close(row.link_share, 0.6);
        // All links together carry three quarters of the sum of each alone.
        let [up, down] = [75e9, 75e9];
        let link =
            LinkBandwidth { h2d_bytes_per_s: up, d2h_bytes_per_s: down, both_bytes_per_s: 120e9 };
        let mut ceilings = ceilings;
        let at_once = Bandwidth { link: Some(link), ..Bandwidth::default() };
        ceilings.named.insert(device_set.to_string(), at_once);
        ceilings.fill(&mut row, &device_set, Some(gpu_metrics));
        close(row.link_share, 0.8);
        close(row.copy_share, 0.05);
    }

    #[test]
    fn the_host_is_compared_with_all_cpus() {
        let bandwidth = Bandwidth { copy_bytes_per_s: 10e9, ..Bandwidth::default() };
        let ceilings = Ceilings { named: [(host(), bandwidth)].into(), notes: Vec::new() };
        let mut row =
            ThroughputRow { events_per_s: Some(10.0), bytes_min: 1e8, ..ThroughputRow::default() };
        ceilings.fill(&mut row, &Device::Cpu.into(), None);
        assert_eq!(row.copy_share, Some(0.1));
        assert_eq!((row.link_share, row.kernels_share), (None, None));
    }

    #[test]
    fn stages_of_several_events_have_a_mean() {
        let stages = |seconds: f64, bytes: u64| {
            let mut kernel = StageTiming::new("kernel");
            kernel.add(seconds, 7);
            let copy = |name, bytes| {
                let mut copy = StageTiming::new(name);
                copy.add(1.0, bytes);
                copy
            };
            vec![kernel, copy("h2d", bytes), copy("presort/h2d", 5), copy("collect/d2h", bytes)]
        };
        let mean = EventGpuMetrics::mean(&[stages(1e-3, 100), stages(3e-3, 300)]);
        assert_eq!(mean, EventGpuMetrics { kernel_s: 2e-3, up_bytes: 205.0, down_bytes: 200.0 });
    }
}
