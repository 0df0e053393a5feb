//! Output of a plan: tables for people, and CSV and JSON for programs.

use serde::Serialize;
use text::Untrusted;

use super::{Assumption, Change, Farm, Need, Plan, assumptions};
use crate::frame::{Frame, json_text};
use crate::row::row;
use crate::screen::Screen;
use crate::table::{Highlight, NOTHING, Side, Table, TableError, Tabular, known};
use crate::throughput::what_limits;
use crate::units::{self, percent};

row! {
    /// Farm of one kind of machine. The order of the fields is the order of the columns.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub(crate) struct FarmRow {
        /// Name of the machine.
        name: String,
        /// Number of nodes, spare ones included.
        nodes: u64,
        /// Number of nodes at the upper end of the interval of the rate.
        nodes_low: u64,
        /// Number of nodes at the lower end of the interval of the rate.
        nodes_high: u64,
        /// GPUs of all nodes.
        gpus: u64,
        /// Power in kilowatts, that of the site included.
        kw: f64,
        /// Power at the upper end of the interval of the rate.
        kw_low: f64,
        /// Power at the lower end of the interval of the rate.
        kw_high: f64,
        /// Height of all nodes in rack units.
        rack_units: f64,
        /// Price of all nodes in euros.
        eur_purchase: f64,
        /// Price of a year's energy in euros.
        eur_energy_per_year: f64,
        /// Purchase spread over the years, and energy, in euros per year.
        eur_per_year: f64,
        /// Cost per year at the upper end of the interval of the rate.
        eur_per_year_low: f64,
        /// Cost per year at the lower end of the interval of the rate.
        eur_per_year_high: f64,
        /// Cost of a million events in euros.
        eur_per_million_events: f64,
        /// Energy of an event in joules.
        j_per_event: f64,
        /// Events per second of the whole load.
        events_per_s: f64,
        /// Items per second of a node without headroom, as measured.
        node_items_per_s: f64,
        /// Load over the rate of all nodes.
        utilisation: f64,
        /// Network load of a node in gigabits per second; unknown if the size of items is.
        network_gbit_s: Option<f64>,
        /// Resource that limits a node: network, latency, link, kernels, memory, cores or unknown.
        limited_by: String,
        /// True if no other farm costs less per year and needs less power.
        on_pareto_front: bool,
        /// Median latency of the simulated farm; this and the next columns are empty without a stream.
        simulated_p50_s: Option<f64>,
        /// 99th percentile of the latency of the simulated farm.
        simulated_p99_s: Option<f64>,
        /// Timeslices of the simulated farm without a result at the end, over those that were due.
        simulated_left_share: Option<f64>,
    }
}

impl FarmRow {
    fn new(plan: &Plan, farm: &Farm) -> Self {
        let cost = &farm.bounded;
        let simulated = farm.simulated.as_ref().map(|simulated| &simulated.row);
        FarmRow {
            name: farm.machine.name.clone(),
            nodes: cost.value.nodes,
            nodes_low: cost.low.nodes,
            nodes_high: cost.high.nodes,
            gpus: farm.gpus(),
            kw: cost.value.kw,
            kw_low: cost.low.kw,
            kw_high: cost.high.kw,
            rack_units: farm.rack_units(),
            eur_purchase: cost.value.eur_purchase,
            eur_energy_per_year: cost.value.eur_energy_per_year,
            eur_per_year: cost.value.eur_per_year,
            eur_per_year_low: cost.low.eur_per_year,
            eur_per_year_high: cost.high.eur_per_year,
            eur_per_million_events: farm.eur_per_million_events(),
            j_per_event: farm.j_per_event(),
            events_per_s: farm.events_per_s,
            node_items_per_s: farm.rate.items_per_s,
            utilisation: cost.value.utilisation,
            network_gbit_s: farm.network_gbit_s,
            limited_by: farm.limit.name().to_owned(),
            on_pareto_front: plan.is_on_front(farm),
            simulated_p50_s: simulated.and_then(|row| row.p50_s),
            simulated_p99_s: simulated.and_then(|row| row.p99_s),
            simulated_left_share: simulated.map(|row| row.left as f64 / row.due as f64),
        }
    }
}

