//! Every variant of every task is right on every hard input.

use algorithms::device::{Target, Team};
use algorithms::registry::tasks;

use crate::common::check_all;

/// Larger inputs are for one number of threads: `bench verify` takes them with any.
const MOST_ITEMS: u64 = 15_000;

#[test]
fn every_cpu_variant_is_right_on_hard_inputs() {
    let (mut run, mut refused) = (0, 0);
    let teams = [3, 1, 2, 8].map(|threads| Team::new(threads).expect("threads"));
    for task in tasks() {
        for (name, case) in task.hard_cases(5) {
            let large = case.work().items > MOST_ITEMS;
            for team in if large { &teams[..1] } else { &teams } {
                let on = format!("{name}, {} threads", team.threads());
                let counts = check_all(*task, case.as_ref(), &Target::host(team), &on);
                run += counts[0];
                refused += counts[1];
            }
        }
    }
    assert!(run > 5 * refused, "{run} run, {refused} refused");
}
