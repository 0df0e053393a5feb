//! Limits of a node, and effects of changes.
//!
//! The model is that of a bottleneck: streams share resources, and the most used one determines the
//! rate. If its use per item falls, the rate rises until the resource that is most used then is used
//! as much. That is an upper bound, because waiting for each other does not become less.

use serde::Serialize;

use super::cost::Node;
use super::rates::{gpus_of, time_per_item};
use super::{Cost, Machine, Need, Rate, TaskRate};
use crate::throughput::{LIMITED, ThroughputRow};

/// Reduction of the time of kernels.
const FASTER_KERNELS: f64 = 0.7;

/// Resource that limits a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Network of the node.
    Network,
    /// Bound of the latency, beyond which faster settings lie.
    Latency,
    /// Links to the GPUs.
    Link,
    /// Kernels on the GPUs.
    Kernels,
    /// Bandwidth of the memory.
    Memory,
    /// Cores of the host.
    Cores,
    /// No resource is almost fully used, or none was measured.
    Unknown,
}

impl Limit {
    /// Name for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Network => "network",
            Limit::Latency => "latency",
            Limit::Link => "link",
            Limit::Kernels => "kernels",
            Limit::Memory => "memory",
            Limit::Cores => "cores",
            Limit::Unknown => "unknown",
        }
    }
}

/// Effect of a change of the machine or the program.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// The change.
    pub name: &'static str,
    /// Upper bound of the rate of a node over that without the change.
    pub rate_factor: f64,
    /// Lower bound of the number of nodes.
    pub nodes: u64,
    /// True if the network of a node limits the changed one.
    pub limited_by_network: bool,
    /// Lower bound of the cost per year in euros, if the change costs nothing; null if the machine
    /// would have another price.
    pub eur_per_year: Option<f64>,
}

/// Change of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Improvement {
    TwiceTheNetwork,
    TwiceTheLink,
    OneMoreGpu,
    FasterKernels,
}

impl Improvement {
    const ALL: [Improvement; 4] = [
        Improvement::TwiceTheNetwork,
        Improvement::TwiceTheLink,
        Improvement::OneMoreGpu,
        Improvement::FasterKernels,
    ];

    fn name(self) -> &'static str {
        match self {
            Improvement::TwiceTheNetwork => "twice the network",
            Improvement::TwiceTheLink => "twice the link",
            Improvement::OneMoreGpu => "one more GPU per node",
            Improvement::FasterKernels => "-30 % kernel time",
        }
    }

    /// Upper bound of the gain of a task's rate; `None` if it does not apply to the row, or nothing
    /// is known of its resources.
    fn gain(self, row: &ThroughputRow) -> Option<f64> {
        let before = Use::new(row);
        let is_on_gpu = gpus_of(row) > 0;
        let after = match self {
            Improvement::TwiceTheNetwork => return Some(1.0),
            Improvement::OneMoreGpu => {
                let gpus = gpus_of(row) as f64;
                return is_on_gpu.then_some((gpus + 1.0) / gpus);
            }
            Improvement::TwiceTheLink => Use { link: 0.5 * before.link, ..before },
            Improvement::FasterKernels if is_on_gpu => {
                Use { kernels: FASTER_KERNELS * before.kernels, ..before }
            }
            Improvement::FasterKernels => Use { cores: FASTER_KERNELS * before.cores, ..before },
        };
        let applies = is_on_gpu || self == Improvement::FasterKernels;
        (applies && before.highest() > 0.0).then(|| before.highest() / after.highest())
    }
}

/// Shares of resources that a row used; 0 if not known. More than all of a resource, which streams
/// seem to use where their kernels overlap, counts as all.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Use {
    link: f64,
    kernels: f64,
    memory: f64,
    cores: f64,
}

impl Use {
    fn new(row: &ThroughputRow) -> Self {
        let share = |share: Option<f64>| share.unwrap_or(0.0).clamp(0.0, 1.0);
        let is_on_gpu = gpus_of(row) > 0;
        Use {
            link: share(row.link_share),
            kernels: share(row.kernels_share),
            memory: share(row.copy_share),
            // Cores that wait for a GPU are busy without limiting anything.
            cores: if is_on_gpu { 0.0 } else { share(row.cores_share) },
        }
    }

    fn all(self) -> [(Limit, f64); 4] {
        [
            (Limit::Link, self.link),
            (Limit::Kernels, self.kernels),
            (Limit::Memory, self.memory),
            (Limit::Cores, self.cores),
        ]
    }

    fn highest(self) -> f64 {
        self.all().into_iter().map(|(_, share)| share).fold(0.0, f64::max)
    }

    /// The most used resource, if it is almost fully used.
    fn limit(self) -> Limit {
        let highest = self.all().into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        highest.filter(|(_, share)| *share >= LIMITED).map_or(Limit::Unknown, |(limit, _)| limit)
    }
}

/// The resource that limits a node.
pub(super) fn limit(need: &Need, rate: &Rate, node: Node) -> Limit {
    if node.is_bounded_by_network(need) {
        return Limit::Network;
    }
    match rate.longest() {
        Some(task) if task.is_bounded_by_latency => Limit::Latency,
        Some(task) => Use::new(&task.row).limit(),
        None => Limit::Unknown,
    }
}