/// JSON of a plan.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PlanDocument<'a> {
    /// Name of the need.
    name: &'a str,
    /// Items per second of the need.
    items_per_s: f64,
    /// Unit of the items; empty if no machine has a farm.
    item_unit: &'a str,
    /// Farm of each kind of machine.
    machines: Vec<MachineDocument<'a>>,
    /// Machines without a farm.
    refused: Vec<RefusedDocument<'a>>,
    /// All numbers and models that the plan is made of.
    assumptions: Vec<Assumption>,
}

/// Farm of one kind of machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MachineDocument<'a> {
    #[serde(flatten)]
    farm: FarmRow,
    /// Reasons to distrust the numbers.
    warnings: Vec<String>,
    /// Effects of changes.
    changes: &'a [Change],
}

/// Machine without a farm.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RefusedDocument<'a> {
    /// Name of the machine.
    name: &'a str,
    /// Reason, and what to do.
    reason: String,
}

const COLUMNS: [(&str, Side); 14] = [
    ("machine", Side::Left),
    ("nodes", Side::Right),
    ("95 %", Side::Right),
    ("GPUs", Side::Right),
    ("kW", Side::Right),
    ("rack units", Side::Right),
    ("purchase", Side::Right),
    ("€ per year", Side::Right),
    ("€ per M events", Side::Right),
    ("J per event", Side::Right),
    ("used", Side::Right),
    ("network", Side::Right),
    ("limited by", Side::Left),
    ("front", Side::Left),
];

/// Columns that are omitted on narrow terminals, the least important first.
const DISPENSABLE: [&str; 6] = ["front", "rack units", "used", "network", "purchase", "GPUs"];

impl Tabular for Plan {
    fn tables(&self, _: Screen) -> Vec<Table> {
        vec![farms_table(self), changes_table(self), assumptions_table(self)]
    }

    fn frame(&self) -> Frame {
        let rows: Vec<FarmRow> = self.farms.iter().map(|farm| FarmRow::new(self, farm)).collect();
        Frame::new(&FarmRow::default().record(), rows.iter().map(FarmRow::record))
    }

    fn json(&self) -> Result<String, TableError> {
        let machine = |farm: &'_ Farm| FarmRow::new(self, farm);
        let document = PlanDocument {
            name: &self.need.name,
            items_per_s: self.need.items_per_s(),
            item_unit: self.farms.first().map_or("", |farm| farm.rate.item_unit()),
            machines: self
                .farms
                .iter()
                .map(|farm| MachineDocument {
                    farm: machine(farm),
                    warnings: self.warnings(farm),
                    changes: &farm.changes,
                })
                .collect(),
            refused: self
                .refused
                .iter()
                .map(|it| RefusedDocument { name: &it.name, reason: it.reason.to_string() })
                .collect(),
            assumptions: assumptions(self),
        };
        Ok(json_text(&document)?)
    }
}

/// Table of the farms, with everything to be known before they are believed.
pub(crate) fn farms_table(plan: &Plan) -> Table {
    let highlight = |farm: &Farm| match plan.warnings(farm).as_slice() {
        [] if plan.is_on_front(farm) => Highlight::Winner,
        [] => Highlight::Plain,
        _ => Highlight::NotValid,
    };
    let warnings = plan.farms.iter().flat_map(|farm| {
        let name = &farm.machine.name;
        plan.warnings(farm).into_iter().map(move |warning| format!("WARNING: {name}: {warning}"))
    });
    let refused = plan.refused.iter().map(|it| format!("NOT PLANNED: {}: {}", it.name, it.reason));
    let limits = plan.farms.iter().flat_map(limits_in_words);
    let simulated = plan.farms.iter().filter_map(simulation_in_words);
    Table::new(&COLUMNS, plan.farms.iter().map(|farm| cells(plan, farm)))
        .under(heading(plan))
        .with_notes(warnings.chain(refused).chain(limits).chain(simulated).collect())
        .with_highlights(plan.farms.iter().map(highlight).collect())
        .without_if_narrow(&DISPENSABLE)
}

/// `CBM: 172 G digis per second, 30 % headroom, 5 years`.
pub(crate) fn heading(plan: &Plan) -> String {
    let need = &plan.need;
    let unit = plan.farms.first().map_or("item", |farm| farm.rate.item_unit());
    format!(
        "{}: {} {unit}s per second, {} headroom, {} years",
        need.name,
        units::count(need.items_per_s()),
        percent(need.headroom),
        units::trimmed(&units::significant(need.years, 3)),
    )
}

