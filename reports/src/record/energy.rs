//! Meters of the energy of a run, and the power limits that it found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A limit of the power of a processor, as it was set when the run began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PowerCap {
    /// The processor: `package-0`.
    pub package: String,
    /// Name of the limit: `long_term`.
    pub constraint: String,
    /// Limit in watts.
    pub limit_w: f64,
    /// Time over which power is averaged, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_s: Option<f64>,
    /// True if limits of this processor are in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Meters of energy of a run. Each is `available`, or `not available` with the reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnergyRecord {
    /// Counters of the processors (RAPL).
    pub processors: String,
    /// Counters of the GPUs, by device.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gpus: BTreeMap<String, String>,
    /// The command of `--power-command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<PowerCommandRecord>,
    /// Power of the idle machine, which is subtracted; `None` if that was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<IdleRecord>,
}

/// A command that prints power.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PowerCommandRecord {
    /// The command.
    pub command: String,
    /// Rule by which power is integrated over time: `trapezium`.
    pub integration: String,
    /// Availability.
    pub state: String,
}

/// Power of a machine that does nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IdleRecord {
    /// Duration of its measurement, before the run.
    pub seconds: f64,
    /// CPU time of all processes meanwhile, over that of all usable CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_share: Option<f64>,
    /// Power of the processors in watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_w: Option<f64>,
    /// Power of the GPUs in watts, by device.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gpu_w: BTreeMap<String, f64>,
    /// Power in watts by the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_w: Option<f64>,
}
