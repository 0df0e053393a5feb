//! Physics against speed: settings of an algorithm, and those that no other one beats.
//!
//! | module | does |
//! |---|---|
//! | `goal` | metrics to compare by |
//! | `candidate` | settings of a run with their speed and quality |
//! | `table` | output for people and programs |

mod candidate;
mod goal;
mod table;

pub use candidate::{Candidate, Figure, candidates};
pub use goal::{Goal, ParetoError, Quantity};
pub use table::ParetoTable;

use statistics::PairedParts;

use crate::record::Better;

/// Result of the comparison of two settings in one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Better,
    Same,
    /// The intervals allow no conclusion.
    Unclear,
    Worse,
}

/// Standing of a setting among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// No other setting is at least as good in all metrics.
    Front,
    /// The setting of this index is better, but not beyond the intervals.
    Undecided(usize),
    /// The setting of this index is better in a metric, and at least as good in all others.
    Dominated(usize),
}

impl Standing {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Front => "front",
            Standing::Undecided(_) => "undecided",
            Standing::Dominated(_) => "dominated",
        }
    }

    /// The setting that is better, if there is one.
    pub fn by(self) -> Option<usize> {
        match self {
            Standing::Front => None,
            Standing::Undecided(by) | Standing::Dominated(by) => Some(by),
        }
    }
}

/// The standing of each candidate.
pub fn standings(candidates: &[Candidate], goals: &[Goal]) -> Vec<Standing> {
    let standing = |(index, candidate): (usize, &Candidate)| {
        let others = || candidates.iter().enumerate().filter(move |(other, _)| *other != index);
        let dominating = others().find(|(_, other)| dominates(other, candidate, goals));
        let ahead = || others().find(|(_, other)| is_ahead(other, candidate, goals));
        match dominating {
            Some((by, _)) => Standing::Dominated(by),
            None => ahead().map_or(Standing::Front, |(by, _)| Standing::Undecided(by)),
        }
    };
    candidates.iter().enumerate().map(standing).collect()
}

/// True if one is better beyond the intervals in some metric, and better or equal in all.
fn dominates(one: &Candidate, other: &Candidate, goals: &[Goal]) -> bool {
    let orders: Vec<Order> = each_metric(one, other, goals).map(|(.., order)| order).collect();
    orders.contains(&Order::Better)
        && orders.iter().all(|order| matches!(order, Order::Better | Order::Same))
}

/// True if the values of one are better in some metric and not worse in any, whatever their
/// intervals.
fn is_ahead(one: &Candidate, other: &Candidate, goals: &[Goal]) -> bool {
    let mut leads = each_metric(one, other, goals).map(|(a, b, _)| a - b);
    let mut any = false;
    leads.all(|lead| {
        any |= lead > 0.0;
        lead >= 0.0
    }) && any
}

/// The scores of both in each metric, and their order.
fn each_metric<'a>(
    one: &'a Candidate,
    other: &'a Candidate,
    goals: &'a [Goal],
) -> impl Iterator<Item = (f64, f64, Order)> + 'a {
    let pairs = one.figures.iter().zip(&other.figures).zip(goals);
    pairs.map(|((one, other), goal)| {
        (goal.score(one.value), goal.score(other.value), order(one, other, goal))
    })
}

fn order(one: &Figure, other: &Figure, goal: &Goal) -> Order {
    let by_ends = |low: f64, high: f64| match () {
        () if low > 0.0 => Order::Better,
        () if high < 0.0 => Order::Worse,
        () => Order::Unclear,
    };
    // All settings have the same data: what differs is found part by part.
    if goal.better != Better::Near && !one.parts.0.is_empty() {
        match PairedParts::new(one.items, &other.parts.0, &one.parts.0) {
            PairedParts::Identical => return Order::Same,
            PairedParts::Differ(difference) => {
                let lead =
                    if goal.better == Better::Lower { difference.negative() } else { difference };
                return by_ends(lead.interval.low, lead.interval.high);
            }
            PairedParts::TooFew { .. } => return Order::Unclear,
            PairedParts::Unpaired => {}
        }
    }
    let Some((a, b)) = one.interval.zip(other.interval) else { return Order::Unclear };
    let range = |ends: statistics::Interval, value: f64| {
        let scores = [ends.low, ends.high, value].map(|value| goal.score(value));
        let low = scores.into_iter().fold(f64::INFINITY, f64::min);
        let best = if goal.holds_ideal(ends) { 0.0 } else { f64::NEG_INFINITY };
        (low, scores.into_iter().fold(best, f64::max))
    };
    let (a_low, a_high) = range(a, one.value);
    let (b_low, b_high) = range(b, other.value);
    by_ends(a_low - b_high, a_high - b_low)
}

