//! Records of a machine: its measured limits in `ceilings.json`, and in `selftest.json` the error
//! rates of comparisons on it and the scatter between runs of the same code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Machine, Point};

/// The version of the layout of `ceilings.json`.
pub const CEILINGS_VERSION: u32 = 1;

/// Measured bandwidth of a device, in bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bandwidth {
    /// `a[i] = b[i]`, reads and writes counted.
    pub copy_bytes_per_s: f64,
    /// `a[i] = b[i] + s * c[i]`, reads and writes counted.
    pub triad_bytes_per_s: f64,
    /// On the host: `a[i] = s` with non-temporal stores, which are the only traffic; writes
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_bytes_per_s: Option<f64>,
    /// On a GPU: its link to the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkBandwidth>,
}

/// Measured bandwidth between page-locked memory of the host and a GPU, for large
/// blocks, in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinkBandwidth {
    /// To the device.
    pub h2d_bytes_per_s: f64,
    /// To the host.
    pub d2h_bytes_per_s: f64,
    /// Both directions at the same time, in total.
    pub both_bytes_per_s: f64,
}

/// `ceilings.json`: results of `bench devices --measure`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CeilingsRecord {
    /// [`CEILINGS_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// UTC, RFC 3339.
    pub started: String,
    /// The machine's key.
    pub machine_key: String,
    /// The machine.
    pub machine: Machine,
    /// Bandwidths by device, as in `run.json`: `cpu/2`, `cuda:0`.
    pub ceilings: BTreeMap<String, Bandwidth>,
    /// Links to GPUs over the size of blocks.
    pub links: Vec<LinkPoint>,
    /// Bandwidths of the links of several GPUs at the same time; empty with a single GPU.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links_at_once: Vec<LinksAtOnce>,
    /// Latencies by device.
    pub latencies: BTreeMap<String, Latencies>,
    /// Values that could not be measured, with reasons.
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
    /// Bytes per second, of both directions together.
    pub bytes_per_s: f64,
}

/// Bandwidths of the links of several GPUs, each alone and all at the same time, for large blocks
/// of page-locked memory: they share the memory of the host, and the path to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LinksAtOnce {
    /// `h2d`, `d2h`, or `both` at the same time.
    pub direction: String,
    /// One for each GPU.
    pub links: Vec<SharedLink>,
}

/// The bandwidth of a link, in bytes per second, of both directions together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SharedLink {
    /// `cuda:0`.
    pub device: String,
    /// While all others are idle.
    pub alone_bytes_per_s: f64,
    /// While all others are busy in the same direction.
    pub at_once_bytes_per_s: f64,
}

impl LinksAtOnce {
    /// Total bandwidth of all links at the same time, in bytes per second.
    pub fn bytes_per_s(&self) -> f64 {
        self.links.iter().map(|link| link.at_once_bytes_per_s).sum()
    }

    /// Total bandwidth over the sum of the bandwidths of the links alone: 1 if they share nothing.
    pub fn share(&self) -> f64 {
        let alone: f64 = self.links.iter().map(|link| link.alone_bytes_per_s).sum();
        self.bytes_per_s() / alone
    }
}

/// Latencies of small operations on a GPU, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Latencies {
    /// An empty kernel, from its launch until the host is notified of its end.
    pub launch_s: f64,
    /// An empty kernel in a sequence of launches.
    pub queued_launch_s: f64,
    /// An empty kernel in a graph of many.
    pub graph_launch_s: f64,
    /// A copy of 8 bytes to the device, until the host is notified of its end.
    pub copy_s: f64,
}

/// The version of a self-test. Earlier ones are of other rules: the first had neither paired runs
/// nor the scatter between runs, the second judged each point alone.
pub const SELF_TEST_VERSION: u32 = 3;

/// Result of `bench selftest`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelfTest {
    /// [`SELF_TEST_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The machine's key.
    pub machine_key: String,
    /// UTC, RFC 3339.
    pub finished: String,
    /// The commit of the program.
    pub git_commit: Option<String>,
    /// The smallest change that counted, as a fraction.
    pub min_effect: f64,
    /// The p-value that the rank test had to reach.
    pub significance: f64,
    /// Verdicts on known slowdowns in separate runs, those without any (0 %) first.
    pub trials: Vec<Trial>,
    /// Verdicts on known slowdowns in paired runs.
    #[serde(default)]
    #[serde(rename = "in_turn")]
    pub paired: Vec<Trial>,
    /// True if addresses were randomised in the processes of paired runs, because the system did
    /// not allow to disable it: the rates are valid for that case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aslr: Option<bool>,
    /// Scatter between runs of the same code, point by point.
    #[serde(default)]
    pub scatter: Vec<PointScatter>,
    /// Models of the GPUs that points ran on, by their devices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gpus: BTreeMap<String, String>,
}

/// Pairs of runs that differ by a known slowdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trial {
    /// The slowdown as a fraction: 0.05 for 5 %, 0 for equal sides.
    pub slowdown: f64,
    /// Pairs of runs.
    pub pairs: usize,
    /// Points judged, over all pairs.
    pub points: usize,
    /// Points judged SLOWER.
    pub slower: usize,
    /// Points judged FASTER.
    pub faster: usize,
    /// Points judged INCONCLUSIVE.
    pub inconclusive: usize,
    /// Pairs in which any point was judged SLOWER or FASTER.
    pub alarmed: usize,
}

/// Scatter of the times of a point from run to run, beyond what the intervals of the runs explain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointScatter {
    /// The point.
    #[serde(flatten)]
    pub point: Point,
    /// `total`, or a stage that the variant reports.
    pub stage: String,
    /// The standard deviation between runs, as a fraction of the time.
    pub between: f64,
    /// Number of runs that contribute.
    pub runs: usize,
}

impl Trial {
    /// A trial without pairs.
    pub fn new(slowdown: f64) -> Self {
        Trial { slowdown, pairs: 0, points: 0, slower: 0, faster: 0, inconclusive: 0, alarmed: 0 }
    }

    /// The share of unchanged points with the verdict of a change, or of points with a known
    /// slowdown that are SLOWER; `None` without points.
    pub fn rate(&self) -> Option<f64> {
        let hits = match self.slowdown {
            0.0 => self.slower + self.faster,
            _ => self.slower,
        };
        (self.points > 0).then(|| hits as f64 / self.points as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_share_the_memory_of_the_host_have_a_share_below_one() {
        let link = |at_once: f64| SharedLink {
            device: "cuda:0".into(),
            alone_bytes_per_s: 50e9,
            at_once_bytes_per_s: at_once,
        };
        let shared = LinksAtOnce { direction: "h2d".into(), links: vec![link(40e9), link(35e9)] };
        assert_eq!((shared.bytes_per_s(), shared.share()), (75e9, 0.75));
    }

    #[test]
    fn bandwidths_without_a_link_keep_their_format() {
        let text = r#"{"copy_bytes_per_s":2.0,"triad_bytes_per_s":3.0}"#;
        let bandwidth: Bandwidth = serde_json::from_str(text).expect("of an older version");
        assert_eq!((bandwidth.store_bytes_per_s, bandwidth.link), (None, None));
        assert_eq!(serde_json::to_string(&bandwidth).expect("JSON"), text);
    }
}
