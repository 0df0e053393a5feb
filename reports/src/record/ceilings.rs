//! What a machine can do at most, as it was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Machine;

/// The version of the layout of `ceilings.json`.
pub const CEILINGS_VERSION: u32 = 1;

/// Measured bandwidth of a device, in bytes a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bandwidth {
    /// `a[i] = b[i]`, reads and writes counted.
    pub copy_bytes_per_s: f64,
    /// `a[i] = b[i] + s * c[i]`, reads and writes counted.
    pub triad_bytes_per_s: f64,
    /// Of the host: `a[i] = s` past the caches, writes counted; they are all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_bytes_per_s: Option<f64>,
    /// Of a GPU: its link to the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkBandwidth>,
}

/// Measured bandwidth between page-locked memory of the host and a GPU, for large
/// blocks, in bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkBandwidth {
    /// To the device.
    pub h2d_bytes_per_s: f64,
    /// To the host.
    pub d2h_bytes_per_s: f64,
    /// Both ways at the same time, together.
    pub both_bytes_per_s: f64,
}

/// `ceilings.json`: all that `bench devices --measure` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CeilingsRecord {
    /// [`CEILINGS_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// UTC, RFC 3339.
    pub started: String,
    /// The machine's key.
    pub machine_key: String,
    /// What was measured.
    pub machine: Machine,
    /// Bandwidths by device, as in `run.json`: `cpu/2`, `cuda:0`.
    pub ceilings: BTreeMap<String, Bandwidth>,
    /// Links to GPUs over the size of blocks.
    pub links: Vec<LinkPoint>,
    /// Latencies by device.
    pub latencies: BTreeMap<String, Latencies>,
    /// What could not be measured, and why.
    pub notes: Vec<String>,
}

/// The bandwidth of a link for blocks of some size. The order of the fields is
/// the order of the columns of `links.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkPoint {
    /// `cuda:0`.
    pub device: String,
    /// The kind of the host's memory: `pageable`, `pinned` or `mapped`.
    pub memory: String,
    /// `h2d`, `d2h`, or `both` at the same time.
    pub direction: String,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Bytes a second, of both directions together.
    pub bytes_per_s: f64,
}

/// What small things take on a GPU, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Latencies {
    /// An empty kernel, from its start by the host until the host knows its end.
    pub launch_s: f64,
    /// An empty kernel among many that are started one after the other.
    pub queued_launch_s: f64,
    /// An empty kernel among many that are started as a graph.
    pub graph_launch_s: f64,
    /// A copy of 8 bytes to the device, until the host knows its end.
    pub copy_s: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_without_a_link_are_as_they_always_were() {
        let text = r#"{"copy_bytes_per_s":2.0,"triad_bytes_per_s":3.0}"#;
        let bandwidth: Bandwidth = serde_json::from_str(text).expect("of an older version");
        assert_eq!((bandwidth.store_bytes_per_s, bandwidth.link), (None, None));
        assert_eq!(serde_json::to_string(&bandwidth).expect("JSON"), text);
    }
}
