//! Rate of a machine for the tasks of a need, from the rows of its runs.

use std::collections::BTreeMap;

use statistics::Interval;
use text::Untrusted;

use super::{Concurrency, KeptRun, Machine, Need};
use crate::grouped::distinct;
use crate::record::Params;
use crate::throughput::{DISTURBED, ThroughputRow};
use crate::units;

/// Rate of a node for all tasks together.
#[derive(Clone, Debug)]
pub struct Rate {
    /// The tasks, with the rows that measured them.
    pub tasks: Vec<TaskRate>,
    /// Items per second.
    pub items_per_s: f64,
    /// Interval of the items per second.
    pub interval: Interval,
}

/// Rate of a node for one task.
#[derive(Clone, Debug)]
pub struct TaskRate {
    /// Name of the task.
    pub task: String,
    /// Share of the items.
    pub share: f64,
    /// Folder of the run.
    pub folder: String,
    /// Row with the largest rate.
    pub row: ThroughputRow,
    /// Items per second.
    pub items_per_s: f64,
    /// Interval of the items per second.
    pub interval: Interval,
    /// True if a faster row was left out because of its latency.
    pub is_bounded_by_latency: bool,
    /// Concurrency with the other tasks of the same run.
    pub concurrency: Concurrency,
}

/// Reason why a machine has no farm.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// No row of a task.
    #[error("no valid row of the task {} in {folders}; tasks there: {known}; name a run of \
        bench throughput or bench mixed", task.escaped())]
    NoTask {
        /// The task.
        task: String,
        /// Folders of the runs.
        folders: String,
        /// Tasks of the runs.
        known: String,
    },
    /// Rows of another data set only.
    #[error("{folders}: {task} was measured with the preset {measured}, not {}; name a run of that \
        preset, or correct preset in the need", wanted.escaped())]
    OtherPreset {
        /// The task.
        task: String,
        /// Folders of the runs.
        folders: String,
        /// Presets of the rows.
        measured: String,
        /// Preset of the need.
        wanted: String,
    },
    /// Rows of more GPUs than a node has.
    #[error("{folders}: {task} was measured on {measured}, but a node has {}; correct gpus, or name \
        a run on fewer GPUs", units::counted(*gpus as usize, "GPU"))]
    MoreGpus {
        /// The task.
        task: String,
        /// Folders of the runs.
        folders: String,
        /// Devices of the rows.
        measured: String,
        /// GPUs of a node.
        gpus: u64,
    },
    /// All rows are slower than the bound of the latency.
    #[error("no number of nodes meets it: 99 % of the events of {task} take up to {} at best, more \
        than latency_p99_s of {}; raise latency_p99_s, or measure smaller events or fewer streams",
        best.map_or("an unknown time".to_owned(), |best| units::seconds(best, 3)),
        units::seconds(*bound, 3))]
    Latency {
        /// The task.
        task: String,
        /// Smallest 99th percentile.
        best: Option<f64>,
        /// The bound.
        bound: f64,
    },
    /// A row without an interval.
    #[error(
        "{folder}: the rate of {task} has no 95 % interval; measure it again with a longer \
        --duration"
    )]
    NoInterval {
        /// The task.
        task: String,
        /// Folder of the run.
        folder: String,
    },
    /// Items of several kinds.
    #[error("items are {}s and {}s, which can't be added or compared; plan them one by one",
        units[0].escaped(), units[1].escaped())]
    Units {
        /// The first two units.
        units: [String; 2],
    },
    /// Spare nodes do not make up for nodes that fail.
    #[error(
        "no number of spare nodes makes enough of them work for a share of {farm} of the time, \
        if each works for {node} of it; correct availability of the machine or of the need"
    )]
    Availability {
        /// Availability of a node.
        node: f64,
        /// Availability of the farm.
        farm: f64,
    },
    /// A stream that the farm can't be simulated with.
    #[error(
        "{folder}: the farm can't be simulated: {problem}; name another run of bench stream, or \
        remove stream from the machine"
    )]
    Stream {
        /// Folder of the stream.
        folder: String,
        /// Reason.
        problem: String,
    },
    /// Too many nodes for any farm.
    #[error("it would take {} nodes; check the rate of the need and the run", units::count(*nodes))]
    TooManyNodes {
        /// Number of nodes.
        nodes: f64,
    },
}