fn cells(plan: &Plan, farm: &Farm) -> Vec<String> {
    let row = FarmRow::new(plan, farm);
    let network = |load: f64| {
        let share = percent(load / farm.machine.network_gbit_s);
        format!("{} Gbit/s, {share}", units::significant(load, 3))
    };
    vec![
        row.name,
        row.nodes.to_string(),
        format!("{} to {}", row.nodes_low, row.nodes_high),
        row.gpus.to_string(),
        units::significant(row.kw, 3),
        units::significant(row.rack_units, 3),
        euros(row.eur_purchase),
        euros(row.eur_per_year),
        units::significant(row.eur_per_million_events, 3),
        units::significant(row.j_per_event, 3),
        percent(row.utilisation),
        known(row.network_gbit_s, network),
        row.limited_by,
        if row.on_pareto_front { "yes" } else { "no" }.to_owned(),
    ]
}

fn euros(value: f64) -> String {
    units::with_unit(&units::count(value), "€")
}

/// Shares of resources that the runs of a farm used.
fn limits_in_words(farm: &Farm) -> Vec<String> {
    let words = farm.rate.tasks.iter().map(|task| (task, what_limits(&task.row)));
    let words = words.filter(|(_, words)| !words.is_empty());
    let words = words.map(|(task, words)| {
        format!("{}: {} in {}: {words}", farm.machine.name, task.task, task.folder)
    });
    words.collect()
}

/// Latencies of the simulated farm.
fn simulation_in_words(farm: &Farm) -> Option<String> {
    let row = &farm.simulated.as_ref()?.row;
    let time = |seconds: Option<f64>| known(seconds, |seconds| units::seconds(seconds, 3));
    Some(format!(
        "{}: simulated with {}, {} busy: half of the timeslices within {}, 99 % within {}, {} of {} left",
        farm.machine.name,
        units::counted(row.nodes, "node"),
        percent(row.utilisation),
        time(row.p50_s),
        time(row.p99_s),
        row.left,
        row.due,
    ))
}

/// Table of the changes of all farms; empty without any.
pub(crate) fn changes_table(plan: &Plan) -> Table {
    let columns = [
        ("machine", Side::Left),
        ("change", Side::Left),
        ("rate, at most", Side::Right),
        ("nodes, at least", Side::Right),
        ("instead of", Side::Right),
        ("limited then by", Side::Left),
        ("€ per year, at least", Side::Right),
    ];
    let rows = plan.farms.iter().flat_map(|farm| {
        farm.changes.iter().map(|change| {
            [
                farm.machine.name.clone(),
                change.name.to_owned(),
                units::times(change.rate_factor),
                change.nodes.to_string(),
                farm.bounded.value.nodes.to_string(),
                if change.limited_by_network { "network" } else { NOTHING }.to_owned(),
                known(change.eur_per_year, euros),
            ]
        })
    });
    Table::new(&columns, rows).under("What a change would bring")
}

/// Table of all assumptions.
pub(crate) fn assumptions_table(plan: &Plan) -> Table {
    let columns = [("assumption", Side::Left), ("value", Side::Left), ("from", Side::Left)];
    let rows = assumptions(plan).into_iter().map(|it| [it.name, it.value, it.source]);
    Table::new(&columns, rows).under("Assumptions")
}

