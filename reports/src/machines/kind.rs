//! Identity of the machine that a row was measured on.

use crate::record::RunRecord;
use crate::shape::CPU;

/// Subject of a comparison: the processors of a machine together, or one GPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MachineId {
    /// All CPUs of machines with this key.
    Cpu {
        /// Key of CPU model and topology.
        key: String,
    },
    /// A GPU of this model, in any host.
    Gpu {
        /// The model.
        model: String,
    },
}

impl MachineId {
    /// Identity of the machine that a device of a run is; `None` for a GPU whose model is not
    /// recorded.
    pub fn new(record: &RunRecord, device: &str) -> Option<Self> {
        if device == CPU {
            return Some(MachineId::Cpu { key: record.machine_key.clone() });
        }
        let model = record.gpu_model(device)?.to_owned();
        Some(MachineId::Gpu { model })
    }

    /// Identities of the devices of a point, such as `cuda:0+cuda:1`, without repeats.
    pub fn of_devices(record: &RunRecord, devices: &str) -> Vec<Self> {
        let mut ids: Vec<MachineId> = Vec::new();
        // A part without a device index is a suffix of the one before: `wgpu:0+checked`.
        let named = devices.split('+').filter(|name| *name == CPU || name.contains(':'));
        for id in named.filter_map(|name| MachineId::new(record, name)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// True for a GPU.
    pub fn is_gpu(&self) -> bool {
        matches!(self, MachineId::Gpu { .. })
    }
}

/// A machine of the comparison.
#[derive(Clone, Debug)]
pub struct ComparedMachine {
    /// Its identity.
    pub id: MachineId,
    /// Its name, unique in the comparison.
    pub name: String,
    /// Hosts of a GPU: their CPUs, without repeats; empty for CPUs.
    pub hosts: Vec<String>,
    /// Builds of the program that measured it, without repeats.
    pub builds: Vec<String>,
    /// Folders of runs during which other processes used the machine.
    pub busy: Vec<String>,
}

impl ComparedMachine {
    /// A machine without runs.
    pub(super) fn new(id: MachineId, record: &RunRecord) -> Self {
        let name = match &id {
            MachineId::Cpu { .. } => cpus(record),
            MachineId::Gpu { model } => model.clone(),
        };
        ComparedMachine { id, name, hosts: Vec::new(), builds: Vec::new(), busy: Vec::new() }
    }

    /// Adds the conditions of a run that measured it.
    pub(super) fn add(&mut self, folder: &str, record: &RunRecord) {
        let add = |list: &mut Vec<String>, text: String| {
            if !list.contains(&text) {
                list.push(text);
            }
        };
        if self.id.is_gpu() {
            add(&mut self.hosts, cpus(record));
        }
        add(&mut self.builds, build(record));
        if record.environment.is_busy() {
            add(&mut self.busy, folder.to_owned());
        }
    }
}

/// `Intel Xeon Processor, 16 CPUs`.
fn cpus(record: &RunRecord) -> String {
    let model = record.machine.cpu_model.replace("(R)", "").replace("(TM)", "");
    format!("{}, {} CPUs", model.trim(), record.machine.hardware_threads)
}

/// `0.2.0 (4b952d35)`.
fn build(record: &RunRecord) -> String {
    let software = &record.software;
    match &software.git_commit {
        Some(commit) => {
            let short: String = commit.chars().take(8).collect();
            format!("{} ({short})", software.version)
        }
        None => software.version.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::run;

    #[test]
    fn devices_are_the_cpus_or_models_of_gpus() {
        let run = run();
        let gpu = MachineId::Gpu { model: "GPU 100".into() };
        assert_eq!(MachineId::new(&run, "cpu"), Some(MachineId::Cpu { key: "key".into() }));
        assert_eq!(MachineId::new(&run, "cuda:0"), Some(gpu.clone()));
        assert_eq!(MachineId::new(&run, "cuda:1"), None);
        assert_eq!(MachineId::of_devices(&run, "cuda:0+again"), std::slice::from_ref(&gpu));
        assert_eq!(MachineId::of_devices(&run, "cuda:0+cuda:0"), [gpu]);
        assert_eq!(
            ComparedMachine::new(MachineId::Cpu { key: "key".into() }, &run).name,
            "Model 9000, 2 CPUs"
        );
    }
}
