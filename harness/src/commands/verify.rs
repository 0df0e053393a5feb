//! `bench verify`: every variant on hard inputs, without a clock.

use algorithms::device::{Device, Place, Team};
use algorithms::task::{Case, Task, VariantInfo};

use crate::failure::{Exit, Failure};
use crate::measure::check_candidate;
use crate::plan::select_variants;
use crate::platform::usable_threads;

/// What is to be verified.
pub(super) struct Verification {
    pub(super) tasks: Vec<&'static dyn Task>,
    pub(super) variants: Vec<String>,
    pub(super) devices: Vec<Device>,
    pub(super) seeds: Vec<u64>,
    pub(super) quiet: bool,
}

/// What came of it.
#[derive(Default)]
struct Tally {
    checks: usize,
    variants: usize,
    skipped: usize,
    mismatches: Vec<String>,
}

impl Verification {
    pub(super) fn run(mut self) -> Result<Exit, Failure> {
        if self.tasks.is_empty() {
            self.tasks = algorithms::registry::tasks().to_vec();
        }
        let mut tally = Tally::default();
        for threads in thread_counts() {
            let team = Team::new(threads)?;
            for &task in &self.tasks {
                for &device in &self.devices {
                    let place = Place {
                        device,
                        team: &team,
                    };
                    self.verify_task(task, &place, &mut tally)?;
                }
            }
        }
        self.report(&tally)
    }

    fn verify_task(
        &self,
        task: &dyn Task,
        place: &Place<'_>,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let infos = task.variants();
        let selected = select_variants(&infos, &self.variants).map_err(Failure::Usage)?;
        let here: Vec<_> = selected
            .into_iter()
            .filter(|&number| infos[number].backend == place.device.backend())
            .collect();
        tally.variants = tally.variants.max(here.len());
        for &seed in &self.seeds {
            for (name, case) in task.hard_cases(seed) {
                let context = format!("{} threads, seed {seed}, {name}", place.team.threads());
                for &number in &here {
                    tally.verify(
                        task,
                        (number, &infos[number]),
                        case.as_ref(),
                        place,
                        &context,
                    );
                }
            }
        }
        Ok(())
    }

    fn report(&self, tally: &Tally) -> Result<Exit, Failure> {
        for mismatch in &tally.mismatches {
            super::print(&format!("{mismatch}\n"))?;
        }
        if tally.checks == 0 {
            let names: Vec<_> = self.devices.iter().map(ToString::to_string).collect();
            let problem = format!(
                "nothing was verified: no variant runs on {}",
                names.join(", ")
            );
            return Err(Failure::NothingMeasured(problem));
        }
        let wrong = tally.mismatches.len();
        if !self.quiet || wrong > 0 {
            super::print(&format!(
                "{} variants, {} checks: {} right, {wrong} wrong, {} not run\n",
                tally.variants,
                tally.checks,
                tally.checks - wrong,
                tally.skipped
            ))?;
        }
        Ok(if wrong == 0 {
            Exit::Success
        } else {
            Exit::WrongOutput
        })
    }
}

impl Tally {
    fn verify(
        &mut self,
        task: &dyn Task,
        (number, info): (usize, &VariantInfo),
        case: &dyn Case,
        place: &Place<'_>,
        context: &str,
    ) {
        let Ok(mut candidate) = case.prepare(number, place) else {
            self.skipped += 1;
            return;
        };
        self.checks += 1;
        if let Err(mismatch) = check_candidate(candidate.as_mut(), place) {
            let (task, variant) = (task.name(), info.name);
            self.mismatches
                .push(format!("{task} {variant}, {context}: {mismatch}"));
        }
    }
}

/// One, two, three (an odd number cuts at unlike places), and all there are.
fn thread_counts() -> Vec<usize> {
    let mut counts = vec![1, 2, 3, usable_threads()];
    counts.sort_unstable();
    counts.dedup();
    counts
}
