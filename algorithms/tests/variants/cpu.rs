//! Every variant of every task is right on every hard input.

use algorithms::device::{Target, Team};

use crate::common::{check_all, tasks_with_hard_cases};

/// Larger inputs run with fewer tried of threads: `bench verify` runs them with any.
const SMALL_ITEMS: u64 = 3_000;
/// Larger inputs than this run with one thread, smaller ones also with two.
const LARGE_ITEMS: u64 = 15_000;

#[test]
fn every_cpu_variant_is_right_on_hard_inputs() {
    let mut run = 0;
    let mut refused = 0;
    let teams = [3, 1, 2, 8].map(|threads| Team::new(threads).expect("threads"));
    for (task, cases) in tasks_with_hard_cases() {
        for (name, case) in cases {
            let tried = match case.work().items {
                items if items <= SMALL_ITEMS => teams.len(),
                items if items <= LARGE_ITEMS => 2,
                _ => 1,
            };
            for team in &teams[..tried] {
                let on = format!("{name}, {} threads", team.threads());
                let counts = check_all(task, case.as_ref(), &Target::host(team), &on);
                run += counts[0];
                refused += counts[1];
            }
        }
    }
    assert!(run > 5 * refused, "{run} run, {refused} refused");
}
