//! The fastest variant at each setting, with the uncertainty.
//!
//! Variants are compared at a setting: the data, and the threads and CPU sets of the CPU. A GPU
//! takes part in each setting of the CPU with the same data, as it has threads of its own.

mod table;

use std::collections::BTreeSet;

#[cfg(test)]
pub(crate) use table::Winner;
pub use table::Winners;

use statistics::{Interval, RatioEstimate, Side, Timing};

use crate::grouped::{distinct, grouped};
use crate::rank::{Rank, RankedBy, representatives};
use crate::record::SummaryRow;
use crate::row::named_cells;
use crate::shape::{self, Axes, AxisName, CPU, GIVEN};
use crate::units;

/// Minimum number of samples of a 95 % interval: the range of five has a level of 94 %.
pub const MIN_SAMPLES: usize = 6;
/// Axes of the CPU, independent of the data.
const OF_TEAMS: [&str; 3] = ["threads", "places", "bind"];

/// Certainty of the lead of the fastest variant over the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Evidence {
    /// Their intervals do not overlap, or there is no second one.
    Clear,
    /// Their intervals overlap.
    Overlap,
    /// One of them has too few samples for an interval.
    TooFew,
}

named_cells! { Evidence }

/// The two fastest variants at one setting.
#[derive(Clone, Debug)]
pub struct Ranking<'a> {
    /// The setting.
    pub axes: Axes,
    /// The one with the smallest median.
    pub first: &'a SummaryRow,
    /// The next one, if there is any.
    pub second: Option<&'a SummaryRow>,
    /// Quantity by which they are ranked.
    pub by: RankedBy,
}

/// The rankings of one task, in the order of the run; empty if nothing is valid.
pub fn rankings<'a>(rows: &[&'a SummaryRow], rank: Rank) -> Vec<Ranking<'a>> {
    rankings_of(&representatives(rows.iter().copied(), rank))
}

/// The rankings of one task by a quantity.
pub fn rankings_by<'a>(rows: &[&'a SummaryRow], rank: Rank, by: RankedBy) -> Vec<Ranking<'a>> {
    ranked(&representatives(rows.iter().copied(), rank), by)
}

/// The rankings of rows that each represent a point.
pub fn rankings_of<'a>(rows: &[&'a SummaryRow]) -> Vec<Ranking<'a>> {
    ranked(rows, RankedBy::Time)
}

fn ranked<'a>(rows: &[&'a SummaryRow], by: RankedBy) -> Vec<Ranking<'a>> {
    let (settings, _) = ranked_and_not(rows, by);
    let rankings = settings.into_iter().filter_map(|(axes, mut rows)| {
        let value = |row: &SummaryRow| by.value(row).unwrap_or(f64::INFINITY);
        rows.sort_by(|a, b| value(a).total_cmp(&value(b)));
        Some(Ranking { axes, first: rows.first()?, second: rows.get(1).copied(), by })
    });
    rankings.collect()
}

/// Rows with a time that can't be ranked: no other row at their setting has the same kind of input.
pub fn not_ranked<'a>(rows: &[&'a SummaryRow], rank: Rank) -> Vec<&'a SummaryRow> {
    ranked_and_not(&representatives(rows.iter().copied(), rank), RankedBy::Time).1
}