#[cfg(test)]
mod tests {
    use statistics::{Interval, Items, Part};

    use super::*;
    use crate::record::Parts;

    fn goal(better: Better) -> Goal {
        Goal {
            metric: "m".into(),
            label: "m".into(),
            better,
            ideal: None,
            quantity: Quantity::Quality,
        }
    }

    fn figure(value: f64, half: f64) -> Figure {
        let interval = Some(Interval { low: value - half, high: value + half });
        Figure { value, interval, items: Items::Numbers, parts: Parts::default() }
    }

    fn passed(passed: f64) -> Figure {
        let parts = Parts(vec![Part { sum: passed, count: 1000.0 }; 20]);
        Figure { value: passed / 1000.0, interval: None, items: Items::PassOrFail, parts }
    }

    fn candidate(figures: Vec<Figure>) -> Candidate {
        Candidate { figures, ..Candidate::default() }
    }

    /// Standings of candidates by speed, and by a quality.
    fn standings_of(better: Better, figures: Vec<[Figure; 2]>) -> Vec<Standing> {
        let all: Vec<_> = figures.into_iter().map(|pair| candidate(pair.into())).collect();
        standings(&all, &[goal(Better::Higher), goal(better)])
    }

    #[test]
    fn a_setting_is_dominated_only_beyond_the_intervals() {
        use Standing::{Dominated, Front, Undecided};
        let found = standings_of(
            Better::Higher,
            vec![
                [figure(10.0, 0.1), figure(0.9, 0.01)],
                // Slower and worse.
                [figure(9.0, 0.1), figure(0.8, 0.01)],
                // Slower, and perhaps worse.
                [figure(9.0, 0.1), figure(0.895, 0.01)],
                // Slower, and better.
                [figure(5.0, 0.1), figure(0.95, 0.01)],
            ],
        );
        assert_eq!(found, [Front, Dominated(0), Undecided(0), Front]);
    }

    #[test]
    fn equal_counts_are_equal_and_small_differences_of_the_same_data_are_found() {
        use Standing::{Dominated, Front};
        let fast = || figure(10.0, 0.1);
        let found = standings_of(
            Better::Higher,
            vec![[fast(), passed(900.0)], [figure(9.0, 0.1), passed(900.0)]],
        );
        assert_eq!(found, [Front, Dominated(0)]);
        let found = standings_of(
            Better::Lower,
            vec![[fast(), passed(20.0)], [figure(9.0, 0.1), passed(21.0)]],
        );
        assert_eq!(found, [Front, Dominated(0)]);
    }

    #[test]
    fn equal_settings_are_all_on_the_front() {
        let one = || [figure(10.0, 0.1), passed(900.0)];
        assert_eq!(standings_of(Better::Higher, vec![one(), one()]), [Standing::Front; 2]);
    }

    #[test]
    fn values_near_the_ideal_are_better() {
        let near = Goal { ideal: Some(1.0), ..goal(Better::Near) };
        let order_of = |a, b| order(&figure(a, 0.01), &figure(b, 0.01), &near);
        assert_eq!(order_of(1.1, 1.3), Order::Better);
        assert_eq!(order_of(0.7, 1.1), Order::Worse);
        assert_eq!(order_of(0.995, 1.005), Order::Unclear);
        let without = Figure { interval: None, ..figure(1.0, 0.0) };
        assert_eq!(order(&without, &figure(3.0, 0.1), &near), Order::Unclear);
    }
}
