//! Quality of events against the simulated collisions: efficiency, fakes and splits.
//!
//! An event *has* a collision if at least the minimum of digis of a trigger that it cuts out are of
//! that collision. `docs/event-building.md` has the definitions.

use std::collections::HashMap;

use generators_sts::physics::Truth;

use super::event::Event;
use super::input::DigiStream;
use tasks::algorithm::metric::EFFICIENCY;
use tasks::algorithm::{Better, MetricInfo, PartSum, Quality};

/// Parts of equal length that a timeslice is cut into: most collisions and events are in one of them.
const PARTS: u64 = 256;

const FAKES: MetricInfo = MetricInfo::share(
    "fakes",
    "fake events",
    "of the events, the share that has no collision",
    Better::Lower,
);
const SPLITS: MetricInfo = MetricInfo::share(
    "splits",
    "split collisions",
    "of the collisions that were found, the share that several events have",
    Better::Lower,
);

/// All figures.
pub(super) const FIGURES: [MetricInfo; 3] = [EFFICIENCY, FAKES, SPLITS];

/// The collision of each digi of a stream.
#[derive(Debug)]
pub(super) struct Collisions(Vec<u32>);

impl Collisions {
    /// Value of digis that are noise.
    const NOISE: u32 = Truth::NOISE;

    /// Collisions of digis in the order of a stream.
    pub(super) fn new(of_digis: Vec<u32>) -> Self {
        Collisions(of_digis)
    }

    /// The collision that a digi of a simulation comes from.
    pub(super) fn of_digi(truth: &Truth, digi: usize) -> u32 {
        truth.crossing_of(digi).map_or(Self::NOISE, |crossing| crossing.collision)
    }
}

/// State of a collision that left digis.
struct Collision {
    /// Part of the timeslice with its first digi.
    part: usize,
    /// Number of events that have it.
    events: u64,
}

/// The figures of events; none without the truth.
pub(super) fn figures(input: &DigiStream, events: &[Event]) -> Vec<Quality> {
    let (Some(Collisions(of_digis)), Some(last)) = (input.collisions(), input.digis().last())
    else {
        return Vec::new();
    };
    let parts_of_ns = |ns: u64| (ns * PARTS / (u64::from(last.time_ns()) + 1)).min(PARTS - 1);
    let mut collisions: HashMap<u32, Collision> = HashMap::new();
    for (digi, &collision) in input.digis().iter().zip(of_digis) {
        if collision != Collisions::NOISE {
            let part = parts_of_ns(digi.time_ns().into()) as usize;
            collisions.entry(collision).or_insert(Collision { part, events: 0 });
        }
    }
    let minimum = input.rules().reach() + 1;
    let mut fakes = [[0; 2]; PARTS as usize];
    for event in events {
        let digis = &of_digis[event.begin as usize..event.end as usize];
        let [fake, all] = &mut fakes[parts_of_ns(u64::from(event.trigger_half_ns) / 2) as usize];
        let mut is_fake = true;
        for found in with_at_least(minimum, digis) {
            is_fake = false;
            if let Some(collision) = collisions.get_mut(&found) {
                collision.events += 1;
            }
        }
        *all += 1;
        *fake += u64::from(is_fake);
    }
    let mut found = [[0; 2]; PARTS as usize];
    let mut split = [[0; 2]; PARTS as usize];
    for Collision { part, events } in collisions.into_values() {
        found[part][0] += u64::from(events > 0);
        found[part][1] += 1;
        split[part][0] += u64::from(events > 1);
        split[part][1] += u64::from(events > 0);
    }
    let share = |info, counts: [[u64; 2]; PARTS as usize]| {
        Quality::share(info, counts.map(|[passed, total]| PartSum::passed(passed, total)))
    };
    vec![share(&EFFICIENCY, found), share(&FAKES, fakes), share(&SPLITS, split)]
}

/// The collisions of which there are at least `minimum` digis.
fn with_at_least(minimum: usize, of_digis: &[u32]) -> Vec<u32> {
    let mut sorted: Vec<u32> =
        of_digis.iter().copied().filter(|it| *it != Collisions::NOISE).collect();
    sorted.sort_unstable();
    let same = sorted.chunk_by(|a, b| a == b);
    same.filter(|digis| digis.len() >= minimum).map(|digis| digis[0]).collect()
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

    #[test]
    fn collisions_with_enough_digis_in_an_event_are_found() {
        // Collision 1 is found; 2 and 3 make an event together and have too few digis each.
        let digis = [
            (100, 1),
            (101, 1),
            (102, 1),
            (200, 2),
            (201, 2),
            (202, 3),
            (300, NOISE),
            (301, NOISE),
            (302, NOISE),
        ];
        assert_eq!(figures_of(&digis), [1.0 / 3.0, 2.0 / 3.0, 0.0]);
    }

    #[test]
    fn a_collision_of_two_events_is_split() {
        let digis = [100, 101, 102, 140, 141, 142].map(|time| (time, 1));
        assert_eq!(figures_of(&digis), [1.0, 0.0, 1.0]);
        let two = [(100, 1), (101, 1), (102, 1), (140, 2), (141, 2), (142, 2)];
        assert_eq!(figures_of(&two), [1.0, 0.0, 0.0]);
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
        let [loose, strict] = ["4", "30"].map(|digis| simulated(&[("min-digis", digis)]));
        assert!(loose("efficiency") > strict("efficiency"));
        assert!(loose("efficiency") > 0.3 && strict("efficiency") > 0.0);
        assert!(loose("fakes") < 1.0 && loose("splits") < 1.0);
        let narrow = simulated(&[("window", "1ns")]);
        assert!(narrow("efficiency") < simulated(&[])("efficiency"));
    }

    #[test]
    fn digis_of_unknown_origin_have_no_figures() {
        let digis = vec![Digi::new(Address::of_module(0), 0, 1, 7)];
        let stream = DigiStream::new(digis, RULES).expect("few");
        assert!(figures(&stream, &stream.expected().events).is_empty());
    }
}
