//! Device of a candidate: its bandwidth limits, and the resource use of a run on it.

use portable_gpu::{Gpu, KernelUse, Properties};
use reports::record::{Bandwidth, Params};
use reports::units;
use tasks::device::Backend;

use super::stages::{SAMPLE, TOTAL, leaf};

/// Small buffers take whole pages of 2 MiB, and kernels take some memory for themselves.
const TOLERANCE_BYTES: u64 = 128 << 20;
const TOLERANCE: f64 = 0.05;

/// Bandwidth limits of the device of a candidate.
#[derive(Clone, Copy)]
pub(super) struct Ceilings {
    pub(super) backend: Backend,
    pub(super) bandwidth: Option<Bandwidth>,
}

/// Resource use of a candidate that has run on a GPU.
#[derive(Default)]
pub(super) struct DeviceUse {
    /// Its kernels.
    pub(super) kernels: Vec<KernelUse>,
    pub(super) properties: Option<Properties>,
    /// Bytes allocated by the driver.
    pub(super) allocated_bytes: Option<u64>,
    /// Note for readers.
    pub(super) note: Option<String>,
}

impl Ceilings {
    /// Bandwidth that a stage is compared with, in bytes per second.
    ///
    /// A complete run on a GPU has to move its data over the link; the limit is concurrent transfer
    /// in both directions. Setting memory is not a copy, and a scope is a mixture: neither has a
    /// limit.
    pub(super) fn for_stage(&self, stage: &str) -> Option<f64> {
        let bandwidth = self.bandwidth?;
        let link = bandwidth.link;
        match (self.backend, leaf(stage)) {
            (Backend::Cpu, TOTAL | SAMPLE) => Some(bandwidth.copy_bytes_per_s),
            (Backend::Cpu, _) | (_, "memset") => None,
            (_, TOTAL | SAMPLE) => link.map(|link| link.both_bytes_per_s),
            (_, "h2d") => link.map(|link| link.h2d_bytes_per_s),
            (_, "d2h") => link.map(|link| link.d2h_bytes_per_s),
            _ => Some(bandwidth.copy_bytes_per_s),
        }
    }

    /// Bandwidth limit from a GPU to the host, in bytes per second.
    pub(super) fn link_to_host(&self) -> Option<f64> {
        self.for_stage("d2h")
    }
}

impl DeviceUse {
    /// Adds the resource use of a kernel to its metrics, if the stage is a kernel.
    pub(super) fn describe(&self, kernel: &str, metrics: &mut Params) {
        let known = self.kernels.iter().find(|known| known.kernel == kernel);
        let Some((kernel, properties)) = known.zip(self.properties.as_ref()) else {
            return;
        };
        let attributes = &kernel.attributes;
        let occupancy = attributes.occupancy(&kernel.shape, properties);
        metrics.set("occupancy", format!("{occupancy:.3}"));
        let shared = attributes.shared_bytes + kernel.shape.shared_bytes;
        metrics.set("shared_bytes", shared.to_string());
        if let Some(registers) = attributes.registers {
            metrics.set("registers", registers.to_string());
        }
        if let Some(local) = attributes.local_bytes {
            metrics.set("local_bytes", local.to_string());
        }
    }
}

/// Free memory of a GPU before a candidate ran.
pub(super) struct FreeBefore(Option<u64>);

impl FreeBefore {
    /// Releases unused memory and reads the free memory.
    pub(super) fn look(gpu: &Gpu) -> Self {
        gpu.trim();
        FreeBefore(free(gpu))
    }

    /// Memory allocated by a candidate since then. Memory that it released counts too, because it
    /// is cached for the next candidate.
    pub(super) fn allocated(&self, gpu: &Gpu) -> Option<u64> {
        Some(self.0?.saturating_sub(free(gpu)?))
    }
}

fn free(gpu: &Gpu) -> Option<u64> {
    gpu.free_bytes().ok().flatten()
}

/// Note for readers if the driver allocated more than was counted.
pub(super) fn disagreement(allocated: u64, counted: u64) -> Option<String> {
    let max_expected = counted as f64 * (1.0 + TOLERANCE) + TOLERANCE_BYTES as f64;
    (allocated as f64 > max_expected).then(|| {
        format!(
            "the device gave {} of memory, of which {} are counted: what else uses it?",
            units::bytes(allocated as f64),
            units::bytes(counted as f64)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_disagreements_are_noted() {
        assert_eq!(disagreement(3_000_000_000, 3_000_000_000), None);
        assert_eq!(disagreement(100 << 20, 1 << 20), None, "the kernels' own");
        let note = disagreement(4_500_000_000, 3_000_000_000).expect("half as much again");
        assert!(note.contains("4.5 GB") && note.contains("3 GB"), "{note}");
    }
}
