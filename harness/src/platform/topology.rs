//! Packages, cores, hardware threads and caches, as reported by sysfs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reports::record::CacheLevel;

use super::affinity::assumed_cpus;
use super::sysfs;

/// Online CPUs, and the caches that they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// CPUs in ascending order of their numbers.
    pub cpus: Vec<LogicalCpu>,
    /// Data and unified caches, by level, then by their first CPU.
    pub caches: Vec<Cache>,
}

/// A hardware thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicalCpu {
    /// CPU number of the system.
    pub number: usize,
    /// Package (socket) number.
    pub package: usize,
    /// Core, identified by the lowest number of its hardware threads.
    pub core: usize,
    /// NUMA node.
    pub node: usize,
}

/// A cache.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cache {
    /// Level 1, 2 or 3.
    pub level: u32,
    /// CPUs that share it.
    pub cpus: Vec<usize>,
    /// Size in bytes.
    pub bytes: u64,
}

impl Topology {
    /// Reads the topology below `root`, which is `/sys` except in tests. Without it, the CPUs are
    /// assumed to be cores of one package.
    pub fn read(root: &Path) -> Self {
        let base = root.join("devices/system/cpu");
        let nodes = nodes(&root.join("devices/system/node"));
        let numbers = sysfs::cpus(&base.join("online")).unwrap_or_else(assumed_cpus);
        let cpu = |&number: &usize| read_cpu(&base, &nodes, number);
        let caches = |number: &usize| read_caches(&base.join(format!("cpu{number}/cache")));
        let shared: BTreeSet<_> = numbers.iter().flat_map(caches).collect();
        Topology { cpus: numbers.iter().map(cpu).collect(), caches: shared.into_iter().collect() }
    }

    /// Topology of this machine.
    pub fn this_machine() -> Self {
        Self::read(Path::new("/sys"))
    }

    /// Number of packages (sockets).
    pub fn packages(&self) -> usize {
        self.count(|cpu| cpu.package)
    }

    /// Number of cores.
    pub fn cores(&self) -> usize {
        self.count(|cpu| cpu.core)
    }

    /// Number of NUMA nodes.
    pub fn nodes(&self) -> usize {
        self.count(|cpu| cpu.node)
    }

    /// Total bytes of all last-level caches.
    pub fn last_level_bytes(&self) -> u64 {
        let last = self.caches.iter().map(|cache| cache.level).max();
        let last_level = self.caches.iter().filter(|cache| Some(cache.level) == last);
        last_level.map(|cache| cache.bytes).sum()
    }

    /// Last-level cache of a CPU, identified by the lowest CPU that shares it.
    pub fn last_level_cache(&self, cpu: usize) -> usize {
        let shared = self.caches.iter().filter(|cache| cache.cpus.contains(&cpu));
        let last = shared.max_by_key(|cache| cache.level);
        last.and_then(|cache| cache.cpus.first().copied()).unwrap_or(0)
    }

    /// Caches by level and size.
    pub fn cache_levels(&self) -> Vec<CacheLevel> {
        let mut counts = BTreeMap::<(u32, u64), usize>::new();
        for cache in &self.caches {
            *counts.entry((cache.level, cache.bytes)).or_default() += 1;
        }
        let level = |((level, bytes), count)| CacheLevel { level, bytes, count };
        counts.into_iter().map(level).collect()
    }

    fn count(&self, property: impl Fn(&LogicalCpu) -> usize) -> usize {
        let distinct: BTreeSet<_> = self.cpus.iter().map(property).collect();
        distinct.len()
    }
}

fn read_cpu(base: &Path, nodes: &BTreeMap<usize, usize>, number: usize) -> LogicalCpu {
    let topology = base.join(format!("cpu{number}/topology"));
    let siblings = sysfs::cpus(&topology.join("thread_siblings_list"));
    let first = siblings.and_then(|cpus| cpus.into_iter().min());
    LogicalCpu {
        number,
        package: sysfs::number(&topology.join("physical_package_id")).unwrap_or(0),
        core: first.unwrap_or(number),
        node: nodes.get(&number).copied().unwrap_or(0),
    }
}

/// NUMA node of each CPU.
fn nodes(base: &Path) -> BTreeMap<usize, usize> {
    let mut nodes = BTreeMap::new();
    for (node, folder) in numbered_folders(base, "node") {
        let cpus = sysfs::cpus(&folder.join("cpulist"));
        nodes.extend(cpus.into_iter().flatten().map(|cpu| (cpu, node)));
    }
    nodes
}

fn read_caches(base: &Path) -> Vec<Cache> {
    let cache = |(_, folder): (usize, PathBuf)| {
        let kind = sysfs::text(&folder.join("type"))?;
        let cache = Cache {
            level: sysfs::number(&folder.join("level"))?,
            cpus: sysfs::cpus(&folder.join("shared_cpu_list"))?,
            bytes: sysfs::size(&sysfs::text(&folder.join("size"))?)?,
        };
        (kind != "Instruction").then_some(cache)
    };
    let folders = numbered_folders(base, "index").into_iter();
    folders.filter_map(cache).collect()
}

/// Folders named by a prefix and a number, in order of the number.
fn numbered_folders(base: &Path, prefix: &str) -> Vec<(usize, PathBuf)> {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    let numbered = entries.filter_map(|entry| {
        let name = entry.file_name();
        let number = name.to_str()?.strip_prefix(prefix)?.parse().ok()?;
        Some((number, entry.path()))
    });
    let mut folders: Vec<_> = numbered.collect();
    folders.sort();
    folders
}

/// NUMA node of a PCI device, by its address as drivers format it; `None` if not available.
pub fn gpu_node(pci_bus_id: &str) -> Option<usize> {
    // Drivers format the domain with eight digits, the system with four.
    let address = pci_bus_id.to_lowercase();
    let address = address.get(address.len().checked_sub("0000:00:00.0".len())?..)?;
    sysfs::number(&Path::new("/sys/bus/pci/devices").join(address).join("numa_node"))
}
