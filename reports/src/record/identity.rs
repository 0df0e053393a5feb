//! Identity of machines: which runs, and which points of them, can be compared.
//!
//! CPU model and topology identify the machine of a run. A point that ran on a GPU is identified by
//! the model of that GPU, too. Drivers, sizes of memory, visible devices, addresses and host names
//! are recorded and never part of an identity. Machine code is compared by its fingerprint.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{CacheLevel, Gpu, Machine, RunRecord};
use crate::row::named_cells;

/// Fields of a machine that are hashed to its key.
#[derive(Serialize)]
struct Identity<'a> {
    cpu_model: &'a str,
    architecture: &'a str,
    packages: usize,
    cores: usize,
    hardware_threads: usize,
    numa_nodes: usize,
    caches: &'a [CacheLevel],
}

/// Fields that were hashed to keys up to version 0.1, GPUs with their drivers included. Names and
/// order of the fields must stay, because keys of stored runs are recognised by them.
#[derive(Serialize)]
struct EarlierIdentity<'a> {
    #[serde(flatten)]
    machine: Identity<'a>,
    memory_bytes: u64,
    gpus: Vec<EarlierGpu<'a>>,
}

#[derive(Serialize)]
struct EarlierGpu<'a> {
    model: &'a str,
    driver: &'a str,
    memory_bytes: u64,
}

impl Machine {
    /// Key of machines with this CPU model and topology.
    pub fn key(&self) -> String {
        hash(&self.identity())
    }

    /// Key of this machine in earlier versions, which included GPUs and drivers.
    pub fn earlier_key<'a>(&'a self) -> String {
        let gpu = |gpu: &'a Gpu| EarlierGpu {
            model: &gpu.model,
            driver: &gpu.driver,
            memory_bytes: gpu.memory_bytes,
        };
        hash(&EarlierIdentity {
            machine: self.identity(),
            memory_bytes: 0,
            gpus: self.gpus.iter().map(gpu).collect(),
        })
    }

    /// Differences between the identities of two machines as text: `2 instead of 4 cores`.
    pub fn differences(&self, before: &Machine) -> Vec<String> {
        let texts = [
            ("CPU", &self.cpu_model, &before.cpu_model),
            ("architecture", &self.architecture, &before.architecture),
        ];
        let texts = texts.into_iter().filter(|(_, new, old)| new != old);
        let texts = texts.map(|(what, new, old)| format!("{what} {new} instead of {old}"));
        let counts = [
            ("packages", self.packages, before.packages),
            ("cores", self.cores, before.cores),
            ("hardware threads", self.hardware_threads, before.hardware_threads),
            ("NUMA nodes", self.numa_nodes, before.numa_nodes),
        ];
        let counts = counts.into_iter().filter(|(_, new, old)| new != old);
        let counts = counts.map(|(what, new, old)| format!("{new} instead of {old} {what}"));
        let caches = (self.caches != before.caches).then(|| "other caches".to_owned());
        texts.chain(counts).chain(caches).collect()
    }

    fn identity(&self) -> Identity<'_> {
        Identity {
            cpu_model: &self.cpu_model,
            architecture: &self.architecture,
            packages: self.packages,
            cores: self.cores,
            hardware_threads: self.hardware_threads,
            numa_nodes: self.numa_nodes,
            caches: &self.caches,
        }
    }
}

impl RunRecord {
    /// Replaces a key of an earlier version by the current one.
    #[must_use]
    pub fn with_todays_key(mut self) -> Self {
        if self.machine_key == self.machine.earlier_key() {
            self.machine_key = self.machine.key();
        }
        self
    }

    /// Model of a GPU that points ran on; `None` for the CPU, and where it is not recorded.
    pub fn gpu_model(&self, device: &str) -> Option<&str> {
        let adapters = self.shaders.iter().flat_map(|shaders| &shaders.adapters);
        let adapter = adapters.filter(|adapter| adapter.device == device);
        let adapter = adapter.map(|adapter| adapter.model.as_str());
        let hip = self.hip.iter().filter(|gpu| gpu.device == device);
        let hip = hip.map(|gpu| gpu.model.as_str());
        let cuda = self.cuda_gpu(device).map(|gpu| gpu.model.as_str());
        cuda.into_iter().chain(hip).chain(adapter).next()
    }

    /// The GPU with a device name such as `cuda:0`.
    pub fn cuda_gpu(&self, device: &str) -> Option<&Gpu> {
        let number = device.strip_prefix("cuda:")?;
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        self.machine.gpus.get(number[..digits].parse::<usize>().ok()?)
    }

    /// Models of the GPUs among these devices, without repeats, in alphabetical order.
    pub fn gpu_models<'a>(&self, devices: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let models: BTreeSet<&str> =
            devices.into_iter().filter_map(|device| self.gpu_model(device)).collect();
        models.into_iter().map(str::to_owned).collect()
    }

    /// True if the run was made on an equivalent machine: equal keys, and equal models of the GPUs
    /// that both have.
    pub fn is_of(&self, machine: &Machine) -> bool {
        self.machine_key == machine.key() && are_alike(&self.machine.gpus, &machine.gpus)
    }

    /// True if both runs were made on equivalent machines.
    pub fn is_like(&self, other: &RunRecord) -> bool {
        self.machine_key == other.machine_key && are_alike(&self.machine.gpus, &other.machine.gpus)
    }
}

