//! Quality of events against the simulated collisions: efficiency, fakes and splits.
//!
//! An event *has* a collision if it has at least half of its digis. Collisions with fewer digis than
//! [`MIN_DIGIS`] do not count. None of this depends on the rules, so that figures of different rules
//! can be compared. `docs/event-building.md` has the definitions.

use std::collections::HashMap;

use super::collisions::Collisions;
use super::event::Event;
use super::input::DigiStream;
use tasks::algorithm::metric::EFFICIENCY;
use tasks::algorithm::{Better, MetricInfo, Quality};

/// Parts of equal length that a timeslice is cut into: most collisions and events are in one of them.
const PARTS: u64 = 256;

/// Minimum number of digis of a collision that events have to find.
const MIN_DIGIS: u64 = 10;

const FAKES: MetricInfo = MetricInfo::share(
    "fakes",
    "fake events",
    "of the events, the share that has no collision",
    Better::Lower,
);
const SPLITS: MetricInfo = MetricInfo::share(
    "splits",
    "split collisions",
    "of the collisions that were found, the share with 10 or more digis in several events",
    Better::Lower,
);

/// All figures.
pub(super) const FIGURES: [MetricInfo; 3] = [EFFICIENCY, FAKES, SPLITS];

/// State of a collision that left digis.
#[derive(Debug, Default)]
struct Collision {
    /// Part of the timeslice with its first digi.
    part: usize,
    digis: u64,
    is_found: bool,
    /// Number of events with [`MIN_DIGIS`] of its digis or more.
    events: u64,
}

/// The figures of events; none without the truth.
pub(super) fn figures(input: &DigiStream, events: &[Event]) -> Vec<Quality> {
    let Some((collisions, last)) = input.collisions().zip(input.digis().last()) else {
        return Vec::new();
    };
    let of_digis = collisions.of_digis();
    let part_of_ns = |ns: u64| (ns * PARTS / (u64::from(last.time_ns()) + 1)).min(PARTS - 1);
    let mut collisions: HashMap<u32, Collision> = HashMap::new();
    for (digi, &collision) in input.digis().iter().zip(of_digis) {
        if collision != Collisions::NOISE {
            let part = part_of_ns(digi.time_ns().into()) as usize;
            let first = Collision { part, ..Collision::default() };
            collisions.entry(collision).or_insert(first).digis += 1;
        }
    }
    collisions.retain(|_, collision| collision.digis >= MIN_DIGIS);
    let mut fakes = [[0; 2]; PARTS as usize];
    for event in events {
        let digis = &of_digis[event.begin as usize..event.end as usize];
        let [fake, all] = &mut fakes[part_of_ns(u64::from(event.trigger_half_ns) / 2) as usize];
        let mut is_fake = true;
        for (name, count) in counts(digis) {
            if let Some(collision) = collisions.get_mut(&name) {
                let is_found = 2 * count >= collision.digis;
                collision.is_found |= is_found;
                collision.events += u64::from(count >= MIN_DIGIS);
                is_fake &= !is_found;
            }
        }
        *all += 1;
        *fake += u64::from(is_fake);
    }
    let mut found = [[0; 2]; PARTS as usize];
    let mut split = [[0; 2]; PARTS as usize];
    for Collision { part, is_found, events, .. } in collisions.into_values() {
        found[part][0] += u64::from(is_found);
        found[part][1] += 1;
        split[part][0] += u64::from(is_found && events > 1);
        split[part][1] += u64::from(is_found);
    }
    let share = |info, counts: &[[u64; 2]]| Quality::share_of(info, counts, |counts| *counts);
    vec![share(&EFFICIENCY, &found), share(&FAKES, &fakes), share(&SPLITS, &split)]
}

/// The collisions of digis, each with the number of its digis.
fn counts(of_digis: &[u32]) -> Vec<(u32, u64)> {
    let mut sorted = of_digis.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|digis| (digis[0], digis.len() as u64)).collect()
}

#[cfg(test)]
mod tests {
    use generators_sts::{Address, Digi};

    use super::super::{EventRules, StsEvents};
    use super::*;
    use tasks::algorithm::{Algorithm, Semantics};
    use tasks::axis::Params;

