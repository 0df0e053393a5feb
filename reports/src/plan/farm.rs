//! Farm of one kind of machine: nodes, power and cost for the load of a need.

use super::cost::{HOURS_PER_YEAR, Node, WATTS_PER_KILOWATT};
use super::limits::{Change, Limit, changes, limit};
use super::{Cost, Load, Machine, Need, Rate, Refusal, Simulated};

const SECONDS_PER_HOUR: f64 = 3600.0;
const BITS_PER_BYTE: f64 = 8.0;
const BITS_PER_GIGABIT: f64 = 1e9;

/// Farm of one kind of machine.
#[derive(Clone, Debug)]
pub struct Farm {
    /// The machine.
    pub machine: Machine,
    /// Rate of a node.
    pub rate: Rate,
    /// Cost with the measured rate, and with the ends of its interval.
    pub bounded: Bounded<Cost>,
    /// Events per second of the whole load.
    pub events_per_s: f64,
    /// Bytes of an item that a node receives, if they are known.
    pub bytes_per_item: Option<f64>,
    /// Network load of a node in gigabits per second, if the size of items is known.
    pub network_gbit_s: Option<f64>,
    /// Resource that limits a node.
    pub limit: Limit,
    /// Effects of changes.
    pub changes: Vec<Change>,
    /// The farm as it was simulated, if there is a stream of the machine.
    pub simulated: Option<Simulated>,
}

/// Value with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded<T> {
    /// Value of the measured rate.
    pub value: T,
    /// Value of the upper end of the rate: the smaller farm.
    pub low: T,
    /// Value of the lower end of the rate: the larger farm.
    pub high: T,
}

impl Farm {
    /// Plans the farm of a kind of machine.
    ///
    /// # Errors
    /// If its runs have no usable rate, or no number of nodes meets the need.
    pub fn new(need: &Need, machine: Machine) -> Result<Self, Refusal> {
        let rate = Rate::new(need, &machine)?;
        let bytes_per_item = need.bytes_per_item.or(rate.bytes_per_item());
        let network_items_per_s = bytes_per_item.map_or(f64::INFINITY, |bytes| {
            machine.network_gbit_s * BITS_PER_GIGABIT / (bytes * BITS_PER_BYTE)
        });
        let node = |items_per_s: f64| Node { items_per_s, network_items_per_s };
        let cost = |items_per_s: f64| Cost::new(need, &machine, node(items_per_s));
        let bounded = Bounded {
            value: cost(rate.items_per_s)?,
            low: cost(rate.interval.high)?,
            high: cost(rate.interval.low)?,
        };
        let node = node(rate.items_per_s);
        let working = node.working_nodes(need)?.max(1) as f64;
        let gigabits = |bytes: f64| bytes * BITS_PER_BYTE / BITS_PER_GIGABIT;
        let simulated =
            machine.stream.as_ref().map(|stream| Simulated::new(need, stream, bounded.value.nodes));
        let items_per_node = need.items_per_s() / working;
        Ok(Farm {
            events_per_s: match &need.load {
                Load::Interactions(load) => load.rate_hz,
                Load::Items(items_per_s) => rate.events_per_s(*items_per_s),
            },
            network_gbit_s: bytes_per_item.map(|bytes| items_per_node * gigabits(bytes)),
            limit: limit(need, &rate, node),
            changes: changes(need, &machine, &rate, node),
            simulated: simulated.transpose()?,
            machine,
            rate,
            bounded,
            bytes_per_item,
        })
    }

    /// Energy of an event in joules.
    pub fn j_per_event(&self) -> f64 {
        self.bounded.value.kw * WATTS_PER_KILOWATT / self.events_per_s
    }

    /// Cost of a million events in euros.
    pub fn eur_per_million_events(&self) -> f64 {
        let events_per_year = self.events_per_s * HOURS_PER_YEAR * SECONDS_PER_HOUR;
        self.bounded.value.eur_per_year / events_per_year * 1e6
    }

    /// GPUs of the farm.
    pub fn gpus(&self) -> u64 {
        self.bounded.value.nodes * self.machine.gpus()
    }

    /// Height of the farm in rack units.
    pub fn rack_units(&self) -> f64 {
        self.bounded.value.nodes as f64 * self.machine.rack_units
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{kept, machine, measured, need};
    use super::super::{Interactions, Spares};
    use super::*;
    use crate::throughput::ThroughputRow;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{value} is not {expected}");
    }