/// The settings at which rows can be ranked, and rows that can't be.
fn ranked_and_not<'a>(
    rows: &[&'a SummaryRow],
    by: RankedBy,
) -> (Vec<(Axes, Vec<&'a SummaryRow>)>, Vec<&'a SummaryRow>) {
    let timed = rows.iter().copied().filter(|row| by.value(row).is_some());
    let settings = settings(&timed.collect::<Vec<_>>());
    let all: Vec<Axes> = settings.iter().map(|(axes, _)| of_data(axes.clone())).collect();
    let others_differ = |axes: &Axes| {
        let (data, given) = apart(of_data(axes.clone()));
        let mut comparable = all.iter().map(|other| apart(other.clone()));
        comparable.any(|(same, other)| same == data && other != given)
    };
    let (ranked, lone): (Vec<_>, Vec<_>) =
        settings.into_iter().partition(|(axes, rows)| rows.len() > 1 || !others_differ(axes));
    (ranked, lone.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// Splits axes into those of the setting and the kind of input.
fn apart(axes: Axes) -> (Axes, Axes) {
    axes.into_iter().partition(|(name, _)| name != GIVEN)
}

/// Groups rows by settings.
fn settings<'a>(rows: &[&'a SummaryRow]) -> Vec<(Axes, Vec<&'a SummaryRow>)> {
    let (hosts, gpus): (Vec<_>, Vec<_>) = rows.iter().copied().partition(|row| row.device == CPU);
    let mut settings = grouped(hosts, |row| shape::ranking_axes(row));
    let mut alone = Vec::new();
    for gpu in gpus {
        let data = of_data(shape::ranking_axes(gpu));
        let same = settings.iter_mut().filter(|(axes, _)| of_data(axes.clone()) == data);
        let same: Vec<_> = same.collect();
        if same.is_empty() {
            alone.push(gpu);
        }
        same.into_iter().for_each(|(_, rows)| rows.push(gpu));
    }
    settings.extend(grouped(alone, |row| shape::ranking_axes(row)));
    settings
}

/// True for an axis of the data, false for one of the CPU.
pub fn is_of_data(axis: &str) -> bool {
    !OF_TEAMS.contains(&axis)
}

fn of_data(mut axes: Axes) -> Axes {
    axes.retain(|(name, _)| is_of_data(name));
    axes
}

impl Ranking<'_> {
    /// The median of the second over that of the first.
    fn estimate(&self) -> Option<RatioEstimate> {
        let timing = |row| timing(row, self.by);
        Some(RatioEstimate::from_medians(timing(self.first), timing(self.second?)))
    }

    /// True if their energies were measured by different meters.
    pub fn differs_in_source(&self) -> bool {
        let first = meters_of(self.first.energy_source());
        let differs = |second: &SummaryRow| meters_of(second.energy_source()) != first;
        self.by == RankedBy::Energy && self.second.is_some_and(differs)
    }

    /// The certainty of the lead.
    pub fn evidence(&self) -> Evidence {
        match self.estimate().map(|lead| lead.side(1.0, 0.0)) {
            None | Some(Side::Above) => Evidence::Clear,
            Some(Side::Below | Side::Unclear) => Evidence::Overlap,
            Some(Side::Unknown) => Evidence::TooFew,
        }
    }

    /// The median of the second over that of the first.
    pub fn lead(&self) -> Option<f64> {
        Some(self.estimate()?.ratio)
    }

    /// Its value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        let found = self.axes.iter().find(|(name, _)| *name == *axis);
        found.map(|(_, value)| value.as_str())
    }
}

/// The median of a row, with its interval if that is of enough samples.
pub(crate) fn timing(row: &SummaryRow, by: RankedBy) -> Timing {
    let interval = match by {
        RankedBy::Time => {
            row.ci95_low_s.zip(row.ci95_high_s).filter(|_| row.samples >= MIN_SAMPLES)
        }
        RankedBy::Energy => row.energy_interval(),
    };
    Timing {
        median: by.value(row).unwrap_or(f64::NAN),
        interval: interval.map(|(low, high)| Interval { low, high }),
    }
}

/// Source of an energy without the devices of the point: on one machine, `cpu` of a point on the
/// CPU and `cpu+gpu` of one on a GPU are all that the points use.
fn meters_of(source: &str) -> &str {
    let rest = source.strip_prefix("cpu").unwrap_or(source);
    rest.strip_prefix("+gpu").unwrap_or(rest)
}

/// The axes that differ between races, those with the most values first.
pub fn varying(rankings: &[Ranking]) -> Vec<AxisName> {
    let axes = grouped(rankings.iter().flat_map(|ranking| &ranking.axes), |(name, _)| name);
    let counted = axes.into_iter().map(|(name, axes)| (name, BTreeSet::from_iter(axes).len()));
    let mut varying: Vec<_> = counted.filter(|(_, values)| *values > 1).collect();
    varying.sort_by_key(|(_, values)| std::cmp::Reverse(*values));
    varying.into_iter().map(|(name, _)| name.clone()).collect()
}

