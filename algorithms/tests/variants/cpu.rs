//! Every variant of every task is right on every hard input.

use algorithms::device::{Backend, Target, Team};
use algorithms::registry::tasks;

#[test]
fn every_cpu_variant_is_right_on_hard_inputs() {
    let (mut run, mut refused) = (0, 0);
    for threads in [1, 2, 3, 8] {
        let team = Team::new(threads).expect("threads");
        let place = Target::host(&team);
        for task in tasks() {
            for (name, case) in task.hard_cases(5) {
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
                    let ran = candidate
                        .reset()
                        .and_then(|()| candidate.poison())
                        .and_then(|()| team.run(|| candidate.run()));
                    assert_eq!(ran, Ok(()), "{}", variant.name);
                    let checked = candidate.check().map_err(|error| error.to_string());
                    candidate.release();
                    let context = format!("{} with {threads} threads on {name}", variant.name);
                    assert_eq!(checked, Ok(()), "{context}");
                }
            }
        }
    }
    assert!(run > 5 * refused, "{run} run, {refused} refused");
}
