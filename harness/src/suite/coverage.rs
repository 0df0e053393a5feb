//! Coverage of the registry by the built-in suites.

use std::collections::BTreeSet;
use std::path::Path;

use algorithms::device::{Backend, Team};
use algorithms::registry::tasks;
use algorithms::task::Task;

use super::*;
use crate::plan::Origin;
use crate::platform::gpus::Gpus;
use crate::platform::usable_threads;

fn built_in(name: &str) -> Suite {
    let text = super::built_in::text(Path::new(name)).expect("a suite");
    Suite::parse(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Tasks with their variants that `bench` has itself, on a backend.
fn registered(backend: Backend) -> BTreeSet<(&'static str, &'static str)> {
    let of_task = |task: &&'static dyn Task| {
        let name = task.name();
        let infos = task.variants().into_iter();
        let own = infos.filter(move |info| {
            info.backend == backend && info.plugin.is_none() && info.unavailable_reason.is_none()
        });
        own.map(move |info| (name, info.name)).collect::<Vec<_>>()
    };
    tasks().iter().flat_map(of_task).collect()
}

/// Returns what no suite covers.
fn missing(
    suite: &Suite,
    backend: Backend,
    counts: impl Fn(&Point) -> bool,
) -> BTreeSet<(&'static str, &'static str)> {
    let device = |point: &&Point| point.device.starts_with(&backend.to_string());
    let points = suite.points().filter(device).filter(|point| counts(point));
    let there: BTreeSet<_> =
        points.map(|point| (point.algorithm.as_str(), point.variant.as_str())).collect();
    let mut all = registered(backend);
    all.retain(|pair| !there.contains(pair));
    all
}

#[test]
fn smoke_and_nightly_have_every_variant_of_the_host() {
    let by_one = |point: &Point| point.threads == 1;
    for name in ["smoke", "nightly"] {
        let missing = missing(&built_in(name), Backend::Cpu, by_one);
        assert_eq!(missing, BTreeSet::new(), "{name} lacks them");
    }
    assert!(built_in("smoke").points().all(by_one));
}

#[test]
fn the_nightly_suite_of_a_gpu_has_every_kernel() {
    let suite = built_in("gpu-nightly");
    let missing = missing(&suite, Backend::Cuda, |_| true);
    assert_eq!(missing, BTreeSet::new());
    assert!(suite.points().all(|point| point.device == "cuda:0"));
}

#[test]
fn suites_are_as_short_as_they_should_be() {
    let points = |name| built_in(name).points().count();
    assert!(points("smoke") <= 70, "{} points", points("smoke"));
    // On a single core all threads are one.
    let min = if usable_threads() > 1 { 64 } else { 45 };
    let nightly = points("nightly");
    assert!((min..=170).contains(&nightly), "{nightly} points");
}

#[test]
fn every_point_of_smoke_takes_its_input() {
    let suite = built_in("smoke");
    let requests = suite.requests(&[]);
    let plans = suite.plans(&requests).expect("plans");
    let team = Team::new(1).expect("a thread");
    let gpus = Gpus::default();
    let mut ready = 0;
    for plan in &plans {
        for input in &plan.inputs {
            let Origin::Generated(params) = &input.origin else {
                panic!("suites read no files");
            };
            let case = plan.task().generate(params, 1).expect("an input");
            for spec in &input.candidates {
                let target = gpus.target(spec.device, &team).expect("the host");
                let prepared = case.prepare(spec.variant, &target).err();
                assert_eq!(prepared, None, "{}", plan.variant(spec).name);
                ready += 1;
            }
        }
    }
    assert_eq!(ready, suite.points().count());
}