/// The axes that a map of a run's winners can be over.
pub fn axes(rows: &[SummaryRow], rank: Rank) -> Vec<String> {
    let tasks = grouped(rows, |row| &row.algorithm).into_iter();
    let varying = tasks.flat_map(|(_, rows)| varying(&rankings(&rows, rank)));
    distinct(varying.map(|axis| axis.to_string()))
}

/// Maximum lead that is printed in per cent.
const CLOSE: f64 = 1.1;

/// The fastest variants of these rankings; `None` without any, or if nothing was compared. `name`
/// returns the displayed name of a row's variant.
pub fn headline(rankings: &[Ranking], name: impl Fn(&SummaryRow) -> String) -> Option<String> {
    let compared: Vec<&Ranking> =
        rankings.iter().filter(|ranking| ranking.second.is_some()).collect();
    match compared.as_slice() {
        [] => None,
        [ranking] => of_one(ranking, name),
        rankings => Some(of_several(rankings, name)),
    }
}

/// `channel-bucket is fastest, 1.52 × ahead of voracious`.
fn of_one(ranking: &Ranking, name: impl Fn(&SummaryRow) -> String) -> Option<String> {
    let first = name(ranking.first);
    let second = name(ranking.second?);
    let lead = ranking.lead()?;
    Some(match ranking.evidence() {
        Evidence::Clear => format!("{first} is fastest, {} of {second}", ahead(lead)),
        Evidence::Overlap => {
            format!("{first} and {second} are within {}: no clear winner", percent(lead))
        }
        Evidence::TooFew => {
            let lead = units::times(lead);
            format!("{first} leads {second} by {lead}, from too few samples to be sure")
        }
    })
}

/// `channel-bucket is fastest at all 4 settings, 1.52 to 2.01 × ahead`.
fn of_several(rankings: &[&Ranking], name: impl Fn(&SummaryRow) -> String) -> String {
    let clear = rankings.iter().copied().filter(|ranking| ranking.evidence() == Evidence::Clear);
    let clear: Vec<&Ranking> = clear.collect();
    let mut winners = grouped(clear.iter().copied(), |ranking| name(ranking.first));
    winners.sort_by_key(|(_, won)| std::cmp::Reverse(won.len()));
    let all = rankings.len();
    match winners.as_slice() {
        [] => format!("No variant clearly wins at any of {all} settings"),
        [(winner, won)] if won.len() == all => {
            format!("{winner} is fastest at {}, {}", all_settings(all), leads(won))
        }
        [(winner, won)] => format!(
            "{winner} is fastest at {} of {all} settings, {}; no clear winner at {}",
            won.len(),
            leads(won),
            all - won.len()
        ),
        [(winner, won), others @ ..] => {
            let shown = others.iter().take(2);
            let mut parts = vec![format!("{winner} is fastest at {} of {all} settings", won.len())];
            parts.extend(shown.map(|(other, won)| format!("{other} at {}", won.len())));
            if others.len() > 2 {
                parts.push(format!("{} more", units::counted(others.len() - 2, "variant")));
            }
            if clear.len() < all {
                parts.push(format!("no clear winner at {}", all - clear.len()));
            }
            parts.join(", ")
        }
    }
}

/// `both settings`, `all 4 settings`.
pub(crate) fn all_settings(count: usize) -> String {
    if count == 2 { "both settings".to_owned() } else { format!("all {count} settings") }
}

/// `1.52 to 2.01 × ahead`.
fn leads(rankings: &[&Ranking]) -> String {
    let leads = || rankings.iter().filter_map(|ranking| ranking.lead());
    let low = leads().fold(f64::INFINITY, f64::min);
    let high = leads().fold(0.0, f64::max);
    match (units::times(low), units::times(high)) {
        (low, high) if low == high => format!("{low} ahead"),
        (low, high) => format!("{} to {high} ahead", low.trim_end_matches(" ×")),
    }
}

