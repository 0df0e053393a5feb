//! Teams of threads of a request.

use algorithms::device::{Team, TeamError};

use super::{PlanError, TeamLayout};
use crate::platform::placement::{CpuSet, PlacementError};
use crate::platform::{Topology, pin_current_thread, usable_cpus};
use crate::request::Settings;

/// Maximum number of threads per CPU: more of them measure only the scheduling by the system, and
/// take very long.
const MAX_THREADS_PER_CPU: usize = 64;
/// Number of threads that is allowed on any machine.
const MAX_THREADS_ANYWHERE: usize = 1024;

/// A team: number of threads, and their placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamSpec {
    /// Layout of the threads.
    pub layout: TeamLayout,
    /// CPUs of each thread, team by team; `None` if threads are not bound.
    pub cpus: Option<Vec<CpuSet>>,
}

impl TeamSpec {
    /// Creates the specification of a team on the CPUs in `mask`.
    ///
    /// # Errors
    /// If the CPU sets don't exist.
    pub fn new(
        layout: TeamLayout,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Self, PlacementError> {
        Ok(TeamSpec { cpus: layout.cpus(topology, mask)?, layout })
    }

    /// Starts the team.
    ///
    /// # Errors
    /// If the threads can't be started or bound.
    pub fn start(&self) -> Result<Team, TeamError> {
        let cpus = self.cpus.clone();
        let bind_worker = move |worker: usize| match &cpus {
            None => Ok(()),
            Some(cpus) => pin_current_thread(&cpus[worker]),
        };
        match self.layout.shape() {
            [threads, 1] => Team::placed(threads, bind_worker),
            [outer, inner] => Team::nested(outer, inner, bind_worker),
        }
    }

    /// True if a worker may be on a CPU.
    pub fn allows(&self, worker: usize, cpu: Option<usize>) -> bool {
        match (&self.cpus, cpu) {
            (Some(cpus), Some(cpu)) => cpus[worker].contains(&cpu),
            _ => true,
        }
    }
}

/// Teams of a plan, each once.
pub(super) struct TeamList {
    pub(super) teams: Vec<TeamSpec>,
    topology: Topology,
    mask: Vec<usize>,
}

impl TeamList {
    /// Creates an empty list for this machine.
    pub(super) fn new() -> Self {
        TeamList { teams: Vec::new(), topology: Topology::this_machine(), mask: usable_cpus() }
    }

    /// Indices of the teams that settings specify; see [`TeamLayout::all`] for `nested`.
    ///
    /// # Errors
    /// If there are far too many threads, or the CPU sets don't exist.
    pub(super) fn wanted(
        &mut self,
        settings: &Settings,
        nested: Option<usize>,
    ) -> Result<Vec<usize>, PlanError> {
        let layouts = TeamLayout::all(settings, nested).into_iter();
        let team = |layout: TeamLayout| {
            check_threads(layout.threads, self.mask.len())?;
            self.index_of(layout).map_err(|PlacementError(problem)| PlanError::Usage(problem))
        };
        layouts.map(team).collect()
    }

    /// Index of a team, which is added if it is new.
    ///
    /// # Errors
    /// If the CPU sets don't exist.
    pub(super) fn index_of(&mut self, layout: TeamLayout) -> Result<usize, PlacementError> {
        if let Some(known) = self.teams.iter().position(|team| team.layout == layout) {
            return Ok(known);
        }
        self.teams.push(TeamSpec::new(layout, &self.topology, &self.mask)?);
        Ok(self.teams.len() - 1)
    }
}

pub(crate) fn check_threads(threads: usize, cpus: usize) -> Result<(), PlanError> {
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
    use crate::platform::placement::Placement;

    #[test]
    fn workers_outside_their_place_are_detected() {
        let team = TeamSpec {
            layout: TeamLayout { threads: 2, placement: Placement::None, inner: None },
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