    const RULES: EventRules =
        EventRules { window_ns: 10, min_digis: 3, dead_time_ns: 20, before_ns: 5, after_ns: 15 };

    /// The figures of the right events of digis `(time, collision)`.
    fn figures_of(digis: &[(u32, u32)]) -> Vec<f64> {
        let digi = |&(time, _): &(u32, u32)| Digi::new(Address::of_module(0), 0, time, 7);
        let stream = DigiStream::new(digis.iter().map(digi).collect(), RULES).expect("few");
        let collisions = Collisions::new(digis.iter().map(|(_, collision)| *collision).collect());
        let stream = stream.with_collisions(collisions);
        let found = figures(&stream, &stream.expected().events);
        found.iter().map(Quality::value).collect()
    }

    const NOISE: u32 = Collisions::NOISE;

    /// Some digis of a collision, one each nanosecond.
    fn digis(first_ns: u32, count: u32, collision: u32) -> impl Iterator<Item = (u32, u32)> {
        (first_ns..first_ns + count).map(move |ns| (ns, collision))
    }

    fn figures_of_all<const N: usize>(all: [(u32, u32, u32); N]) -> Vec<f64> {
        let all = all.into_iter();
        figures_of(&all.flat_map(|(ns, count, of)| digis(ns, count, of)).collect::<Vec<_>>())
    }

    #[test]
    fn collisions_with_half_of_their_digis_in_an_event_are_found() {
        assert_eq!(figures_of_all([(100, 12, 1)]), [1.0, 0.0, 0.0]);
        // An event has digis up to 15 ns behind its trigger: 18 of 30, but only 18 of 40.
        assert_eq!(figures_of_all([(100, 30, 1)])[0], 1.0);
        assert_eq!(figures_of_all([(100, 18, 1), (1000, 22, 1)])[0], 0.0);
        // Small collisions and noise make fake events, and need not be found.
        assert_eq!(
            figures_of_all([(100, 12, 1), (200, 9, 2), (300, 12, NOISE)]),
            [1.0, 2.0 / 3.0, 0.0]
        );
    }

    #[test]
    fn a_collision_in_two_events_is_split() {
        assert_eq!(figures_of_all([(100, 12, 1), (140, 12, 1)]), [1.0, 0.0, 1.0]);
        // The second event has no half of its collision, and too little of it for a split.
        assert_eq!(figures_of_all([(100, 12, 1), (140, 6, 1)]), [1.0, 0.5, 0.0]);
        assert_eq!(figures_of_all([(100, 12, 1), (140, 12, 2)]), [1.0, 0.0, 0.0]);
    }

    fn simulated(given: &[(&'static str, &str)]) -> impl Fn(&str) -> f64 + use<> {
        let small = [("preset", "mcbm-2024"), ("scale", "0.01")];
        let params: Params = small.iter().chain(given).copied().collect();
        let params = StsEvents.plan(params).expect("sensible").params;
        let stream = StsEvents.generate(&params, 3).expect("made");
        let right = StsEvents.reference(&stream, Semantics::Exact).expect("a reference");
        let found = StsEvents.quality(&stream, &right);
        move |name| {
            let figure = found.iter().find(|figure| figure.metric.info.name == name);
            figure.expect("a figure of that name").value()
        }
    }

    #[test]
    fn fewer_digis_for_a_trigger_find_more_collisions() {
        let [loose, strict] = ["5", "15"].map(|digis| simulated(&[("min-digis", digis)]));
        assert!(loose("efficiency") > strict("efficiency") && loose("efficiency") > 0.9);
        assert!(loose("fakes") > strict("fakes") && loose("fakes") < 1.0);
        assert!(loose("splits") < 0.5);
        let narrow = simulated(&[("window", "1")]);
        assert!(narrow("efficiency") < simulated(&[])("efficiency"));
    }

    #[test]
    fn digis_of_unknown_origin_have_no_figures() {
        let digis = vec![Digi::new(Address::of_module(0), 0, 1, 7)];
        let stream = DigiStream::new(digis, RULES).expect("few");
        assert!(figures(&stream, &stream.expected().events).is_empty());
    }
}