fn ahead(lead: f64) -> String {
    format!("{} ahead", if lead < CLOSE { percent(lead) } else { units::times(lead) })
}

/// Additional time of the second one, in whole per cent, rounded up.
fn percent(lead: f64) -> String {
    format!("{:.0} %", ((lead - 1.0) * 100.0).ceil().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use crate::rank::Rank;

    fn named(rankings: &[Ranking]) -> Vec<(String, Option<String>)> {
        let names = rankings.iter().map(|ranking| {
            (ranking.first.variant.clone(), ranking.second.map(|second| second.variant.clone()))
        });
        names.collect()
    }

    #[test]
    fn only_equal_inputs_are_ranked_together() {
        let given = |variant: &str, threads: usize, given: &str| SummaryRow {
            given: given.into(),
            threads,
            ..row(variant, "n=1", 1.0)
        };
        let rows = [
            given("insertion", 1, "nearly by time"),
            given("tiles", 1, "in any order"),
            SummaryRow { device: "cuda:0".into(), ..given("blocks", 16, "in any order") },
            SummaryRow { device: "cuda:0".into(), ..given("bins", 16, "apart") },
        ];
        let rows: Vec<&SummaryRow> = rows.iter().collect();
        let expected = [("tiles".to_owned(), Some("blocks".to_owned()))];
        assert_eq!(named(&rankings(&rows, Rank::Total)), expected);
        let alone = not_ranked(&rows, Rank::Total).into_iter().map(|row| row.variant.as_str());
        assert_eq!(alone.collect::<Vec<_>>(), ["insertion", "bins"]);
        let of_one = [given("a", 1, "in any order"), given("a", 2, "in any order")];
        let of_one: Vec<&SummaryRow> = of_one.iter().collect();
        assert_eq!(rankings(&of_one, Rank::Total).len(), 2);
    }

    #[test]
    fn a_gpu_is_ranked_at_all_threads_of_the_cpu() {
        let with_threads =
            |threads: usize, median: f64| SummaryRow { threads, ..row("cpu", "n=1", median) };
        let mut gpu = SummaryRow { threads: 1, ..row("gpu", "n=1", 2e-3) };
        gpu.device = "cuda:0".into();
        let rows = [with_threads(2, 3e-3), with_threads(16, 1e-3), gpu];
        let rankings = rankings(&rows.iter().collect::<Vec<_>>(), Rank::Total);
        let pair = |first: &str, second: &str| (first.to_owned(), Some(second.to_owned()));
        assert_eq!(named(&rankings), [pair("gpu", "cpu"), pair("cpu", "gpu")]);
        assert_eq!(rankings[1].lead(), Some(2.0));
    }

    #[test]
    fn a_gpu_without_cpu_has_rankings() {
        let mut gpu = row("gpu", "n=2", 2e-3);
        gpu.device = "cuda:0".into();
        let rows = [row("cpu", "n=1", 1e-3), gpu];
        let rankings = rankings(&rows.iter().collect::<Vec<_>>(), Rank::Total);
        assert_eq!(named(&rankings), [("cpu".to_owned(), None), ("gpu".to_owned(), None)]);
        assert_eq!(varying(&rankings), ["n"]);
    }

    #[test]
    fn intervals_and_samples_decide() {
        let evidence = |second: SummaryRow| {
            let rows = [row("a", "n=1", 1e-3), second];
            rankings(&rows.iter().collect::<Vec<_>>(), Rank::Total)[0].evidence()
        };
        assert_eq!(evidence(row("b", "n=1", 2e-3)), Evidence::Clear);
        assert_eq!(evidence(row("b", "n=1", 1.001e-3)), Evidence::Overlap);
        let few = SummaryRow { samples: 5, ..row("b", "n=1", 2e-3) };
        assert_eq!(evidence(few), Evidence::TooFew);
    }

    #[test]
    fn the_variant_with_the_least_energy_need_not_be_the_fastest() {
        let taking = |variant: &str, median: f64, joules: Option<f64>| SummaryRow {
            j_per_item: joules,
            j_per_item_low: joules.map(|joules| 0.99 * joules),
            j_per_item_high: joules.map(|joules| 1.01 * joules),
            energy_source: "cpu".into(),
            ..row(variant, "n=1", median)
        };
        let mut rows = [
            taking("fast", 1e-3, Some(3e-8)),
            taking("frugal", 2e-3, Some(2e-8)),
            taking("unknown", 1e-4, None),
        ];
        let first = |rows: &[SummaryRow]| {
            let rows: Vec<&SummaryRow> = rows.iter().collect();
            let ranking = rankings_by(&rows, Rank::Total, RankedBy::Energy).remove(0);
            (ranking.first.variant.clone(), ranking.evidence(), ranking.differs_in_source())
        };
        assert_eq!(first(&rows), ("frugal".to_owned(), Evidence::Clear, false));
        rows[0].j_per_item_low = None;
        assert_eq!(first(&rows).1, Evidence::TooFew);
        rows[0].energy_source = "cpu+gpu".into();
        assert!(!first(&rows).2, "each of all that it uses");
        for other in ["command", "cpu minus idle", "gpu"] {
            rows[0].energy_source = other.into();
            assert!(first(&rows).2, "{other}");
        }
        let none = rows.map(|row| SummaryRow { j_per_item: None, ..row });
        let none: Vec<&SummaryRow> = none.iter().collect();
        assert!(rankings_by(&none, Rank::Total, RankedBy::Energy).is_empty());
    }

    fn phrases(rows: &[SummaryRow]) -> Option<String> {
        let rows: Vec<&SummaryRow> = rows.iter().collect();
        headline(&rankings(&rows, Rank::Total), |row| row.variant.clone())
    }

    #[test]
    fn one_setting_has_a_winner_or_none() {
        let against_2_ms = |a: f64| phrases(&[row("a", "n=1", a), row("b", "n=1", 2e-3)]);
        assert_eq!(against_2_ms(1e-3).as_deref(), Some("a is fastest, 2.00 × ahead of b"));
        assert_eq!(against_2_ms(1.86e-3).as_deref(), Some("a is fastest, 8 % ahead of b"));
        let tie = "a and b are within 1 %: no clear winner";
        assert_eq!(against_2_ms(1.995e-3).as_deref(), Some(tie));
        assert_eq!(phrases(&[row("a", "n=1", 1e-3)]), None);
        assert_eq!(phrases(&[]), None);
        let few = SummaryRow { samples: 3, ..row("a", "n=1", 1e-3) };
        let unsure = "a leads b by 2.00 ×, from too few samples to be sure";
        assert_eq!(phrases(&[few, row("b", "n=1", 2e-3)]).as_deref(), Some(unsure));
    }

    #[test]
    fn several_settings_are_counted() {
        let at = |n: u32, a: f64, b: f64| {
            [row("a", &format!("n={n}"), a), row("b", &format!("n={n}"), b)]
        };
        let all = [at(1, 1e-3, 2e-3), at(2, 1e-3, 3e-3)].concat();
        let expected = "a is fastest at both settings, 2.00 to 3.00 × ahead";
        assert_eq!(phrases(&all).as_deref(), Some(expected));
        let mixed = [all.clone(), at(3, 2e-3, 1e-3).to_vec()].concat();
        assert_eq!(phrases(&mixed).as_deref(), Some("a is fastest at 2 of 3 settings, b at 1"));
        let some = [all, at(3, 1e-3, 1e-3).to_vec()].concat();
        let expected = "a is fastest at 2 of 3 settings, 2.00 to 3.00 × ahead; no clear winner \
            at 1";
        assert_eq!(phrases(&some).as_deref(), Some(expected));
        let none = [at(1, 1e-3, 1e-3), at(2, 1e-3, 1e-3)].concat();
        assert_eq!(phrases(&none).as_deref(), Some("No variant clearly wins at any of 2 settings"));
    }
}