impl Rate {
    /// Rate of a machine for a need: the times per item of tasks that were measured one at a time
    /// are added, and of those that were measured together the longest counts.
    ///
    /// # Errors
    /// If a task has no usable row, or the units of items differ.
    pub fn new(need: &Need, machine: &Machine) -> Result<Self, Refusal> {
        let tasks = need.tasks.iter().map(|task| {
            let measured = TaskRate::new(need, machine, &task.name)?;
            Ok(TaskRate { share: task.share, ..measured })
        });
        let tasks = tasks.collect::<Result<Vec<TaskRate>, Refusal>>()?;
        let units = need.item_unit().into_iter();
        let units = units.chain(tasks.iter().map(|task| task.row.item_unit.as_str()));
        if let [one, other, ..] = &distinct(units.map(str::to_owned))[..] {
            return Err(Refusal::Units { units: [one.clone(), other.clone()] });
        }
        let together = |rate: fn(&TaskRate) -> f64| match &tasks[..] {
            // Exactly the measured rate.
            [task] => rate(task),
            tasks => {
                let time = time_per_item(tasks, |task| Some(rate(task)));
                time.expect("all tasks have a rate").recip()
            }
        };
        let items_per_s = together(|task| task.items_per_s);
        let interval = Interval {
            low: together(|task| task.interval.low),
            high: together(|task| task.interval.high),
        };
        Ok(Rate { items_per_s, interval, tasks })
    }

    /// Unit of the items.
    pub fn item_unit(&self) -> &str {
        self.tasks.first().map_or("item", |task| task.row.item_unit.as_str())
    }

    /// Events per second at a rate of items, events being the inputs of the runs.
    pub fn events_per_s(&self, items_per_s: f64) -> f64 {
        let events = self.tasks.iter().map(|task| task.share / task.row.items_per_event());
        items_per_s * events.sum::<f64>()
    }

    /// Bytes per item that any implementation reads and writes, if all rows have them.
    pub fn bytes_per_item(&self) -> Option<f64> {
        let bytes = self.tasks.iter().map(|task| {
            let row = &task.row;
            let bytes = row.bytes_min / row.items;
            (bytes.is_finite() && bytes > 0.0).then_some(task.share * bytes)
        });
        bytes.sum()
    }

    /// The task that takes most of a node's time.
    pub fn longest(&self) -> Option<&TaskRate> {
        let time = |task: &&TaskRate| task.share / task.items_per_s;
        self.tasks.iter().max_by(|a, b| time(a).total_cmp(&time(b)))
    }
}

/// Time of a node for an item of all tasks; `None` if a rate is unknown.
pub(super) fn time_per_item(
    tasks: &[TaskRate],
    rate: impl Fn(&TaskRate) -> Option<f64>,
) -> Option<f64> {
    let mut isolated = 0.0;
    // Longest time of the tasks that ran together, by run.
    let mut together: BTreeMap<&str, f64> = BTreeMap::new();
    for task in tasks {
        let time = task.share / rate(task)?;
        match task.concurrency {
            Concurrency::Isolated => isolated += time,
            Concurrency::Together => {
                let longest = together.entry(&task.folder).or_default();
                *longest = longest.max(time);
            }
        }
    }
    Some(isolated + together.values().sum::<f64>())
}