impl Farm {
    /// Reasons to distrust the numbers of a farm by itself.
    pub(super) fn warnings(&self, need: &Need) -> Vec<String> {
        let busy = self.rate.tasks.iter().filter_map(|task| {
            let share = percent(task.disturbed()?);
            Some(format!(
                "{}: other processes used {share} of the CPUs while {} was measured: the rate is too \
                 low or by chance; measure it again on an idle machine",
                task.folder.escaped(),
                task.task,
            ))
        });
        let nameless = self
            .rate
            .tasks
            .iter()
            .filter(|task| self.machine.gpus.is_none() && super::rates::gpus_of(&task.row) > 0);
        let nameless = nameless.map(|task| {
            format!(
                "{} was measured on {}, but {} has no gpus for it: GPUs are counted as 0",
                task.task,
                task.row.device.escaped(),
                self.machine.file
            )
        });
        let unknown = self.bytes_per_item.is_none().then(|| {
            "the network load is not known, so it may need more nodes; add bytes_per_item to the need"
                .to_owned()
        });
        let simulated = self.simulated.iter().flat_map(|simulated| {
            let fewer =
                self.rate.tasks.iter().filter_map(|task| simulated.fewer_workers(&task.row));
            fewer.chain(simulated.warnings(need))
        });
        busy.chain(nameless).chain(unknown).chain(simulated).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{kept, machine, measured, need, on_gpu};
    use super::super::{Machine, Spares};
    use super::*;
    use crate::table::Format;
    use crate::throughput::ThroughputRow;

    fn plan() -> Plan {
        let slow = ThroughputRow { algorithm: "tpc".into(), ..measured("sts", 1e6) };
        let other = Machine { runs: vec![kept(vec![slow])], ..machine("other") };
        Plan::new(need(), vec![machine("node"), other])
    }

    fn rendered(plan: &Plan, format: Format) -> String {
        plan.render(format, Screen::default()).expect("a text")
    }

    #[test]
    fn people_see_farms_changes_and_assumptions() {
        let text = rendered(&plan(), Format::Table);
        let heading = "test farm: 10 M digis per second, 50 % headroom, 5 years\n";
        assert!(text.starts_with(heading), "{text}");
        for words in [
            "17 to 25",
            "200 k€",
            "NOT PLANNED: other: no valid row of the task sts",
            "limited by the cores (95 %)",
            "-30 % kernel time",
            "need.toml: electricity_eur_per_kwh",
            "8760 h a year",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn programs_get_all_numbers() {
        let plan = plan();
        let text = rendered(&plan, Format::Json);
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let machine = &document["machines"][0];
        let numbers = [
            ("nodes", 20.0),
            ("nodes_low", 17.0),
            ("nodes_high", 25.0),
            ("gpus", 0.0),
            ("kw", 5.0),
            ("rack_units", 40.0),
            ("eur_purchase", 200_000.0),
            ("eur_per_year", 50_950.0),
            ("j_per_event", 0.5),
        ];
        for (key, expected) in numbers {
            let value = machine[key].as_f64().expect(key);
            assert!((value - expected).abs() < 1e-9 * (1.0 + expected), "{key}: {value}");
        }
        assert_eq!((&machine["name"], &machine["limited_by"]), (&"node".into(), &"cores".into()));
        assert!(machine["eur_per_million_events"].as_f64().is_some_and(|it| it > 0.0));
        assert_eq!(machine["changes"][0]["name"], "-30 % kernel time");
        assert_eq!(document["refused"][0]["name"], "other");
        assert!(document["assumptions"].as_array().is_some_and(|all| all.len() > 15));
        let text = rendered(&plan, Format::Csv);
        assert!(text.starts_with("name,nodes,nodes_low,nodes_high,gpus,kw,"), "{text}");
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn machines_that_were_measured_on_other_data_are_marked() {
        let mut other = machine("other");
        other.runs[0].run.rows[0].params.set("preset", "mcbm-2024");
        let plan = Plan::new(need(), vec![machine("node"), other]);
        let marks: Vec<usize> = plan.farms.iter().map(|farm| plan.warnings(farm).len()).collect();
        assert_eq!(marks, [0, 1]);
        let text = rendered(&plan, Format::Table);
        assert!(text.contains("measured with the preset mcbm-2024, that of the first"), "{text}");
    }

    #[test]
    fn numbers_that_can_not_be_trusted_are_marked() {
        let busy = ThroughputRow { others_share: Some(0.4), ..on_gpu("cuda:0", 1e6) };
        let busy = ThroughputRow { bytes_min: 0.0, ..busy };
        let plan = Plan::new(
            Need { spares: Spares::Nodes(1), ..need() },
            vec![Machine { runs: vec![kept(vec![busy])], ..machine("node") }],
        );
        let text = rendered(&plan, Format::Table);
        assert!(text.contains("WARNING: node: runs/today: other processes used 40 %"), "{text}");
        assert!(text.contains("GPUs are counted as 0"), "{text}");
        assert!(text.contains("add bytes_per_item to the need"), "{text}");
        assert_eq!(farms_table(&plan).highlights(), [Highlight::NotValid]);
    }
}
