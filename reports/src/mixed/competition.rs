//! Resources that two loads compete for, inferred from their use.
//!
//! A slowdown by itself does not show its cause. Resources that both loads together would use almost
//! fully, or beyond what there is, explain one. If there are none, what remains is what no counter
//! here shows: caches that both use, and clocks that depend on the number of busy cores.

use super::SlowdownRow;
use crate::throughput::LIMITED;

/// CPUs of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCpus {
    /// CPUs that the process may use.
    pub cpus: usize,
    /// Physical cores with these CPUs.
    pub cores: usize,
}

/// Resource that loads compete for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// CPUs, which threads take turns on.
    Cores,
    /// Execution units of cores that have several CPUs.
    SharedCores,
    /// Bandwidth of the memory of the same device.
    Memory,
    /// Link to the same GPU.
    Link,
    /// Time of the same GPU.
    Gpu,
    /// By exclusion: caches, or clocks that several cores share.
    CacheOrClocks,
}

impl Resource {
    /// Name in the columns.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Cores => "cores",
            Resource::SharedCores => "shared-cores",
            Resource::Memory => "memory",
            Resource::Link => "link",
            Resource::Gpu => "gpu",
            Resource::CacheOrClocks => "cache-or-clocks",
        }
    }

    /// Words for people.
    pub fn words(name: &str) -> &str {
        match name {
            "shared-cores" => "cores with several CPUs",
            "gpu" => "time of the GPU",
            "cache-or-clocks" => "cache or shared clocks (by exclusion)",
            other => other,
        }
    }
}

/// Resources that explain the slowdown of a row, from its evidence.
pub fn resources(row: &SlowdownRow) -> Vec<Resource> {
    let is_near = |share: Option<f64>| share.is_some_and(|share| share >= LIMITED);
    let is_full = |share: Option<f64>| share.is_some_and(|share| share >= 1.0);
    let mut found = Vec::new();
    let takes_turns = row.threads > row.cpus && is_near(row.cores_share_with);
    if takes_turns || is_full(row.cores_share_alone) {
        found.push(Resource::Cores);
    } else if row.threads > row.cores && is_near(row.cores_share_alone) {
        found.push(Resource::SharedCores);
    }
    if is_near(row.copy_share_alone) {
        found.push(Resource::Memory);
    }
    if is_near(row.link_share_alone) {
        found.push(Resource::Link);
    }
    if is_near(row.kernels_share_alone) {
        found.push(Resource::Gpu);
    }
    if found.is_empty() {
        found.push(Resource::CacheOrClocks);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two loads of two threads on eight CPUs of four cores, far from all limits.
    fn row() -> SlowdownRow {
        SlowdownRow {
            threads: 4,
            cpus: 8,
            cores: 4,
            cores_share_alone: Some(0.5),
            cores_share_with: Some(0.5),
            copy_share_alone: Some(0.2),
            ..SlowdownRow::default()
        }
    }

    #[test]
    fn resources_are_those_near_their_limits() {
        use Resource::{CacheOrClocks, Cores, Gpu, Link, Memory, SharedCores};
        let full = Some(0.95);
        for (row, expected) in [
            (row(), vec![CacheOrClocks]),
            (SlowdownRow { threads: 9, cores_share_with: full, ..row() }, vec![Cores]),
            (SlowdownRow { threads: 9, ..row() }, vec![CacheOrClocks]),
            (SlowdownRow { cores_share_alone: Some(1.2), ..row() }, vec![Cores]),
            (SlowdownRow { threads: 8, cores_share_alone: full, ..row() }, vec![SharedCores]),
            (SlowdownRow { copy_share_alone: full, ..row() }, vec![Memory]),
            (
                SlowdownRow { link_share_alone: full, kernels_share_alone: full, ..row() },
                vec![Link, Gpu],
            ),
            (
                SlowdownRow { cores_share_alone: Some(1.2), copy_share_alone: full, ..row() },
                vec![Cores, Memory],
            ),
        ] {
            assert_eq!(resources(&row), expected, "{row:?}");
        }
    }
}