impl TaskRate {
    /// The row with the largest rate of a task that a node can run within the bound of the latency.
    fn new(need: &Need, machine: &Machine, task: &str) -> Result<Self, Refusal> {
        let rows = valid_rows(machine, task)?;
        let rows = of_preset(need, rows)?;
        let rows = within_gpus(machine, rows)?;
        let largest = fastest(&rows).and_then(|(_, row)| row.rate());
        let (run, row) = within_latency(need, rows)?;
        let refusal = || {
            let task = task.escaped().to_string();
            Refusal::NoInterval { task, folder: run.folder.clone() }
        };
        let interval = row.rate_interval().map(|(low, high)| Interval { low, high });
        let is_usable = |it: &Interval| it.low > 0.0 && it.low <= it.high && it.high.is_finite();
        let interval = interval.filter(is_usable).ok_or_else(refusal)?;
        Ok(TaskRate {
            task: task.to_owned(),
            share: 1.0,
            folder: run.folder.clone(),
            items_per_s: row.rate().unwrap_or(f64::NAN),
            interval,
            is_bounded_by_latency: largest > row.rate(),
            concurrency: run.concurrency,
            row: row.clone(),
        })
    }

    /// Preset of the data that were measured; `none` for data of files.
    pub fn preset(&self) -> &str {
        preset_of(&self.row.params)
    }

    /// Share of the CPUs that other processes used, if it disturbed the run.
    pub fn disturbed(&self) -> Option<f64> {
        self.row.others_share.filter(|&share| share >= DISTURBED)
    }
}

/// Row with its run.
type Candidate<'a> = (&'a KeptRun, &'a ThroughputRow);

fn folders(rows: &[Candidate<'_>]) -> String {
    distinct(rows.iter().map(|(run, _)| run.folder.clone())).join(", ")
}

fn named(rows: &[Candidate<'_>], name: impl Fn(&ThroughputRow) -> String) -> String {
    let names = distinct(rows.iter().map(|(_, row)| name(row)));
    names.iter().map(|name| name.escaped().to_string()).collect::<Vec<_>>().join(", ")
}

fn fastest<'a>(rows: &[Candidate<'a>]) -> Option<Candidate<'a>> {
    let rate = |candidate: &&Candidate<'_>| candidate.1.rate().unwrap_or_default();
    rows.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))).copied()
}

/// The valid rows of a task.
fn valid_rows<'a>(machine: &'a Machine, task: &str) -> Result<Vec<Candidate<'a>>, Refusal> {
    let all = machine.runs.iter().flat_map(|run| run.run.rows.iter().map(move |row| (run, row)));
    let valid: Vec<Candidate<'_>> = all.filter(|(_, row)| row.rate().is_some()).collect();
    let of_task = valid.iter().filter(|(_, row)| row.algorithm == task);
    let rows: Vec<Candidate<'_>> = of_task.copied().collect();
    if rows.is_empty() {
        let names = named(&valid, |row| row.algorithm.clone());
        let known = if names.is_empty() { "none".to_owned() } else { names };
        let folders: Vec<&str> = machine.runs.iter().map(|run| run.folder.as_str()).collect();
        return Err(Refusal::NoTask { task: task.to_owned(), folders: folders.join(", "), known });
    }
    Ok(rows)
}

/// Rows of the need's preset; all if it names none.
fn of_preset<'a>(need: &Need, rows: Vec<Candidate<'a>>) -> Result<Vec<Candidate<'a>>, Refusal> {
    let Some(wanted) = &need.preset else { return Ok(rows) };
    let of_preset = rows.iter().filter(|(_, row)| preset_of(&row.params) == wanted);
    let kept: Vec<Candidate<'_>> = of_preset.copied().collect();
    if kept.is_empty() {
        return Err(Refusal::OtherPreset {
            task: task_of(&rows),
            folders: folders(&rows),
            measured: named(&rows, |row| preset_of(&row.params).to_owned()),
            wanted: wanted.clone(),
        });
    }
    Ok(kept)
}

/// Rows of no more GPUs than a node has; all if the machine doesn't say it.
fn within_gpus<'a>(
    machine: &Machine,
    rows: Vec<Candidate<'a>>,
) -> Result<Vec<Candidate<'a>>, Refusal> {
    let Some(gpus) = machine.gpus else { return Ok(rows) };
    let kept: Vec<Candidate<'_>> =
        rows.iter().filter(|(_, row)| gpus_of(row) <= gpus).copied().collect();
    if kept.is_empty() {
        let measured = named(&rows, |row| row.device.clone());
        let folders = folders(&rows);
        return Err(Refusal::MoreGpus { task: task_of(&rows), folders, measured, gpus });
    }
    Ok(kept)
}

