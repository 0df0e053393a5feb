//! Nodes, power and cost for a load.

use statistics::spare_units;

use super::{Machine, Need, Refusal, Spares};

/// Hours of a year of 365 days, in which the farm runs.
pub const HOURS_PER_YEAR: f64 = 8760.0;
pub(super) const WATTS_PER_KILOWATT: f64 = 1e3;
/// More nodes are a mistake in the input.
const MAX_NODES: f64 = 1e9;

/// Nodes, power and cost of a farm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of nodes, spare ones included.
    pub nodes: u64,
    /// Load over the rate of all nodes.
    pub utilisation: f64,
    /// Power in kilowatts, that of the site included.
    pub kw: f64,
    /// Price of all nodes in euros.
    pub eur_purchase: f64,
    /// Price of a year's energy in euros.
    pub eur_energy_per_year: f64,
    /// Purchase spread over the years, and energy, in euros per year.
    pub eur_per_year: f64,
}

/// Node that a farm consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// Items per second without headroom.
    pub(super) items_per_s: f64,
    /// Items per second that its network can carry; infinite if their size is not known.
    pub(super) network_items_per_s: f64,
}

impl Node {
    /// Items per second that are planned for a node at most.
    fn capacity(self, need: &Need) -> f64 {
        (self.items_per_s * (1.0 - need.headroom)).min(self.network_items_per_s)
    }

    /// Returns true if the network of a node carries less than its processors are planned for.
    pub(super) fn is_bounded_by_network(self, need: &Need) -> bool {
        self.network_items_per_s < self.items_per_s * (1.0 - need.headroom)
    }

    /// Number of nodes that carry the load of a need, without spare ones.
    pub(super) fn working_nodes(self, need: &Need) -> Result<u64, Refusal> {
        let nodes = (need.items_per_s() / self.capacity(need)).ceil();
        if nodes <= MAX_NODES { Ok(nodes as u64) } else { Err(Refusal::TooManyNodes { nodes }) }
    }

    /// Number of nodes for a need, spare ones included.
    pub(super) fn nodes(self, need: &Need, machine: &Machine) -> Result<u64, Refusal> {
        let working = self.working_nodes(need)?;
        let spares = match need.spares {
            Spares::Nodes(nodes) => nodes,
            Spares::Availability(farm) => {
                let node = machine.availability.unwrap_or(f64::NAN);
                spare_units(working, node, farm).ok_or(Refusal::Availability { node, farm })?
            }
        };
        Ok(working + spares)
    }
}

impl Cost {
    /// Cost of a farm of such nodes.
    pub(super) fn new(need: &Need, machine: &Machine, node: Node) -> Result<Self, Refusal> {
        let nodes = node.nodes(need, machine)?;
        let count = nodes as f64;
        let utilisation = need.items_per_s() / (count * node.items_per_s);
        let watts = machine.idle_w + utilisation * (machine.peak_w - machine.idle_w);
        let kw = count * watts * need.pue / WATTS_PER_KILOWATT;
        let eur_purchase = count * machine.price_eur;
        let eur_energy_per_year = kw * HOURS_PER_YEAR * need.electricity_eur_per_kwh;
        Ok(Cost {
            nodes,
            utilisation,
            kw,
            eur_purchase,
            eur_energy_per_year,
            eur_per_year: eur_purchase / need.years + eur_energy_per_year,
        })
    }

    /// Returns true if it is better than another one in cost or power, and not worse in the other.
    pub fn dominates(&self, other: &Cost) -> bool {
        let is_as_good = self.eur_per_year <= other.eur_per_year && self.kw <= other.kw;
        is_as_good && (self.eur_per_year < other.eur_per_year || self.kw < other.kw)
    }
}
