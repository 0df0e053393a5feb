//! Need: the rate of items, and the conditions of the farm.

/// Need of an experiment, with the prices of its site.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Path of the file that it was read from.
    pub file: String,
    /// Name.
    pub name: String,
    /// Tasks that share the items.
    pub tasks: Vec<TaskShare>,
    /// Load.
    pub load: Load,
    /// Preset of the data that have to be processed; runs of other presets are refused.
    pub preset: Option<String>,
    /// Bytes of an item that a node receives; `None` for what the runs say.
    pub bytes_per_item: Option<f64>,
    /// Upper bound of the 99th percentile of the time of an event, in seconds.
    pub latency_p99_s: Option<f64>,
    /// Share of a node's rate that stays free.
    pub headroom: f64,
    /// Nodes in addition to those that carry the load.
    pub spares: Spares,
    /// Years over which the purchase is spread.
    pub years: f64,
    /// Price of electricity in euros per kilowatt-hour.
    pub electricity_eur_per_kwh: f64,
    /// Power of the whole site over the power of its machines.
    pub pue: f64,
}

/// Task with its share of the items.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskShare {
    /// Name of the task.
    pub name: String,
    /// Share of the items; those of all tasks sum to 1.
    pub share: f64,
}

/// Nodes in addition to those that carry the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spares {
    /// This number of nodes.
    Nodes(u64),
    /// Enough to carry the load for this share of the time, with the availability of single nodes.
    Availability(f64),
}

/// Rate of items or of interactions.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Items per second.
    Items(f64),
    /// Interactions per second, with their size.
    Interactions(Interactions),
}

/// Interactions per second, with their size.
#[derive(Clone, Debug, PartialEq)]
pub struct Interactions {
    /// Interactions per second.
    pub rate_hz: f64,
    /// Items per interaction.
    pub items_per_interaction: f64,
    /// Source of the number of items: a file or a preset.
    pub source: String,
    /// Unit of the items, if the preset says it.
    pub item_unit: Option<String>,
}

impl Need {
    /// Items per second.
    pub fn items_per_s(&self) -> f64 {
        match &self.load {
            Load::Items(rate) => *rate,
            Load::Interactions(load) => load.rate_hz * load.items_per_interaction,
        }
    }

    /// Unit of the items, if it is known before any run is read.
    pub fn item_unit(&self) -> Option<&str> {
        match &self.load {
            Load::Items(_) => None,
            Load::Interactions(load) => load.item_unit.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::need;
    use super::*;

    #[test]
    fn interactions_have_items() {
        let load = Interactions {
            rate_hz: 10e6,
            items_per_interaction: 17_184.0,
            source: "the preset cbm-auau".into(),
            item_unit: Some("digi".into()),
        };
        let need = Need { load: Load::Interactions(load), ..need() };
        assert_eq!(need.items_per_s(), 171.84e9);
        assert_eq!(need.item_unit(), Some("digi"));
    }
}
