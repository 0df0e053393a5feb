//! Capacity planning: nodes, power and cost of a farm for a rate of items, from the rates that kept
//! runs measured.
//!
//! Reading order:
//!
//! | module | holds |
//! |---|---|
//! | `need` | the rate, and the conditions of the farm |
//! | `machines` | kinds of machines: price, power, network, and the runs that measured them |
//! | `rates` | rate of a machine for the tasks, from the rows of its runs, or why it has none |
//! | `cost` | nodes, power and cost for a load |
//! | `limits` | what limits a node, and what changes of it would bring |
//! | `simulated` | the farm, simulated with the times of a stream |
//! | `farm` | all of that for one kind of machine |
//! | `assumptions` | all numbers and models of a plan, with their sources |
//! | `table` | output for people and programs |
//!
//! Nothing here reads a file: the caller parses what users wrote, and reads the runs.

mod assumptions;
mod cost;
mod farm;
#[cfg(test)]
pub(crate) mod fixture;
mod limits;
mod machines;
mod need;
mod rates;
mod simulated;
mod table;

pub use assumptions::{Assumption, assumptions};
pub use cost::{Cost, HOURS_PER_YEAR};
pub use farm::{Bounded, Farm};
pub use limits::{Change, Limit};
pub use machines::{Concurrency, KeptRun, KeptStream, Machine};
pub use need::{Interactions, Load, Need, Spares, TaskShare};
pub use rates::{Rate, Refusal, TaskRate};
pub use simulated::Simulated;
#[cfg(test)]
pub(crate) use table::PlanDocument;
pub(crate) use table::{assumptions_table, changes_table, farms_table, heading};

use text::Untrusted;

/// Plan for a need: a farm of each kind of machine that can meet it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The need.
    pub need: Need,
    /// The farms, in the order of the machines.
    pub farms: Vec<Farm>,
    /// Machines without a farm.
    pub refused: Vec<RefusedMachine>,
}

/// Machine that can't be planned with.
#[derive(Clone, Debug)]
pub struct RefusedMachine {
    /// Name of the machine.
    pub name: String,
    /// Reason, and what to do.
    pub reason: Refusal,
}

impl Plan {
    /// Plans a farm of each kind of machine.
    pub fn new(need: Need, machines: Vec<Machine>) -> Self {
        let mut plan = Plan { need, farms: Vec::new(), refused: Vec::new() };
        for machine in machines {
            let name = machine.name.clone();
            match Farm::new(&plan.need, machine) {
                Ok(farm) => plan.add(farm),
                Err(reason) => plan.refused.push(RefusedMachine { name, reason }),
            }
        }
        plan
    }

    /// Adds a farm, unless its items are others than those of the first one.
    fn add(&mut self, farm: Farm) {
        let unit = farm.rate.item_unit();
        match self.farms.first().map(|first| first.rate.item_unit()) {
            Some(other) if other != unit => {
                let reason = Refusal::Units { units: [other.to_owned(), unit.to_owned()] };
                self.refused.push(RefusedMachine { name: farm.machine.name, reason });
            }
            _ => self.farms.push(farm),
        }
    }

    /// Reasons to distrust the numbers of a farm of the plan, and its comparison with the first one.
    pub fn warnings(&self, farm: &Farm) -> Vec<String> {
        let first = self.farms.first().map_or(&[][..], |first| &first.rate.tasks);
        let pairs = farm.rate.tasks.iter().zip(first);
        let other_data = pairs.filter_map(|(task, other)| {
            let [own, other] = [task, other].map(|it| it.preset().escaped().to_string());
            (own != other).then(|| {
                format!(
                    "{} was measured with the preset {own}, that of the first machine with {other}: \
                     they can't be compared; add preset to the need",
                    task.task.escaped()
                )
            })
        });
        farm.warnings(&self.need).into_iter().chain(other_data).collect()
    }

    /// Returns true if no other farm costs less and needs less power.
    pub fn is_on_front(&self, farm: &Farm) -> bool {
        !self.farms.iter().any(|other| other.bounded.value.dominates(&farm.bounded.value))
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{machine, need};
    use super::*;

    #[test]
    fn machines_without_a_farm_have_a_reason() {
        let other_unit = {
            let mut machine = machine("samples");
            machine.runs[0].run.rows[0].item_unit = "sample".into();
            machine
        };
        let plan = Plan::new(need(), vec![machine("first"), other_unit]);
        assert_eq!(plan.farms.len(), 1);
        let [refused] = &plan.refused[..] else { panic!("{:?}", plan.refused) };
        assert_eq!(refused.name, "samples");
        assert!(refused.reason.to_string().contains("digis and samples"), "{}", refused.reason);
    }

    #[test]
    fn the_front_has_no_farm_that_costs_more_and_needs_more_power() {
        let dear = Machine { price_eur: 20_000.0, ..machine("dear") };
        let thrifty =
            Machine { idle_w: 10.0, peak_w: 20.0, price_eur: 15_000.0, ..machine("cool") };
        let plan = Plan::new(need(), vec![machine("first"), dear, thrifty]);
        let front: Vec<bool> = plan.farms.iter().map(|farm| plan.is_on_front(farm)).collect();
        assert_eq!(front, [true, false, true]);
    }
}