    #[test]
    fn nodes_power_and_cost_by_hand() {
        let farm = Farm::new(&need(), machine("node")).expect("a farm");
        let cost = farm.bounded.value;
        // 10 M / (1 M × 0.5), and 10 M / (1.2 M × 0.5) = 16.7, 10 M / (0.8 M × 0.5).
        let nodes = [cost.nodes, farm.bounded.low.nodes, farm.bounded.high.nodes];
        assert_eq!(nodes, [20, 17, 25]);
        close(cost.utilisation, 0.5);
        // 20 nodes × (100 W + 0.5 × 200 W) × 1.25.
        close(cost.kw, 5.0);
        close(cost.eur_purchase, 200_000.0);
        // 5 kW × 8760 h × 0.25 €/kWh.
        close(cost.eur_energy_per_year, 10_950.0);
        close(cost.eur_per_year, 50_950.0);
        // 10 M items are 10 000 events of 1000 items.
        close(farm.events_per_s, 1e4);
        close(farm.j_per_event(), 0.5);
        close(farm.eur_per_million_events(), 50_950.0 / (1e4 * 31_536_000.0) * 1e6);
        close(farm.rack_units(), 40.0);
        assert_eq!(farm.gpus(), 0);
        // 10 M items over 20 nodes, of 16 bytes: 0.5 M × 128 bit.
        close(farm.network_gbit_s.expect("known"), 0.064);
    }

    #[test]
    fn spare_nodes_share_the_load() {
        let spare = Need { spares: Spares::Nodes(5), ..need() };
        let farm = Farm::new(&spare, machine("node")).expect("a farm");
        assert_eq!(farm.bounded.value.nodes, 25);
        close(farm.bounded.value.utilisation, 0.4);
        // 25 nodes × (100 W + 0.4 × 200 W) × 1.25: 5 idle nodes more.
        close(farm.bounded.value.kw, 5.625);
    }

    #[test]
    fn availability_takes_spare_nodes() {
        let need = |enough: f64| Need { spares: Spares::Availability(enough), ..need() };
        let node = Machine { availability: Some(0.99), ..machine("node") };
        let nodes = |enough: f64| {
            let farm = Farm::new(&need(enough), node.clone()).expect("a farm");
            farm.bounded.value.nodes
        };
        // All 20 nodes work for 0.99^20, 82 % of the time, 20 of 21 for 98.1 %, 20 of 22 for 99.9 %.
        assert_eq!([0.8, 0.98, 0.998].map(nodes), [20, 21, 22]);
        let unknown = Farm::new(&need(0.98), machine("node")).expect_err("refused").to_string();
        assert!(unknown.contains("correct availability"), "{unknown}");
    }

    #[test]
    fn events_of_a_rate_are_interactions() {
        let load = Interactions {
            rate_hz: 1e4,
            items_per_interaction: 1e3,
            source: "need.toml".into(),
            item_unit: None,
        };
        let need = Need { load: Load::Interactions(load), ..need() };
        let farm = Farm::new(&need, machine("node")).expect("a farm");
        assert_eq!(farm.bounded.value.nodes, 20);
        close(farm.events_per_s, 1e4);
    }

    #[test]
    fn a_narrow_network_takes_more_nodes() {
        // 0.032 Gbit/s are 0.25 M items of 16 bytes per second, half of what is planned for a node.
        let narrow = Machine { network_gbit_s: 0.032, ..machine("node") };
        let farm = Farm::new(&need(), narrow.clone()).expect("a farm");
        assert_eq!((farm.bounded.value.nodes, farm.limit), (40, Limit::Network));
        close(farm.network_gbit_s.expect("known"), 0.032);
        let small = Need { bytes_per_item: Some(4.0), ..need() };
        let farm = Farm::new(&small, narrow.clone()).expect("a farm");
        assert_eq!(farm.bounded.value.nodes, 20);
        let unknown = ThroughputRow { bytes_min: 0.0, ..measured("sts", 1e6) };
        let unknown = Machine { runs: vec![kept(vec![unknown])], ..narrow };
        let farm = Farm::new(&need(), unknown).expect("a farm");
        assert_eq!((farm.bounded.value.nodes, farm.network_gbit_s), (20, None));
    }

    #[test]
    fn more_nodes_than_any_farm_has_are_refused() {
        let need = Need { load: Load::Items(1e30), ..need() };
        let refusal = Farm::new(&need, machine("node")).expect_err("refused").to_string();
        assert!(refusal.contains("check the rate of the need"), "{refusal}");
    }
}
