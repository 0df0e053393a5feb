//! Farms whose outcome is known: by hand, or by the theory of queues.

use farm::{Arrivals, Failures, Farm, Outcome, Problem, Service, ServiceTime, Spills, WhenFull};

const ONE: Farm =
    Farm { nodes: 1, workers: 1, queue: 64, when_full: WhenFull::Wait, failures: None };
const EACH_SECOND: Arrivals =
    Arrivals { period_s: 1.0, spills: None, jitter: 0.0, duration_s: 100.0 };

fn lasting(work_s: f64) -> ServiceTime {
    ServiceTime { before_s: 0.0, work_s, after_s: 0.0 }
}

fn always(work_s: f64) -> Service {
    Service { spill: vec![lasting(work_s)], pause: Vec::new(), block: 1.0 }
}

/// Exponential times by their quantiles.
fn exponential(mean_s: f64) -> Service {
    let count = 20_000;
    let quantile = |index: u32| -mean_s * (1.0 - (f64::from(index) + 0.5) / f64::from(count)).ln();
    let spill = (0..count).map(|index| lasting(quantile(index))).collect();
    Service { spill, pause: Vec::new(), block: 1.0 }
}

fn simulated(farm: &Farm, arrivals: &Arrivals, service: &Service) -> Outcome {
    let outcome = farm::simulate(farm, arrivals, service, 1).expect("can be simulated");
    let Outcome { done, lost, dropped, backlog, .. } = outcome;
    assert_eq!(outcome.due, done + lost + dropped + backlog);
    assert_eq!(done, outcome.latencies_s.len() as u64);
    outcome
}

#[test]
fn a_worker_that_is_fast_enough_has_no_queue() {
    let outcome = simulated(&ONE, &EACH_SECOND, &always(0.5));
    assert_eq!((outcome.due, outcome.done, outcome.max_waiting), (100, 100, 1));
    assert!(outcome.latencies_s.iter().all(|latency| (latency - 0.5).abs() < 1e-9));
    assert!(outcome.kept_up() && (outcome.utilisation - 0.5).abs() < 1e-9);
}

#[test]
fn what_is_too_much_is_left_or_dropped() {
    // One is done every two seconds: of 100 that came from second 1 on 50 were begun.
    let outcome = simulated(&ONE, &EACH_SECOND, &always(2.0));
    assert_eq!((outcome.done, outcome.backlog), (50, 50));
    assert!(!outcome.kept_up());
    let dropping = Farm { when_full: WhenFull::Drop, queue: 3, ..ONE };
    let outcome = simulated(&dropping, &EACH_SECOND, &always(2.0));
    assert_eq!((outcome.done, outcome.backlog, outcome.dropped), (50, 3, 47));
    assert_eq!(outcome.max_waiting, 3);
}

#[test]
fn waits_are_those_of_the_theory() {
    // Arrivals at equal distances, exponential service: D/M/1. Its mean wait is that of the service
    // times s / (1 - s), where s = exp(-(1 - s) / load).
    for load in [0.5_f64, 0.8, 0.9] {
        let mut s = load;
        for _ in 0..300 {
            s = (-(1.0 - s) / load).exp();
        }
        let expected = load * s / (1.0 - s) + load;
        let arrivals = Arrivals { duration_s: 100_000.0, ..EACH_SECOND };
        let farm = Farm { queue: usize::MAX, ..ONE };
        let outcome = simulated(&farm, &arrivals, &exponential(load));
        let mean = outcome.latencies_s.iter().sum::<f64>() / outcome.latencies_s.len() as f64;
        assert!((mean / expected - 1.0).abs() < 0.05, "{mean} instead of {expected} at {load}");
        assert!((outcome.utilisation - load).abs() < 0.01);
    }
}

#[test]
fn nodes_share_the_load_in_turn() {
    let four = Farm { nodes: 2, workers: 2, ..ONE };
    let outcome = simulated(&four, &EACH_SECOND, &always(3.5));
    assert!(outcome.kept_up());
    assert!((outcome.latency_s(0.99).expect("some").value - 3.5).abs() < 1e-9);
}

#[test]
fn pauses_have_times_of_their_own() {
    let service = Service { spill: vec![lasting(0.9)], pause: vec![lasting(0.1)], block: 1.0 };
    let spills = Some(Spills { on_s: 4.0, off_s: 6.0 });
    let outcome = simulated(&ONE, &Arrivals { spills, ..EACH_SECOND }, &service);
    let of_spills = outcome.latencies_s.iter().filter(|latency| **latency > 0.5).count();
    assert_eq!((outcome.done, of_spills), (100, 40));
}

