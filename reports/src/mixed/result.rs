//! Windows of all configurations → rows of loads and of slowdowns.

use statistics::Estimate;

use super::competition::NodeCpus;
use super::slowdowns::{TOGETHER, slowdowns};
use super::windows::{Figure, LoadWindows, Windows};
use super::{LoadRow, LoadWindowRow, SlowdownRow, per_second};
use crate::record::YesNo;
use crate::units;

/// Loads alone and together, with the slowdowns of all pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MixedResult {
    /// The loads, in the order of the mix.
    pub loads: Vec<LoadRow>,
    /// The slowdowns: for each load those by each other load, by all, and by background loads.
    pub slowdowns: Vec<SlowdownRow>,
}

impl MixedResult {
    /// Evaluates the windows of an attempt.
    ///
    /// `loads` are rows without results; the names of background loads begin with
    /// [`BACKGROUND`](super::BACKGROUND).
    pub fn new(loads: Vec<LoadRow>, rows: &[LoadWindowRow], node: NodeCpus) -> Self {
        let windows = Windows(rows);
        let slowdowns = slowdowns(&loads, windows, node);
        let members = loads.iter().filter(|load| load.is_valid() && !load.is_background());
        let members: Vec<String> = members.map(|load| load.load.clone()).collect();
        let loads = loads.into_iter().map(|load| {
            let is_other = |name: &&str| !load.is_background() && *name != load.load;
            let others: Vec<&str> = members.iter().map(String::as_str).filter(is_other).collect();
            if load.is_valid() { filled(load, windows, &others) } else { load }
        });
        let mut result = MixedResult { loads: loads.collect(), slowdowns };
        result.mark_limit();
        result
    }

    /// The load that permits the fewest mixes per second.
    pub fn limit(&self) -> Option<&LoadRow> {
        let mixes = |load: &&LoadRow| load.mixes_per_s.unwrap_or(f64::INFINITY);
        let closed = self.loads.iter().filter(|load| load.mixes_per_s.is_some());
        closed.min_by(|a, b| mixes(a).total_cmp(&mixes(b)))
    }

    /// Rate of complete mixes, and the load that limits it; `None` without closed loops.
    pub fn mix_in_words(&self) -> Option<String> {
        let load = self.limit()?;
        let weight = load.weight?;
        let rate = |rate: f64| units::trimmed(&units::significant(rate / weight, 3)).to_owned();
        let interval = load.together_per_s_low.zip(load.together_per_s_high);
        let interval = interval
            .map_or_else(String::new, |(low, high)| format!(" ({} to {})", rate(low), rate(high)));
        Some(format!(
            "{} mixes per second{interval}, limited by {}",
            rate(load.together_per_s?),
            load.load
        ))
    }

    fn mark_limit(&mut self) {
        let Some(name) = self.limit().map(|load| load.load.clone()) else { return };
        self.loads.iter_mut().for_each(|load| load.limits_mix = (load.load == name).into());
    }
}

/// Fills the results alone and together with others into the row of a load.
fn filled(mut load: LoadRow, windows: Windows<'_>, others: &[&str]) -> LoadRow {
    let alone = windows.of_load(&load.load, &[]);
    let together = windows.of_load(&load.load, others);
    load.blocks = alone.blocks();
    load.alone_unbounded = alone.is_unbounded(load.streams).into();
    load.together_unbounded = together.is_unbounded(load.streams).into();
    let [p50, p99]: [Figure; 2] = [|row| row.p50_s, |row| row.p99_s];
    let bounded = |windows: &LoadWindows<'_>, figure| {
        windows.mean(figure).filter(|_| !windows.is_unbounded(load.streams))
    };
    let [alone_rate, together_rate] =
        [&alone, &together].map(|windows| ends(windows.mean(|row| row.events_per_s)));
    let [alone_p50, together_p50] = [&alone, &together].map(|it| ends(bounded(it, p50)));
    let [alone_p99, together_p99] = [&alone, &together].map(|it| ends(bounded(it, p99)));
    [load.alone_per_s, load.alone_per_s_low, load.alone_per_s_high] = alone_rate;
    [load.alone_p50_s, load.alone_p50_s_low, load.alone_p50_s_high] = alone_p50;
    [load.alone_p99_s, load.alone_p99_s_low, load.alone_p99_s_high] = alone_p99;
    [load.together_per_s, load.together_per_s_low, load.together_per_s_high] = together_rate;
    [load.together_p50_s, load.together_p50_s_low, load.together_p50_s_high] = together_p50;
    [load.together_p99_s, load.together_p99_s_low, load.together_p99_s_high] = together_p99;
    load.alone_cores_share = alone.value(|row| row.cores_share);
    load.together_cores_share = together.value(|row| row.cores_share);
    load.together_others_share = together.value(|row| row.others_share);
    load.together_copy_share = together.value(|row| row.copy_share);
    load.together_link_share = together.value(|row| row.link_share);
    load.together_kernels_share = together.value(|row| row.kernels_share);
    load.mixes_per_s = load.weight.zip(load.together_per_s).map(|(weight, rate)| rate / weight);
    let notes = [Some(load.note.clone()), beyond_rate(&load)].into_iter().flatten();
    load.note = notes.filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; ");
    load
}