/// Effects of all changes that apply to a node.
pub(super) fn changes(need: &Need, machine: &Machine, rate: &Rate, node: Node) -> Vec<Change> {
    let is_useful = |improvement: &Improvement| {
        *improvement != Improvement::TwiceTheNetwork || node.is_bounded_by_network(need)
    };
    let improvements = Improvement::ALL.into_iter().filter(is_useful);
    improvements.filter_map(|it| change(need, machine, rate, node, it)).collect()
}

fn change(
    need: &Need,
    machine: &Machine,
    rate: &Rate,
    node: Node,
    improvement: Improvement,
) -> Option<Change> {
    let rate_of = |task: &TaskRate| Some(task.items_per_s * improvement.gain(&task.row)?);
    let items_per_s = time_per_item(&rate.tasks, rate_of)?.recip();
    let mut improved = Node { items_per_s, ..node };
    if improvement == Improvement::TwiceTheNetwork {
        improved.network_items_per_s *= 2.0;
    }
    let cost = Cost::new(need, machine, improved).ok()?;
    Some(Change {
        name: improvement.name(),
        rate_factor: improved.items_per_s / node.items_per_s,
        nodes: cost.nodes,
        limited_by_network: improved.is_bounded_by_network(need),
        eur_per_year: (improvement == Improvement::FasterKernels).then_some(cost.eur_per_year),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{kept, machine, measured, need, on_gpu};
    use super::super::{Farm, Load};
    use super::*;

    fn farm(row: ThroughputRow) -> Farm {
        let machine =
            Machine { runs: vec![kept(vec![row])], network_gbit_s: 1e3, ..machine("node") };
        Farm::new(&need(), machine).expect("a farm")
    }

    fn names(farm: &Farm) -> Vec<&str> {
        farm.changes.iter().map(|change| change.name).collect()
    }

    #[test]
    fn a_link_that_is_full_limits_a_node() {
        let farm = farm(on_gpu("cuda:0", 1e6));
        assert_eq!(farm.limit, Limit::Link);
        assert_eq!(names(&farm), ["twice the link", "one more GPU per node", "-30 % kernel time"]);
        let factors: Vec<f64> = farm.changes.iter().map(|change| change.rate_factor).collect();
        // The link from 0.9 to 0.45: then kernels with 0.6 are the limit, 0.9 / 0.6.
        assert!((factors[0] - 1.5).abs() < 1e-9 && (factors[1] - 2.0).abs() < 1e-9, "{factors:?}");
        assert!((factors[2] - 1.0).abs() < 1e-9, "{factors:?}");
        // 10 M / (1.5 M × 0.5) = 13.3.
        let nodes: Vec<u64> = farm.changes.iter().map(|change| change.nodes).collect();
        assert_eq!(nodes, [14, 10, 20]);
        let has_cost: Vec<bool> = farm.changes.iter().map(|it| it.eur_per_year.is_some()).collect();
        assert_eq!(has_cost, [false, false, true]);
    }

    #[test]
    fn overlapping_kernels_use_a_gpu_once() {
        let row = ThroughputRow { kernels_share: Some(2.5), ..on_gpu("cuda:0", 1e6) };
        let farm = farm(row);
        assert_eq!(farm.limit, Limit::Kernels);
        // Kernels from 1 to 0.7: then the link with 0.9.
        assert!((farm.changes[2].rate_factor - 1.0 / 0.9).abs() < 1e-9, "{:?}", farm.changes);
    }

    #[test]
    fn a_cpu_has_cores_and_no_link() {
        let farm = farm(measured("sts", 1e6));
        assert_eq!((farm.limit, names(&farm)), (Limit::Cores, vec!["-30 % kernel time"]));
        assert!((farm.changes[0].rate_factor - 1.0 / 0.7).abs() < 1e-9, "{:?}", farm.changes);
    }

    #[test]
    fn half_used_resources_limit_nothing() {
        let row = ThroughputRow { cores_share: Some(0.5), ..measured("sts", 1e6) };
        assert_eq!(farm(row).limit, Limit::Unknown);
        let unknown = ThroughputRow { cores_share: None, ..measured("sts", 1e6) };
        assert_eq!(farm(unknown).changes, []);
    }

    #[test]
    fn a_network_that_is_full_hides_all_else() {
        let narrow = Machine {
            network_gbit_s: 0.032,
            runs: vec![kept(vec![on_gpu("cuda:0", 1e6)])],
            ..machine("node")
        };
        let farm = Farm::new(&need(), narrow).expect("a farm");
        assert_eq!(farm.limit.name(), "network");
        let nodes: Vec<(&str, u64)> = farm.changes.iter().map(|it| (it.name, it.nodes)).collect();
        assert_eq!(nodes[..2], [("twice the network", 20), ("twice the link", 40)]);
        let limited: Vec<bool> = farm.changes.iter().map(|it| it.limited_by_network).collect();
        assert_eq!(limited[..2], [false, true]);
        assert!(matches!(need().load, Load::Items(_)));
    }
}