/// The fastest row within the bound of the latency.
fn within_latency<'a>(need: &Need, rows: Vec<Candidate<'a>>) -> Result<Candidate<'a>, Refusal> {
    let bound = need.latency_p99_s.unwrap_or(f64::INFINITY);
    let is_fast = |row: &ThroughputRow| match row.p99_s {
        Some(seconds) => seconds <= bound,
        None => need.latency_p99_s.is_none(),
    };
    let kept: Vec<Candidate<'_>> = rows.iter().filter(|(_, row)| is_fast(row)).copied().collect();
    fastest(&kept).ok_or_else(|| {
        let best = rows.iter().filter_map(|(_, row)| row.p99_s).reduce(f64::min);
        Refusal::Latency { task: task_of(&rows), best, bound }
    })
}

fn task_of(rows: &[Candidate<'_>]) -> String {
    rows.first().map_or_else(String::new, |(_, row)| row.algorithm.escaped().to_string())
}

/// Preset of the data of a row; `none` for data of files.
pub(super) fn preset_of(params: &Params) -> &str {
    params.get("preset").unwrap_or("none")
}

/// GPUs that a row was measured on.
pub(super) fn gpus_of(row: &ThroughputRow) -> u64 {
    if row.backend == "cpu" { 0 } else { row.devices() as u64 }
}

#[cfg(test)]
mod tests {
    use super::super::TaskShare;
    use super::super::fixture::{kept, machine, measured, need, on_gpu};
    use super::*;
    use crate::record::YesNo;

    fn with(rows: Vec<ThroughputRow>) -> Machine {
        Machine { runs: vec![kept(rows)], ..machine("node") }
    }

    fn refused(need: &Need, machine: &Machine) -> String {
        Rate::new(need, machine).expect_err("refused").to_string()
    }

    #[test]
    fn the_rate_is_the_largest_of_the_valid_rows() {
        let wrong = ThroughputRow { valid: YesNo::No, ..measured("sts", 9e6) };
        let rows = vec![measured("sts", 1e6), measured("sts", 3e6), wrong, measured("velo", 5e6)];
        let rate = Rate::new(&need(), &with(rows)).expect("a rate");
        assert_eq!(rate.items_per_s, 3e6);
        assert!((rate.interval.low - 2.4e6).abs() < 1e-3, "{:?}", rate.interval);
        assert!((rate.interval.high - 3.6e6).abs() < 1e-3, "{:?}", rate.interval);
        assert_eq!(rate.bytes_per_item(), Some(16.0));
        assert_eq!(rate.events_per_s(5e6), 5e3);
    }

    #[test]
    fn times_per_item_of_several_tasks_are_added() {
        let shares = [("sts", 0.75), ("velo", 0.25)];
        let share = |(name, share): (&str, f64)| TaskShare { name: name.into(), share };
        let need = Need { tasks: shares.map(share).to_vec(), ..need() };
        let rate = Rate::new(&need, &with(vec![measured("sts", 3e6), measured("velo", 1e6)]));
        // 0.75 / 3 M + 0.25 / 1 M = 0.25 µs + 0.25 µs per item.
        let rate = rate.expect("a rate");
        assert!((rate.items_per_s - 2e6).abs() < 1e-3, "{}", rate.items_per_s);
        assert!((rate.interval.low - 1.6e6).abs() < 1e-3, "{:?}", rate.interval);
    }

    #[test]
    fn of_tasks_that_ran_together_the_longest_time_per_item_counts() {
        let shares = [("sts", 0.6), ("velo", 0.2), ("tpc", 0.2)];
        let share = |(name, share): (&str, f64)| TaskShare { name: name.into(), share };
        let need = Need { tasks: shares.map(share).to_vec(), ..need() };
        let rows = vec![measured("sts", 3e6), measured("velo", 2e6)];
        let mix = KeptRun { concurrency: Concurrency::Together, ..kept(rows) };
        let isolated = kept(vec![measured("tpc", 1e6)]);
        let machine = Machine { runs: vec![mix, isolated], ..machine("node") };
        // 0.2 µs of sts, in which velo has been done, and 0.2 µs of tpc.
        let rate = Rate::new(&need, &machine).expect("a rate");
        assert!((rate.items_per_s - 2.5e6).abs() < 1e-3, "{}", rate.items_per_s);
        assert!((rate.interval.high - 3e6).abs() < 1e-3, "{:?}", rate.interval);
    }

    #[test]
    fn rows_beyond_the_latency_are_left_out() {
        let slow = ThroughputRow { p99_s: Some(0.5), ..measured("sts", 4e6) };
        let machine = with(vec![measured("sts", 1e6), slow]);
        let bounded = Need { latency_p99_s: Some(0.1), ..need() };
        let rate = Rate::new(&bounded, &machine).expect("a rate");
        assert_eq!(rate.items_per_s, 1e6);
        assert!(rate.tasks[0].is_bounded_by_latency);
        assert!(!Rate::new(&need(), &machine).expect("a rate").tasks[0].is_bounded_by_latency);
        let words = refused(&Need { latency_p99_s: Some(1e-3), ..need() }, &machine);
        assert!(words.starts_with("no number of nodes meets it: "), "{words}");
        assert!(words.contains("10.0 ms at best, more than latency_p99_s of 1.00 ms"), "{words}");
    }

    #[test]
    fn rows_of_other_tasks_presets_and_units_are_refused() {
        let other = Need { tasks: vec![TaskShare { name: "tpc".into(), share: 1.0 }], ..need() };
        let words = refused(&other, &machine("node"));
        assert!(
            words.contains("no valid row of the task tpc in runs/today; tasks there: sts"),
            "{words}"
        );
        let other = Need { preset: Some("mcbm-2024".into()), ..need() };
        let words = refused(&other, &machine("node"));
        assert!(words.contains("measured with the preset cbm-auau, not mcbm-2024"), "{words}");
        let shares = ["sts", "tpc"].map(|name| TaskShare { name: name.into(), share: 0.5 });
        let both = Need { tasks: shares.to_vec(), ..need() };
        let samples = ThroughputRow { item_unit: "sample".into(), ..measured("tpc", 1e6) };
        let words = refused(&both, &with(vec![measured("sts", 1e6), samples]));
        assert!(words.contains("digis and samples"), "{words}");
    }

    #[test]
    fn rows_without_an_interval_are_refused() {
        let unknown = ThroughputRow { items_per_s_low: None, ..measured("sts", 1e6) };
        let words = refused(&need(), &with(vec![unknown]));
        assert!(words.contains("no 95 % interval; measure it again"), "{words}");
    }

    #[test]
    fn rows_of_more_gpus_than_a_node_has_are_left_out() {
        let rows = vec![on_gpu("cuda:0", 1e9), on_gpu("cuda:0+cuda:1", 2e9)];
        let one = Machine { gpus: Some(1), ..with(rows.clone()) };
        assert_eq!(Rate::new(&need(), &one).expect("a rate").items_per_s, 1e9);
        let two = Machine { gpus: Some(2), ..with(rows.clone()) };
        assert_eq!(Rate::new(&need(), &two).expect("a rate").items_per_s, 2e9);
        let none = Machine { gpus: Some(0), ..with(rows) };
        let words = refused(&need(), &none);
        assert!(
            words.contains("measured on cuda:0, cuda:0+cuda:1, but a node has 0 GPUs"),
            "{words}"
        );
    }

    #[test]
    fn busy_machines_are_noted() {
        let busy = ThroughputRow { others_share: Some(0.05), ..measured("sts", 1e6) };
        let rate = Rate::new(&need(), &with(vec![busy])).expect("a rate");
        assert_eq!(rate.tasks[0].disturbed(), Some(0.05));
        assert_eq!(Rate::new(&need(), &machine("m")).expect("a rate").tasks[0].disturbed(), None);
    }
}