/// Compares the GPUs that both have: fewer may be visible to one of two processes.
fn are_alike(a: &[Gpu], b: &[Gpu]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.model == b.model)
}

fn hash(identity: &impl Serialize) -> String {
    let text = serde_json::to_vec(identity).expect("texts and numbers are JSON");
    let hash = Sha256::digest(&text);
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

named_cells! { Code }

/// Comparison of the machine code of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Code {
    /// Equal: only the environment has changed.
    Same,
    /// Different.
    Changed,
    /// A fingerprint is missing.
    Unknown,
}

impl Code {
    /// Compares the fingerprints of both sides.
    pub fn from_fingerprints(base: &str, new: &str) -> Self {
        match (base, new) {
            ("", _) | (_, "") => Code::Unknown,
            _ if base == new => Code::Same,
            _ => Code::Changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Adapter, HipGpu, Shaders};

    fn machine() -> Machine {
        Machine {
            cpu_model: "Model".into(),
            architecture: "x86_64".into(),
            packages: 1,
            cores: 2,
            hardware_threads: 2,
            numa_nodes: 1,
            caches: vec![CacheLevel { level: 1, bytes: 32768, count: 2 }],
            memory_bytes: 1 << 34,
            gpus: vec![],
        }
    }

    fn gpu(model: &str, driver: &str) -> Gpu {
        Gpu { model: model.into(), driver: driver.into(), memory_bytes: 1 << 36, ..Gpu::default() }
    }

    #[test]
    fn the_key_is_of_the_cpu_and_its_topology_alone() {
        let base = machine();
        let same = Machine { memory_bytes: 1, gpus: vec![gpu("H100", "1.0")], ..machine() };
        assert_eq!(base.key(), same.key());
        let changes: [fn(&mut Machine); 7] = [
            |it| it.cpu_model = "Other".into(),
            |it| it.architecture = "aarch64".into(),
            |it| it.packages = 2,
            |it| it.cores = 1,
            |it| it.hardware_threads = 4,
            |it| it.numa_nodes = 2,
            |it| it.caches[0].bytes = 49152,
        ];
        for change in changes {
            let mut other = machine();
            change(&mut other);
            assert_ne!(base.key(), other.key(), "{other:?}");
            assert_eq!(other.differences(&base).len(), 1, "{other:?}");
        }
    }

    /// Both keys were written by version 0.1.0.
    #[test]
    fn keys_of_earlier_versions_are_recognised() {
        let with_gpu = Machine { gpus: vec![gpu("NVIDIA H100", "550.54")], ..machine() };
        let cases = [(machine(), "2863a1d2f1cdf3db"), (with_gpu, "15c399fbfcd86516")];
        for (machine, key) in cases {
            let key = key.to_owned();
            let record = RunRecord { machine_key: key, machine, ..RunRecord::default() };
            let today = record.machine.key();
            assert_eq!(record.with_todays_key().machine_key, today);
        }
        let foreign =
            RunRecord { machine_key: "00ff".into(), machine: machine(), ..RunRecord::default() };
        assert_eq!(foreign.with_todays_key().machine_key, "00ff");
    }

    #[test]
    fn points_on_gpus_are_of_their_models() {
        let mut record = RunRecord::default();
        record.machine.gpus = vec![gpu("H100", "1"), gpu("A100", "1")];
        let adapter =
            Adapter { device: "wgpu:0+checked".into(), model: "Arc".into(), ..Adapter::default() };
        record.shaders = Some(Shaders { adapters: vec![adapter], checked: true });
        record.hip =
            vec![HipGpu { device: "hip:0".into(), model: "MI250".into(), ..HipGpu::default() }];
        let models = ["cpu", "cuda:1", "cuda:0b", "cuda:7", "hip:0", "wgpu:0+checked", "cuda:x"];
        let models = models.map(|device| record.gpu_model(device));
        let expected = [None, Some("A100"), Some("H100"), None, Some("MI250"), Some("Arc"), None];
        assert_eq!(models, expected);
        assert_eq!(record.gpu_models(["cuda:0", "cpu", "cuda:1", "cuda:0"]), ["A100", "H100"]);
    }

    #[test]
    fn hidden_gpus_make_no_other_machine() {
        let with = |gpus| Machine { gpus, ..machine() };
        let record = |gpus| {
            let machine = with(gpus);
            RunRecord { machine_key: machine.key(), machine, ..RunRecord::default() }
        };
        let one = record(vec![gpu("H100", "1")]);
        assert!(one.is_of(&machine()) && one.is_like(&record(vec![])));
        assert!(one.is_like(&record(vec![gpu("H100", "2"), gpu("A100", "2")])));
        assert!(!one.is_like(&record(vec![gpu("H200", "1")])));
    }
}
