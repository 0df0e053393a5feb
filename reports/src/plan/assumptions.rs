//! All numbers and models that a plan is made of, with their sources.

use serde::Serialize;
use text::Untrusted;

use super::rates::gpus_of;
use super::{
    Concurrency, Farm, HOURS_PER_YEAR, Load, Machine, Need, Plan, Simulated, Spares, TaskRate,
};
use crate::units::{self, counted, percent};

/// Number or model that a plan is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Assumption {
    /// Quantity or model.
    pub name: String,
    /// Its value, or the model in words.
    pub value: String,
    /// File and field, run, or `model`.
    pub source: String,
}

/// Source of what is no number of a file or a run.
const MODEL: &str = "model";

impl Assumption {
    fn new(name: &str, value: impl Into<String>, source: impl Into<String>) -> Self {
        Assumption { name: name.to_owned(), value: value.into(), source: source.into() }
    }
}

/// All assumptions of a plan: those of the need, of each machine, and of the model.
pub fn assumptions(plan: &Plan) -> Vec<Assumption> {
    let of_machines = plan.farms.iter().flat_map(of_farm);
    of_need(&plan.need).into_iter().chain(of_machines).chain(of_model(plan)).collect()
}

fn of_need(need: &Need) -> Vec<Assumption> {
    let from = |field: &str| format!("{}: {field}", need.file);
    let default = |field: &str| format!("default: {} has no {field}", need.file);
    let mut all = of_load(need);
    for task in &need.tasks {
        all.push(Assumption::new(
            &format!("share of {}", task.name),
            short(task.share, 4),
            from("task"),
        ));
    }
    let latency = match need.latency_p99_s {
        Some(bound) => {
            let bound = units::seconds(bound, 3);
            Assumption::new("bound of the 99th percentile", bound, from("latency_p99_s"))
        }
        None => Assumption::new("bound of the 99th percentile", "none", default("latency_p99_s")),
    };
    all.push(latency);
    all.extend([
        Assumption::new("headroom", percent(need.headroom), from("headroom")),
        match need.spares {
            Spares::Nodes(nodes) => {
                let source = from("spare_nodes (0 if missing)");
                Assumption::new("spare nodes", nodes.to_string(), source)
            }
            Spares::Availability(share) => Assumption::new(
                "share of the time with enough nodes",
                share.to_string(),
                from("availability"),
            ),
        },
        Assumption::new("years of use", short(need.years, 3), from("years")),
        Assumption::new(
            "electricity",
            format!("{} €/kWh", short(need.electricity_eur_per_kwh, 3)),
            from("electricity_eur_per_kwh"),
        ),
        Assumption::new(
            "power of the site over that of machines",
            need.pue.to_string(),
            from("pue"),
        ),
    ]);
    all
}

/// A number without insignificant zeros.
fn short(number: f64, digits: usize) -> String {
    units::trimmed(&units::significant(number, digits)).to_owned()
}

fn of_load(need: &Need) -> Vec<Assumption> {
    let from = |field: &str| format!("{}: {field}", need.file);
    match &need.load {
        Load::Items(rate) => {
            vec![Assumption::new("items", units::rate(*rate), from("items_per_s"))]
        }
        Load::Interactions(load) => vec![
            Assumption::new("interactions", units::rate(load.rate_hz), from("rate")),
            Assumption::new(
                "items per interaction",
                load.items_per_interaction.to_string(),
                load.source.clone(),
            ),
        ],
    }
}

fn of_farm(farm: &Farm) -> Vec<Assumption> {
    let Machine { file, name, .. } = &farm.machine;
    let machine = &farm.machine;
    let of = |what: &str| format!("{name}: {what}");
    let from = |field: &str| format!("{file}: {field} of {name}");
    let watts = format!("{} W idle, {} W at full rate", machine.idle_w, machine.peak_w);
    let mut all = vec![
        Assumption::new(
            &of("price of a node"),
            format!("{} €", machine.price_eur),
            from("price_eur"),
        ),
        Assumption::new(&of("power of a node"), watts, from("idle_w and peak_w")),
        Assumption::new(&of("rack units"), machine.rack_units.to_string(), from("rack_units")),
        Assumption::new(
            &of("network of a node"),
            format!("{} Gbit/s", machine.network_gbit_s),
            from("network_gbit_s"),
        ),
        Assumption::new(
            &of("GPUs of a node"),
            machine.gpus().to_string(),
            format!("{} (0 if missing)", from("gpus")),
        ),
    ];
    all.extend(machine.availability.map(|share| {
        let share = format!("{share}, nodes fail independently of each other");
        Assumption::new(&of("share of the time that a node works"), share, from("availability"))
    }));
    all.extend(farm.rate.tasks.iter().flat_map(|task| of_task(machine, task)));
    all.extend(farm.simulated.iter().flat_map(|simulated| of_simulation(name, simulated)));
    all
}