#[test]
fn a_timeslice_belongs_to_what_it_begins_in() {
    let pauses = |on_s: f64| -> Vec<bool> {
        let spills = Spills { on_s, off_s: 0.3 - on_s };
        (0..12).map(|number| spills.is_pause(f64::from(number) * 0.05, 0.05)).collect()
    };
    let [at_border, across] = [0.2, 0.23].map(pauses);
    assert_eq!(at_border, [[false, false, false, false, true, true]; 2].concat());
    assert_eq!(across, [[false, false, false, false, false, true]; 2].concat());
}

#[test]
fn blocks_keep_slow_periods_together() {
    let spill = [vec![lasting(0.5); 500], vec![lasting(1.2); 500]].concat();
    let latency = |block: f64| {
        let arrivals = Arrivals { duration_s: 20_000.0, ..EACH_SECOND };
        let farm = Farm { queue: usize::MAX, ..ONE };
        let service = Service { spill: spill.clone(), pause: Vec::new(), block };
        let outcome = simulated(&farm, &arrivals, &service);
        assert!((outcome.utilisation - 0.85).abs() < 0.03, "{}", outcome.utilisation);
        outcome.latency_s(0.99).expect("some").value
    };
    // Of each slow timeslice 0.2 s are left to the next ones.
    let [single, blocks] = [1.0, 100.0].map(latency);
    assert!(single < 5.0 && blocks > 20.0, "{single} s, {blocks} s");
}

#[test]
fn jitter_changes_work_and_not_its_mean() {
    let arrivals = Arrivals { jitter: 0.5, duration_s: 20_000.0, ..EACH_SECOND };
    let outcome = simulated(&ONE, &arrivals, &always(0.25));
    let mean = outcome.latencies_s.iter().sum::<f64>() / outcome.latencies_s.len() as f64;
    let squares = outcome.latencies_s.iter().map(|latency| (latency - mean).powi(2)).sum::<f64>();
    let deviation = (squares / outcome.latencies_s.len() as f64).sqrt();
    assert!((mean - 0.25).abs() < 0.003 && (deviation / mean - 0.5).abs() < 0.01);
}

#[test]
fn what_a_failed_node_had_goes_to_others() {
    let failures = Some(Failures { between_s: 500.0, repair_s: 50.0, noticed_s: 2.0 });
    let farm = Farm { nodes: 4, failures, ..ONE };
    let arrivals = Arrivals { duration_s: 10_000.0, ..EACH_SECOND };
    let outcome = simulated(&farm, &arrivals, &always(2.0));
    assert!(outcome.failures > 20 && outcome.repeated > 0, "{}", outcome.failures);
    assert!(outcome.lost <= outcome.failures && outcome.done > 9_900);
    assert_eq!(outcome, simulated(&farm, &arrivals, &always(2.0)), "the same for the same seed");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |farm: &Farm, arrivals: &Arrivals, service: &Service| {
        farm::simulate(farm, arrivals, service, 1).expect_err("refused")
    };
    let works = always(1.0);
    assert_eq!(refused(&Farm { nodes: 0, ..ONE }, &EACH_SECOND, &works), Problem::Nothing("nodes"));
    let none = Service { spill: Vec::new(), ..always(1.0) };
    assert_eq!(refused(&ONE, &EACH_SECOND, &none), Problem::NoServiceTimes);
    let short = Service { block: 0.5, ..always(1.0) };
    assert_eq!(refused(&ONE, &EACH_SECOND, &short), Problem::BlockTooShort(0.5));
    let never = Arrivals { period_s: 0.0, ..EACH_SECOND };
    assert!(matches!(refused(&ONE, &never, &works), Problem::NotPositive { .. }));
    let wild = Arrivals { jitter: 0.6, ..EACH_SECOND };
    assert!(matches!(refused(&ONE, &wild, &works), Problem::TooLarge { .. }));
    let endless = Arrivals { duration_s: 1e12, ..EACH_SECOND };
    assert!(matches!(refused(&ONE, &endless, &works), Problem::TooMany(_)));
    assert!(matches!(refused(&ONE, &EACH_SECOND, &always(f64::NAN)), Problem::Negative { .. }));
}
