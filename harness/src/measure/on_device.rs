//! What is known of a candidate's device: what it can do at most, and what a run on
//! it told.

use algorithms::device::Backend;
use algorithms::device::gpu::{KernelUse, Properties};
use reports::record::{Bandwidth, Params};

use super::rows::{SAMPLE, TOTAL};

/// What the device of a candidate can do at most.
#[derive(Clone, Copy)]
pub(super) struct Ceilings {
    pub(super) backend: Backend,
    pub(super) bandwidth: Option<Bandwidth>,
}

/// What is known of a candidate once it has run on a GPU.
#[derive(Default)]
pub(super) struct OnDevice {
    /// Its kernels.
    pub(super) kernels: Vec<KernelUse>,
    pub(super) properties: Option<Properties>,
    /// Bytes that the driver gave.
    pub(super) taken_bytes: Option<u64>,
    /// What a reader should know.
    pub(super) note: Option<String>,
}

impl Ceilings {
    /// The bandwidth that a stage is related to, in bytes a second.
    ///
    /// A whole run on a GPU has to move its data over the link: both ways at the
    /// same time is the best that can be. Setting memory is no copy, and a scope
    /// is a mixture.
    pub(super) fn of(&self, stage: &str) -> Option<f64> {
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

    /// What goes from a GPU to the host at most, in bytes a second.
    pub(super) fn link_to_host(&self) -> Option<f64> {
        self.of("d2h")
    }
}

/// The last name of a path of stages.
pub(super) fn leaf(stage: &str) -> &str {
    stage.rsplit('/').next().unwrap_or(stage)
}

impl OnDevice {
    /// What a kernel takes, if it is one.
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

/// Whether a stage is a part of another one.
pub(super) fn is_within(stage: &str, scope: &str) -> bool {
    let rest = stage.strip_prefix(scope);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
