//! The teams of threads that a request asks for.

use algorithms::device::{Team, TeamError};

use super::PlanError;
use crate::platform::placement::{Place, Placement, PlacementError};
use crate::platform::{Topology, pin_current_thread, usable_cpus};
use crate::request::MeasureRequest;

/// Threads beyond so many times the CPUs tell nothing but how the system
/// schedules, and take very long to do it.
const MAX_THREADS_PER_CPU: usize = 64;
/// So many are allowed on any machine.
const MAX_THREADS_ANYWHERE: usize = 1024;

/// A team: how many threads, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamSpec {
    /// The number of threads.
    pub threads: usize,
    /// Their placement.
    pub placement: Placement,
    /// The CPUs of each thread; `None` if they may be anywhere.
    pub cpus: Option<Vec<Place>>,
}

impl TeamSpec {
    /// Starts the team.
    ///
    /// # Errors
    /// If the threads can't be had, or can't be where they should.
    pub fn start(&self) -> Result<Team, TeamError> {
        match self.cpus.clone() {
            None => Team::new(self.threads),
            Some(cpus) => {
                Team::placed(self.threads, move |worker| pin_current_thread(&cpus[worker]))
            }
        }
    }

    /// Whether a worker may be on a CPU.
    pub fn allows(&self, worker: usize, cpu: Option<usize>) -> bool {
        match (&self.cpus, cpu) {
            (Some(cpus), Some(cpu)) => cpus[worker].contains(&cpu),
            _ => true,
        }
    }
}

/// A team for each number of threads and placement.
pub(super) fn teams(request: &MeasureRequest) -> Result<Vec<TeamSpec>, PlanError> {
    let (topology, mask) = (Topology::of_this_machine(), usable_cpus());
    let mut teams = Vec::new();
    let settings = &request.settings;
    for threads in settings.thread_counts() {
        check_threads(threads, mask.len())?;
        for placement in Placement::combinations(&settings.places, &settings.binds) {
            let cpus = placement.cpus(threads, &topology, &mask);
            let team = TeamSpec {
                threads,
                cpus: cpus.map_err(|PlacementError(problem)| PlanError::Usage(problem))?,
                placement,
            };
            if !teams.contains(&team) {
                teams.push(team);
            }
        }
    }
    Ok(teams)
}

fn check_threads(threads: usize, cpus: usize) -> Result<(), PlanError> {
    let limit = MAX_THREADS_ANYWHERE.max(MAX_THREADS_PER_CPU * cpus);
    if threads <= limit {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "--threads {threads} is far more than {cpus} CPUs can run; use {limit} at most"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_outside_its_place_is_noticed() {
        let team = TeamSpec {
            threads: 2,
            placement: Placement::None,
            cpus: Some(vec![vec![0, 1], vec![2]]),
        };
        assert!(team.allows(0, Some(1)) && team.allows(1, Some(2)));
        assert!(!team.allows(1, Some(0)));
        assert!(team.allows(1, None), "where nothing is known");
        let free = TeamSpec { cpus: None, ..team };
        assert!(free.allows(1, Some(7)));
    }

    #[test]
    fn absurd_numbers_of_threads_are_refused() {
        assert!(check_threads(144, 2).is_ok());
        assert!(check_threads(1024, 2).is_ok());
        assert!(check_threads(5000, 2).is_err());
        assert!(check_threads(5000, 128).is_ok());
    }
}
