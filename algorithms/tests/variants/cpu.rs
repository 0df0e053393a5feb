//! Every variant of every task is right on every hard input.

use algorithms::device::{Backend, Target, Team};
use algorithms::registry::tasks;
use algorithms::task::Candidate;

/// Larger inputs are for one number of threads: `bench verify` takes them with any.
const MOST_ITEMS: u64 = 15_000;

fn check(candidate: &mut dyn Candidate, team: &Team) -> Result<(), String> {
    candidate
        .reset()
        .and_then(|()| candidate.poison())
        .and_then(|()| team.run(|| candidate.run()))
        .map_err(|error| error.to_string())?;
    let checked = candidate.check().map_err(|error| error.to_string());
    candidate.release();
    checked
}

#[test]
fn every_cpu_variant_is_right_on_hard_inputs() {
    let (mut run, mut refused) = (0, 0);
    let teams = [3, 1, 2, 8].map(|threads| Team::new(threads).expect("threads"));
    for task in tasks() {
        for (name, case) in task.hard_cases(5) {
            let large = case.work().items > MOST_ITEMS;
            for team in if large { &teams[..1] } else { &teams } {
                let place = Target::host(team);
                for (number, variant) in task.variants().iter().enumerate() {
                    if variant.backend != Backend::Cpu {
                        continue;
                    }
                    // A variant may refuse a shape; that some accept it is
                    // asserted below.
                    let Ok(mut candidate) = case.prepare(number, &place) else {
                        refused += 1;
                        continue;
                    };
                    run += 1;
                    let checked = check(candidate.as_mut(), team);
                    let threads = team.threads();
                    let context = format!("{} with {threads} threads on {name}", variant.name);
                    assert_eq!(checked, Ok(()), "{context}");
                }
            }
        }
    }
    assert!(run > 5 * refused, "{run} run, {refused} refused");
}
