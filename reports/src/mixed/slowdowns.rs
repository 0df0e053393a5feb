//! Windows → rows of slowdowns.

use statistics::RatioEstimate;

use super::competition::{self, NodeCpus};
use super::windows::{LoadWindows, Windows};
use super::{LoadRow, LoadWindowRow, SlowdownRow};

/// Neighbour of a load that runs together with all others.
pub const TOGETHER: &str = "together";

/// Change of a rate or a latency that is too small to matter.
const MIN_EFFECT: f64 = 0.01;

/// Slowdowns of all valid loads: of each by each other one, by all others, and by background loads.
pub fn slowdowns(loads: &[LoadRow], windows: Windows<'_>, node: NodeCpus) -> Vec<SlowdownRow> {
    let valid = loads.iter().filter(|load| load.is_valid());
    let (backgrounds, members): (Vec<&LoadRow>, Vec<&LoadRow>) =
        valid.partition(|load| load.is_background());
    let mut rows = Vec::new();
    for &load in &members {
        let evaluation = Evaluation { windows, node, load };
        let of_one = |other: &&LoadRow| evaluation.row(&other.load, &[other]);
        let mut others = members.clone();
        others.retain(|other| other.load != load.load);
        rows.extend(others.iter().map(of_one));
        if others.len() > 1 {
            rows.push(evaluation.row(TOGETHER, &others));
        }
        rows.extend(backgrounds.iter().map(of_one));
    }
    rows
}

/// Evaluation of one load.
struct Evaluation<'a> {
    windows: Windows<'a>,
    node: NodeCpus,
    load: &'a LoadRow,
}

impl Evaluation<'_> {
    /// Slowdown by some neighbours.
    fn row(&self, neighbour: &str, others: &[&LoadRow]) -> SlowdownRow {
        let load = self.load;
        let names: Vec<&str> = others.iter().map(|it| it.load.as_str()).collect();
        let alone = self.windows.of_load(&load.load, &[]);
        let with = self.windows.of_load(&load.load, &names);
        let (ratio, blocks) = if load.is_open_loop() {
            with.over(&alone, |row| row.p50_s)
        } else {
            alone.over(&with, |row| row.events_per_s)
        };
        let [is_unbounded_alone, is_unbounded] =
            [&alone, &with].map(|windows| windows.is_unbounded(load.streams));
        let ratio = ratio.filter(|_| !is_unbounded_alone && !is_unbounded);
        let effect = if is_unbounded && !is_unbounded_alone { "unbounded" } else { effect(ratio) };
        let of_neighbour = |figure| match others {
            [other] => self.windows.of_load(&other.load, &[&load.load]).value(figure),
            _ => None,
        };
        let interval = ratio.and_then(|ratio| ratio.interval);
        let row = SlowdownRow {
            load: load.load.clone(),
            neighbour: neighbour.to_owned(),
            quantity: if load.is_open_loop() { "latency" } else { "rate" }.to_owned(),
            slowdown: ratio.map(|ratio| ratio.ratio),
            slowdown_low: interval.map(|interval| interval.low),
            slowdown_high: interval.map(|interval| interval.high),
            blocks,
            effect: effect.to_owned(),
            neighbour_per_s: of_neighbour(|row| row.events_per_s),
            neighbour_items_per_s: of_neighbour(|row| row.items_per_s),
            ..self.evidence(others, &with)
        };
        let is_slowed = matches!(effect, "slower" | "unbounded");
        let resources = if is_slowed { competition::resources(&row) } else { Vec::new() };
        let resources: Vec<&str> = resources.iter().map(|resource| resource.name()).collect();
        SlowdownRow { competes_for: resources.join("+"), ..row }
    }

    /// Use of resources alone and together.
    fn evidence(&self, others: &[&LoadRow], with: &LoadWindows<'_>) -> SlowdownRow {
        let load = self.load;
        let all = others.iter().copied().chain([load]);
        let near: Vec<&LoadRow> =
            others.iter().copied().filter(|other| other.device == load.device).collect();
        let on_gpu: &[&LoadRow] = if load.device == "cpu" { &[] } else { &near };
        SlowdownRow {
            threads: all.map(LoadRow::all_threads).sum(),
            cpus: self.node.cpus,
            cores: self.node.cores,
            cores_share_alone: self.sum(others, |row| row.cores_share),
            cores_share_with: with
                .value(|row| row.cores_share.map(|own| own + row.others_share.unwrap_or_default())),
            copy_share_alone: self.sum(&near, |row| row.copy_share),
            link_share_alone: self.sum(on_gpu, |row| row.link_share),
            kernels_share_alone: self.sum(on_gpu, |row| row.kernels_share),
            ..SlowdownRow::default()
        }
    }

    /// Sum of a share over the load and some others, each alone; `None` without others, or if one is
    /// unknown.
    fn sum(&self, others: &[&LoadRow], share: fn(&LoadWindowRow) -> Option<f64>) -> Option<f64> {
        let all = others.iter().copied().chain([self.load]);
        let shares = all.map(|it| self.windows.of_load(&it.load, &[]).value(share));
        shares.sum::<Option<f64>>().filter(|_| !others.is_empty())
    }
}

/// Judgement of a ratio by its interval.
fn effect(ratio: Option<RatioEstimate>) -> &'static str {
    match ratio.and_then(|ratio| ratio.interval) {
        None => "unknown",
        Some(interval) if interval.low > 1.0 + MIN_EFFECT => "slower",
        Some(interval) if interval.high < 1.0 - MIN_EFFECT => "faster",
        Some(_) => "noise",
    }
}
