//! Digis that can be worked out on paper.

use generators_sts::Address;

use super::*;
use tasks::device::{Backend, Target, Team};

const RULES: EventRules =
    EventRules { window_ns: 10, min_digis: 3, dead_time_ns: 20, before_ns: 5, after_ns: 15 };

fn digis(times: &[u32]) -> Vec<Digi> {
    let digi =
        |(index, &time): (usize, &u32)| Digi::new(Address::of_module(index), index as u16, time, 7);
    times.iter().enumerate().map(digi).collect()
}

fn built(times: &[u32], rules: EventRules) -> Events {
    DigiStream::new(digis(times), rules).expect("few").expected().clone()
}

/// The trigger in half ns and the range of digis of each event.
fn events(times: &[u32], rules: EventRules) -> Vec<(u32, u32, u32)> {
    let built = built(times, rules);
    built.events.iter().map(|event| (event.trigger_half_ns, event.begin, event.end)).collect()
}

#[test]
fn a_trigger_is_in_the_middle_of_a_full_window() {
    assert_eq!(events(&[100, 105, 110], RULES), [(210, 0, 3)]);
    assert_eq!(events(&[100, 105, 111], RULES), []);
    assert_eq!(events(&[100, 104, 111, 113], RULES), [(217, 1, 4)]);
}

#[test]
fn both_ends_of_an_event_belong_to_it() {
    // The trigger is at 105 ns: the event goes from 100 to 120, or from 101.
    let times = [100, 105, 110, 120, 121];
    assert_eq!(events(&times, RULES), [(210, 0, 4)]);
    assert_eq!(events(&times, EventRules { before_ns: 4, ..RULES }), [(210, 1, 4)]);
    // At 103.5 ns: from there to 118.5.
    let times = [100, 103, 107, 118, 119];
    assert_eq!(events(&times, EventRules { before_ns: 0, ..RULES }), [(207, 2, 4)]);
}

#[test]
fn digis_of_a_dead_time_are_in_events_and_in_no_window() {
    // The dead time ends at 24 ns, which is still dead: a window starts at 25.
    let times = [0, 2, 4, 22, 23, 24, 25, 26];
    assert_eq!(events(&times, RULES), [(4, 0, 3)]);
    let times = [0, 2, 4, 22, 23, 24, 25, 26, 27];
    assert_eq!(events(&times, RULES), [(4, 0, 3), (52, 3, 9)]);
}

#[test]
fn a_digi_can_be_in_several_events() {
    let rules = EventRules { dead_time_ns: 0, ..RULES };
    let found = built(&[0, 1, 2, 3, 4, 5], rules);
    let ranges: Vec<_> = found.events.iter().map(|event| event.begin..event.end).collect();
    assert_eq!(ranges, [0..6, 0..6]);
    assert_eq!(found.events[1].first_copy, 6);
    assert_eq!(found.digis.len(), 12);
}

#[test]
fn digis_of_the_same_time_are_dead_after_a_trigger() {
    let rules = EventRules { dead_time_ns: 0, ..RULES };
    assert_eq!(events(&[7; 100], rules), [(14, 0, 100)]);
}

#[test]
fn a_threshold_of_0_is_as_1() {
    let of = |min_digis| events(&[3, 50, 51], EventRules { min_digis, ..RULES });
    assert_eq!(of(0), of(1));
    assert_eq!(of(1), [(6, 0, 1), (100, 1, 3)]);
}

/// The figures of the experiment's own test: digis 10 ns apart, 100 of them in a window of 1 µs.
#[test]
fn regular_digis_make_regular_triggers() {
    let times: Vec<u32> = (0..1000).map(|i| 10 * i).collect();
    let rules = EventRules { window_ns: 1000, min_digis: 100, dead_time_ns: 5, ..RULES };
    let triggers: Vec<_> = events(&times, rules).iter().map(|event| event.0).collect();
    assert_eq!(triggers, (0..10).map(|i| 990 + 2000 * i).collect::<Vec<_>>());
}

#[test]
fn digis_come_in_order_of_time() {
    let found = built(&[110, 100, 105], RULES);
    let times: Vec<_> = found.digis.iter().map(|digi| digi.time_ns()).collect();
    assert_eq!(times, [100, 105, 110]);
}

/// Several chunks, with gaps and without any.
#[test]
fn long_timeslices_are_built_alike_by_all() {
    let team = Team::new(2).expect("threads");
    for each_ns in [2, 40] {
        let time =
            |digi: u64| generators_common::random::hash(5, [digi]) as u32 % (each_ns * 200_000);
        let times: Vec<_> = (0..200_000).map(time).collect();
        let rules = EventRules { min_digis: 4, ..RULES };
        let input = DigiStream::new(digis(&times), rules).expect("few");
        assert!(
            input.expected().events.len() > 100,
            "{each_ns}: {}",
            input.expected().events.len()
        );
        assert_eq!(build_events(input.digis(), input.rules()), *input.expected());
        for variant in StsEvents.variants() {
            if variant.backend == Backend::Cpu {
                let target = Target::host(&team);
                let output = variant.checked_output(&StsEvents, &input, &target, None);
                assert!(output.is_ok(), "{}: {:?}", variant.name, output.err());
            }
        }
    }
}

/// Pins the events of the presets' digis.
#[test]
fn events_of_simulated_digis_stay_as_they_are() {
    let golden = [
        ("mcbm-2024", "0.02", (177, 2737, 9_883_999_169_438_073_531)),
        ("cbm-auau", "0.002", (2, 35_517, 3_261_846_684_690_402_160)),
    ];
    for (preset, scale, right) in golden {
        let given = [("preset", preset), ("scale", scale)];
        let params = StsEvents.plan(given.into_iter().collect()).expect("sensible").params;
        let input = StsEvents.generate(&params, 1).expect("made");
        let events = input.expected();
        let note = |hash: u64, word: u64| generators_common::random::mix(hash ^ word);
        let hash = events.events.iter().fold(0, |hash, event| {
            let words = [event.trigger_half_ns, event.begin, event.end, event.first_copy];
            words.into_iter().map(u64::from).fold(hash, note)
        });
        let hash = events.digis.iter().fold(hash, |hash, digi| note(hash, digi.bits()));
        assert_eq!((events.events.len(), events.digis.len(), hash), right, "{preset}");
    }
}
