//! Topology as a text tree.

use std::collections::BTreeSet;

use super::{LogicalCpu, Topology};

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
    use crate::platform::Cache;

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
