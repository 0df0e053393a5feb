//! Packages, cores, hardware threads and caches, as reported by sysfs, and drawn as a tree.

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

/// Draws packages, NUMA nodes, last-level caches and cores as nested lines. CPUs that this process
/// may not use are in parentheses.
///
/// ```text
/// package 0
///   node 0
///     L3 32 MiB: [0 4] [1 5] (2 6) (3 7)
/// ```
pub fn draw(topology: &Topology, mask: &[usize]) -> String {
    let mut text = String::new();
    for package in distinct(topology.cpus.iter(), |cpu| cpu.package) {
        text.push_str(&format!("package {package}\n"));
        let cpus = || topology.cpus.iter();
        let in_package = || cpus().filter(move |cpu| cpu.package == package);
        for node in distinct(in_package(), |cpu| cpu.node) {
            text.push_str(&format!("  node {node}\n"));
            let in_node = || in_package().filter(move |cpu| cpu.node == node);
            for cache in distinct(in_node(), |cpu| topology.last_level_cache(cpu.number)) {
                let shares = |cpu: &&LogicalCpu| topology.last_level_cache(cpu.number) == cache;
                let cpus: Vec<_> = in_node().filter(shares).collect();
                let name = cache_name(topology, &cpus);
                let cores = cores(&cpus, mask);
                text.push_str(&format!("    {name}: {cores}\n"));
            }
        }
    }
    text
}

fn distinct<'a>(
    cpus: impl Iterator<Item = &'a LogicalCpu>,
    property: impl Fn(&LogicalCpu) -> usize,
) -> BTreeSet<usize> {
    cpus.map(property).collect()
}

fn cache_name(topology: &Topology, cpus: &[&LogicalCpu]) -> String {
    let last = |cpu: &&LogicalCpu| {
        let caches = topology.caches.iter();
        let mine = caches.filter(|cache| cache.cpus.contains(&cpu.number));
        mine.max_by_key(|cache| cache.level)
    };
    match cpus.first().and_then(last) {
        Some(cache) => format!("L{} {}", cache.level, size(cache.bytes)),
        None => "no cache known".to_owned(),
    }
}

/// Size of a cache in binary units: `32 MiB`.
pub fn size(bytes: u64) -> String {
    let kib = bytes >> 10;
    if kib < 1024 || !kib.is_multiple_of(1024) {
        format!("{kib} KiB")
    } else {
        format!("{} MiB", kib >> 10)
    }
}

/// Hardware threads of each core: `[0 4]`.
fn cores(cpus: &[&LogicalCpu], mask: &[usize]) -> String {
    let core = |core: usize| {
        let threads: Vec<_> = cpus.iter().filter(|cpu| cpu.core == core).collect();
        let numbers: Vec<_> = threads.iter().map(|cpu| cpu.number.to_string()).collect();
        let numbers = numbers.join(" ");
        if threads.iter().all(|cpu| mask.contains(&cpu.number)) {
            format!("[{numbers}]")
        } else {
            format!("({numbers})")
        }
    };
    let cores = distinct(cpus.iter().copied(), |cpu| cpu.core);
    cores.into_iter().map(core).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_packages_are_drawn_one_below_the_other() {
        let cpu = |number: usize| LogicalCpu {
            number,
            package: number % 4 / 2,
            core: number % 4,
            node: number % 4 / 2,
        };
        let cache = |cpus: [usize; 4]| Cache { level: 3, cpus: cpus.to_vec(), bytes: 32 << 20 };
        let topology = Topology {
            cpus: (0..8).map(cpu).collect(),
            caches: vec![cache([0, 1, 4, 5]), cache([2, 3, 6, 7])],
        };
        let expected = "package 0\n  node 0\n    L3 32 MiB: [0 4] [1 5]\n\
                        package 1\n  node 1\n    L3 32 MiB: [2 6] (3 7)\n";
        assert_eq!(draw(&topology, &[0, 1, 2, 4, 5, 6]), expected);
    }
}
