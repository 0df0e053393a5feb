//! Prices of machines.

use text::Untrusted;

use super::kind::{ComparedMachine, MachineId};

/// Price of a node, and what it is the price of.
#[derive(Clone, Debug)]
pub struct NodePrice {
    /// Name in the file of prices.
    pub name: String,
    /// Price of the node in euros.
    pub eur: f64,
    /// GPUs of the node.
    pub gpus: u64,
    /// Machines that its runs were measured on; empty without runs.
    pub measured_on: Vec<MachineId>,
}

/// Price of a machine of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct MachinePrice {
    /// Euros: of the node, or of its share of one GPU.
    pub eur: f64,
    /// Name in the file of prices.
    pub from: String,
}

impl NodePrice {
    /// True if it is the price of a machine: by name, else by its runs.
    fn is_of(&self, machine: &ComparedMachine) -> bool {
        let is_named = self.name.eq_ignore_ascii_case(&machine.name);
        is_named || self.measured_on.contains(&machine.id)
    }

    /// Price of one GPU with its share of the node, or of the whole node for its CPUs.
    fn share(&self, machine: &ComparedMachine) -> f64 {
        if machine.id.is_gpu() { self.eur / self.gpus.max(1) as f64 } else { self.eur }
    }
}

/// Price of a machine: of the first node that it is part of. A node with GPUs has no price for its
/// CPUs alone, unless that node is called so.
pub(super) fn price(prices: &[NodePrice], machine: &ComparedMachine) -> Option<MachinePrice> {
    let is_of = |price: &&NodePrice| {
        let is_host = price.gpus > 0 && !machine.id.is_gpu();
        let is_named = price.name.eq_ignore_ascii_case(&machine.name);
        price.is_of(machine) && (!is_host || is_named)
    };
    let found = prices.iter().find(is_of)?;
    Some(MachinePrice { eur: found.share(machine), from: found.name.clone() })
}

/// Notes on prices that no machine has.
pub(super) fn unused(prices: &[NodePrice], machines: &[ComparedMachine]) -> Vec<String> {
    let used: Vec<String> =
        machines.iter().filter_map(|it| price(prices, it)).map(|it| it.from).collect();
    let names: Vec<String> = machines.iter().map(|it| it.name.quoted().to_string()).collect();
    let unused = prices.iter().filter(|it| !used.contains(&it.name));
    let note = |it: &NodePrice| {
        format!(
            "the price of {} is not used: neither its name nor its results are those of a machine; \
             machines are {}",
            it.name.quoted(),
            names.join(", ")
        )
    };
    unused.map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::run;

    #[test]
    fn prices_are_found_by_name_and_by_runs() {
        let gpu = MachineId::Gpu { model: "GPU 100".into() };
        let cpu = MachineId::Cpu { key: "key".into() };
        let machines = [&gpu, &cpu].map(|id| ComparedMachine::new(id.clone(), &run()));
        let node = NodePrice { name: "four".into(), eur: 1000.0, gpus: 4, measured_on: vec![gpu] };
        let host = NodePrice { gpus: 0, measured_on: vec![cpu], ..node.clone() };
        let named = NodePrice { name: "model 9000, 2 CPUS".into(), ..node.clone() };
        let eur = |prices: &[NodePrice], machine: usize| {
            price(prices, &machines[machine]).map(|price| price.eur)
        };
        assert_eq!(eur(std::slice::from_ref(&node), 0), Some(250.0));
        assert_eq!(eur(std::slice::from_ref(&node), 1), None);
        assert_eq!(eur(&[node.clone(), host], 1), Some(1000.0));
        assert_eq!(eur(std::slice::from_ref(&named), 1), Some(1000.0));
        let other = NodePrice { name: "other".into(), measured_on: Vec::new(), ..node };
        let notes = unused(&[other, named], &machines);
        assert!(
            notes.len() == 1 && notes[0].contains("price of \"other\" is not used"),
            "{notes:?}"
        );
    }
}