/// `rate 5000/s is beyond what it does alone, 1200/s: …`; `None` if it keeps up with its schedule.
fn beyond_rate(load: &LoadRow) -> Option<String> {
    let (neighbours, rate) = if load.alone_unbounded == YesNo::Yes {
        ("alone", load.alone_per_s?)
    } else if load.together_unbounded == YesNo::Yes {
        (TOGETHER, load.together_per_s?)
    } else {
        return None;
    };
    Some(format!(
        "rate {} is beyond what it does {neighbours}, {}: its backlog grows, so its latency has no \
         bound",
        per_second(load.due_per_s?),
        per_second(rate)
    ))
}

/// A figure with the ends of its interval; no end of a positive quantity is negative.
fn ends(estimate: Option<Estimate>) -> [Option<f64>; 3] {
    let interval = estimate.and_then(|estimate| estimate.interval);
    [
        estimate.map(|estimate| estimate.value),
        interval.map(|interval| interval.low.max(0.0)),
        interval.map(|interval| interval.high),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{BLOCKS, NODE, load, mix, windows};
    use super::*;

    fn slowdown<'a>(result: &'a MixedResult, load: &str, neighbour: &str) -> &'a SlowdownRow {
        let mut rows = result.slowdowns.iter();
        rows.find(|row| row.load == load && row.neighbour == neighbour).expect("there")
    }

    #[test]
    fn all_pairs_have_a_slowdown_with_an_interval() {
        let result = mix();
        let pairs: Vec<(&str, &str)> =
            result.slowdowns.iter().map(|it| (it.load.as_str(), it.neighbour.as_str())).collect();
        let expected = [
            ("sts", "velo"),
            ("sts", "online"),
            ("sts", TOGETHER),
            ("sts", "background-memory"),
            ("velo", "sts"),
            ("velo", "online"),
            ("velo", TOGETHER),
            ("velo", "background-memory"),
            ("online", "sts"),
            ("online", "velo"),
            ("online", TOGETHER),
            ("online", "background-memory"),
        ];
        assert_eq!(pairs, expected);
        // 100/s alone and 50/s with velo, in each block with a drift of its own.
        let row = slowdown(&result, "sts", "velo");
        assert!((row.slowdown.expect("measured") - 2.0).abs() < 0.02, "{row:?}");
        assert!(row.slowdown_low.expect("several") > 1.9, "paired by block: {row:?}");
        assert_eq!((row.effect.as_str(), row.blocks), ("slower", BLOCKS));
        assert_eq!(slowdown(&result, "velo", "online").effect, "noise");
        // 1 ms alone, and 3 ms with sts.
        let row = slowdown(&result, "online", "sts");
        assert_eq!((row.quantity.as_str(), row.effect.as_str()), ("latency", "slower"));
        assert!((row.slowdown.expect("measured") - 3.0).abs() < 0.05, "{row:?}");
        let of_background = slowdown(&result, "sts", "background-memory");
        let items = of_background.neighbour_items_per_s.expect("measured");
        assert!((items / 5e9 - 1.0).abs() < 0.01, "{items}");
    }

    #[test]
    fn competition_is_inferred_from_the_use_of_both() {
        let result = mix();
        let row = slowdown(&result, "sts", "velo");
        // 90 % of the CPUs each, alone.
        assert!((row.cores_share_alone.expect("known") - 1.8).abs() < 1e-9, "{row:?}");
        assert_eq!((row.competes_for.as_str(), row.threads), ("cores", 4));
        assert_eq!(slowdown(&result, "online", "sts").competes_for, "cache-or-clocks");
        assert_eq!(slowdown(&result, "sts", "background-memory").competes_for, "memory");
        assert_eq!(slowdown(&result, "velo", "online").competes_for, "", "within the noise");
    }

    #[test]
    fn the_slowest_load_by_weight_limits_the_mix() {
        let result = mix();
        let mixes = |name: &str| {
            let mut loads = result.loads.iter();
            loads.find(|load| load.load == name).and_then(|load| load.mixes_per_s)
        };
        // 40/s at a weight of 1, and 120/s at a weight of 4.
        let limit = result.limit().expect("closed loops");
        assert_eq!((limit.load.as_str(), limit.limits_mix), ("velo", YesNo::Yes));
        assert!((mixes("sts").expect("closed") - 40.0).abs() < 1.0);
        assert!((mixes("velo").expect("closed") - 30.0).abs() < 1.0);
        assert_eq!(mixes("online"), None, "an open loop");
        assert_eq!(result.loads.iter().filter(|it| it.limits_mix == YesNo::Yes).count(), 1);
    }

    #[test]
    fn a_rate_beyond_the_load_is_reported_and_has_no_latency() {
        let mut rows = windows();
        for row in rows.iter_mut().filter(|row| row.load == "online") {
            row.due = Some(5000);
            row.backlog_growth = Some(3800.0);
            row.events_per_s = Some(1200.0);
        }
        let open = LoadRow { due_per_s: Some(5000.0), weight: None, ..load("online", 1) };
        let loads = vec![load("sts", 2), load("velo", 2), open];
        let result = MixedResult::new(loads, &rows, NODE);
        let online = result.loads.last().expect("three");
        assert_eq!((online.alone_p50_s, online.together_p99_s), (None, None));
        let words = "rate 5000/s is beyond what it does alone, 1200/s: its backlog grows";
        assert!(online.note.starts_with(words), "{}", online.note);
        let row = slowdown(&result, "online", "sts");
        assert_eq!((row.effect.as_str(), row.slowdown), ("unknown", None));
    }

    #[test]
    fn a_backlog_that_grows_with_a_neighbour_only_has_no_ratio() {
        let mut rows = windows();
        for row in rows.iter_mut().filter(|row| row.configuration == "sts+online") {
            row.backlog_growth = Some(100.0);
        }
        let open = LoadRow { due_per_s: Some(200.0), weight: None, ..load("online", 1) };
        let loads = vec![load("sts", 2), load("velo", 2), open];
        let result = MixedResult::new(loads, &rows, NODE);
        let row = slowdown(&result, "online", "sts");
        assert_eq!((row.effect.as_str(), row.slowdown), ("unbounded", None));
        assert_eq!(row.competes_for, "cache-or-clocks");
    }

    #[test]
    fn one_load_has_results_and_no_pairs() {
        let result = MixedResult::new(vec![load("sts", 2)], &windows(), NODE);
        assert!(result.slowdowns.is_empty());
        let load = &result.loads[0];
        assert!(load.alone_per_s.is_some() && load.alone_per_s == load.together_per_s);
    }

    #[test]
    fn a_load_that_failed_has_its_row_and_no_pairs() {
        let failed = LoadRow { valid: YesNo::No, note: "wrong".into(), ..load("velo", 2) };
        let loads = vec![load("sts", 2), failed.clone(), load("online", 1)];
        let result = MixedResult::new(loads, &windows(), NODE);
        assert_eq!(result.loads[1], failed);
        assert!(result.slowdowns.iter().all(|row| row.neighbour != "velo" && row.load != "velo"));
        // The two that are left are together what they are as a pair.
        assert_eq!(result.slowdowns.len(), 2);
        assert!(result.loads[0].together_per_s.is_some());
    }
}