/// Model of a simulation, and the source of its times.
fn of_simulation(name: &str, simulated: &Simulated) -> Vec<Assumption> {
    let Simulated { folder, row } = simulated;
    let times = format!(
        "those of {} at {} times the detector's rate",
        counted(row.workers, "worker"),
        short(row.service_speed, 3)
    );
    let farm = "timeslices at equal distances, nodes round robin, no failures";
    vec![
        Assumption::new(&format!("{name}: times of timeslices"), times, folder.clone()),
        Assumption::new(&format!("{name}: simulated farm"), farm, MODEL),
    ]
}

/// The row that measured a task, and how it is scaled to a node.
fn of_task(machine: &Machine, task: &TaskRate) -> Vec<Assumption> {
    let row = &task.row;
    let rate = format!(
        "{} ({} to {}): {} on {}, {} of {}, {}",
        units::rate(task.items_per_s),
        units::rate(task.interval.low),
        units::rate(task.interval.high),
        row.variant.escaped(),
        row.device.escaped(),
        counted(row.streams, "stream"),
        counted(row.threads, "thread"),
        row.params.to_string().escaped(),
    );
    let of = |what: &str| format!("{}: {what} of {}", machine.name, task.task);
    let gpus = machine.gpus();
    let measured = gpus_of(row);
    let scaling = if task.concurrency == Concurrency::Together {
        "the rate together with the other loads of the mix, all of which a node sustains".to_owned()
    } else if measured == gpus {
        "the rate of the run, which used what a node has".to_owned()
    } else {
        let used = counted(measured as usize, "GPU");
        let of_node = counted(gpus as usize, "GPU");
        format!("the rate of the run on {used} as it is, though a node has {of_node}")
    };
    vec![
        Assumption::new(&of("rate"), rate, task.folder.clone()),
        Assumption::new(&of("rate of a node"), scaling, MODEL),
    ]
}

fn of_model(plan: &Plan) -> Vec<Assumption> {
    let event = match plan.need.load {
        Load::Interactions(_) => "an interaction",
        Load::Items(_) => "an event of the run, such as a timeslice",
    };
    let bytes = match plan.need.bytes_per_item {
        Some(bytes) => Assumption::new(
            "network load of an item",
            units::bytes(bytes),
            format!("{}: bytes_per_item", plan.need.file),
        ),
        None => Assumption::new(
            "network load of an item",
            "all bytes that any implementation reads and writes (bytes_min) cross the network in one \
             direction",
            "throughput.csv or loads.csv of the runs",
        ),
    };
    let hours = format!("{HOURS_PER_YEAR} h a year at the full load, without pauses");
    let model = |name: &str, value: &str| Assumption::new(name, value, MODEL);
    vec![
        bytes,
        model("event", event),
        model("time of operation", &hours),
        model(
            "power",
            "linear between idle and full rate by utilisation; spare nodes share the load",
        ),
        model("rates of nodes", "add up: no loss by distribution, failures or uneven events"),
        model("headroom", "of the rate of a node; its network may be used fully"),
        model("latency", "time of an event in a closed loop: no waiting for a node"),
        model(
            "several tasks",
            "take turns on a node: their times per item are added; of tasks of a mix the longest counts",
        ),
        model("cost", "nodes and their energy: no network, buildings, people, interest or repairs"),
        model("changes", "the most used resource is the bottleneck: gains are upper bounds"),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{machine, need};
    use super::*;

    #[test]
    fn each_number_has_its_source() {
        let plan = Plan::new(need(), vec![machine("node")]);
        let all = assumptions(&plan);
        let source = |name: &str| {
            let found = all.iter().find(|it| it.name == name);
            let found = found.unwrap_or_else(|| panic!("{name}: {all:?}"));
            (found.value.as_str(), found.source.as_str())
        };
        assert_eq!(source("items"), ("10 M/s", "need.toml: items_per_s"));
        assert_eq!(source("headroom").0, "50 %");
        assert_eq!(source("electricity"), ("0.25 €/kWh", "need.toml: electricity_eur_per_kwh"));
        assert_eq!(
            source("bound of the 99th percentile"),
            ("none", "default: need.toml has no latency_p99_s")
        );
        assert_eq!(
            source("node: price of a node"),
            ("10000 €", "machines.toml: price_eur of node")
        );
        let (rate, run) = source("node: rate of sts");
        assert!(rate.starts_with("1 M/s (800 k/s to 1.2 M/s): time-sweep on cpu"), "{rate}");
        assert_eq!(run, "runs/today");
        assert_eq!(source("event").0, "an event of the run, such as a timeslice");
    }
}
