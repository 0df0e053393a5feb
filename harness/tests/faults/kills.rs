//! Kills at any time, not only between operations on files.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::library::can_inject;
use super::reference::Reference;
use super::scenario::{SCENARIOS, Scenario, planted};
use super::tried::Tried;
use crate::common::can_measure;

/// Commands that are killed.
const KILLED: [&str; 3] = ["run-start", "report", "export"];
/// Times of kills are spread evenly over what a command takes, however many there are: multiples of
/// the golden section.
const GOLDEN: f64 = 0.618_033_988_749_895;

#[test]
fn commands_that_are_killed_resume() {
    kill(2);
}

#[test]
#[ignore = "takes minutes: at night"]
fn commands_that_are_killed_five_hundred_times_resume() {
    kill(500);
}

fn kill(times: u32) {
    if !can_inject() || !can_measure() {
        return;
    }
    let mut tried = Tried::default();
    for scenario in SCENARIOS.iter().filter(|scenario| KILLED.contains(&scenario.name)) {
        let reference = Reference::record(scenario);
        let start = Instant::now();
        planted(&reference.beginning).bench(scenario.line);
        let whole = start.elapsed();
        let times: Vec<_> = (1..=times).map(|number| at(number, whole)).collect();
        tried.add(Tried::all(&times, |&time| check(scenario, &reference, time)));
    }
    tried.assert_none_failed("kills");
}

fn at(number: u32, whole: Duration) -> Duration {
    whole.mul_f64((GOLDEN * f64::from(number)).fract())
}

fn check(scenario: &Scenario, reference: &Reference, time: Duration) {
    let folder = planted(&reference.beginning);
    let mut child = folder.start(scenario.line);
    sleep(time);
    // It may have ended.
    let _ = child.kill();
    child.wait().expect("ended");
    reference.goes_on(scenario, &folder, &format!("{} killed after {time:?}", scenario.name));
}
