//! Teams of threads of a request: their number, placement and nested teams.

use std::fmt;

use reports::record::Point;
use tasks::device::{Team, TeamError};

use super::PlanError;
use crate::platform::placement::{
    Bind, BindLevels, CpuSet, CpuSetSpec, InnerBind, Placement, PlacementError,
};
use crate::platform::{Topology, pin_current_thread, usable_cpus};
use crate::request::{Settings, Threads};

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

/// Threads of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamLayout {
    /// Number of threads that do work.
    pub threads: usize,
    /// Placement of the threads of the outer team.
    pub placement: Placement,
    /// Inner teams, if there are any.
    pub inner: Option<InnerTeams>,
}

/// Teams within a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerTeams {
    /// Number of threads of each inner team.
    pub threads: usize,
    /// Binding of these threads.
    pub bind: Bind,
}

impl TeamLayout {
    /// All layouts that settings specify, for a variant with nested teams of at most `nested` outer
    /// threads, or with one level of teams, which uses the settings of the outer one.
    pub fn all(settings: &Settings, nested: Option<usize>) -> Vec<Self> {
        let cpu_sets = optional(&settings.cpu_sets);
        let binds = optional(&settings.binds);
        let mut layouts = Vec::new();
        for threads in settings.thread_counts() {
            for cpu_sets in &cpu_sets {
                for bind in &binds {
                    let layout = Self::with_levels(threads, *cpu_sets, bind.copied(), nested);
                    if !layouts.contains(&layout) {
                        layouts.push(layout);
                    }
                }
            }
        }
        layouts
    }

    fn with_levels(
        threads: Threads,
        cpu_sets: Option<&CpuSetSpec>,
        bind: Option<BindLevels>,
        nested: Option<usize>,
    ) -> Self {
        let placement = Placement::new(cpu_sets, bind.map(|levels| levels.outer));
        let Threads { all, inner } = threads;
        let wanted = bind.and_then(|levels| levels.inner);
        let inner_threads = inner.or(wanted.and_then(|wanted| wanted.threads));
        let inner_threads = inner_threads.filter(|&inner| all.is_multiple_of(inner));
        let is_nested = inner_threads.is_some() || wanted.is_some();
        // As in OpenMP, the last policy applies to all inner levels.
        let bind = wanted.map_or(placement.bind(), |wanted| wanted.bind);
        let inner_teams = |max_outer| InnerTeams {
            threads: inner_threads.unwrap_or_else(|| all / largest_divisor(all, max_outer)),
            bind,
        };
        let inner = nested.filter(|_| is_nested).map(inner_teams);
        TeamLayout { threads: all, placement, inner }
    }

    /// Layout of a recorded point.
    ///
    /// # Errors
    /// If the record can't be parsed.
    pub fn from_point(point: &Point) -> Result<Self, String> {
        let levels: BindLevels = match point.bind.as_str() {
            "" => "false".parse()?,
            bind => bind.parse()?,
        };
        let cpu_sets: Option<CpuSetSpec> = match point.cpu_sets.as_str() {
            "" | "none" => None,
            cpu_sets => Some(cpu_sets.parse()?),
        };
        let inner = levels
            .inner
            .map(|InnerBind { bind, threads }| InnerTeams { bind, threads: threads.unwrap_or(1) });
        let placement = Placement::new(cpu_sets.as_ref(), Some(levels.outer));
        match inner {
            Some(inner) if !point.threads.is_multiple_of(inner.threads) => {
                Err(format!("{} threads are no teams of {}", point.threads, inner.threads))
            }
            inner => Ok(TeamLayout { threads: point.threads, placement, inner }),
        }
    }

    /// Number of threads of the outer team and of each inner one.
    pub fn shape(&self) -> [usize; 2] {
        let inner = self.inner.map_or(1, |inner| inner.threads);
        [self.threads / inner, inner]
    }

    /// Name of the binding in records: `close`, or `spread+primary(4)` of nested teams.
    pub fn bind_name(&self) -> String {
        let inner = self
            .inner
            .map(|InnerTeams { bind, threads }| InnerBind { bind, threads: Some(threads) });
        BindLevels { outer: self.placement.bind(), inner }.to_string()
    }

    /// CPUs of each thread, team by team; `None` if threads are not bound.
    ///
    /// # Errors
    /// If the CPU sets don't exist.
    pub fn cpus(
        &self,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Option<Vec<CpuSet>>, PlacementError> {
        match self.inner {
            None => self.placement.cpus(self.threads, topology, mask),
            Some(inner) => self.placement.cpus_of_nested(self.shape(), inner.bind, topology, mask),
        }
    }
}

impl fmt::Display for TeamLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.inner.is_none() {
            return self.placement.fmt(f);
        }
        write!(f, "places {}, bind {}", self.placement.cpu_sets_name(), self.bind_name())
    }
}

/// Largest divisor of `number` that is not larger than `max`.
fn largest_divisor(number: usize, max: usize) -> usize {
    let candidates = (1..=max.clamp(1, number.max(1))).rev();
    candidates.into_iter().find(|&part| number.is_multiple_of(part)).unwrap_or(1)
}

/// The values, or a single missing one.
fn optional<T>(values: &[T]) -> Vec<Option<&T>> {
    let values: Vec<_> = values.iter().map(Some).collect();
    if values.is_empty() { vec![None] } else { values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::placement::{CpuSetKind, Placement};

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

    /// Layouts for flags, of a variant with at most `nested` outer threads.
    fn layouts(threads: &str, bind: &str, nested: Option<usize>) -> Vec<(usize, String)> {
        let settings = Settings {
            threads: threads
                .split(',')
                .map(crate::request::values::thread_counts)
                .collect::<Result<_, _>>()
                .expect("numbers"),
            binds: bind
                .split(',')
                .filter(|text| !text.is_empty())
                .map(str::parse)
                .collect::<Result<_, _>>()
                .expect("policies"),
            ..Settings::default()
        };
        let all = TeamLayout::all(&settings, nested).into_iter();
        all.map(|layout| (layout.shape()[0], layout.bind_name())).collect()
    }

    #[test]
    fn combinations_are_there_once() {
        let cpu_sets = [CpuSetKind::Cores, CpuSetKind::Sockets].map(CpuSetSpec::all);
        let bind = |text: &str| text.parse::<BindLevels>().expect("known");
        let binds = [bind("false"), bind("close"), bind("close+spread")];
        let placements = |cpu_sets: &[CpuSetSpec], binds: &[BindLevels]| {
            let settings = Settings {
                cpu_sets: cpu_sets.to_vec(),
                binds: binds.to_vec(),
                ..Settings::default()
            };
            let all = TeamLayout::all(&settings, None).into_iter();
            all.map(|layout| layout.placement).collect::<Vec<_>>()
        };
        let all = placements(&cpu_sets, &binds);
        assert_eq!(all.len(), 3, "{all:?}");
        assert_eq!(placements(&[], &[]), [Placement::None]);
        assert_eq!(placements(&cpu_sets, &[]).len(), 2);
    }

    #[test]
    fn variants_with_one_level_use_the_outer_policy() {
        let flat = |threads, bind| layouts(threads, bind, None);
        assert_eq!(flat("48", "spread+primary"), [(48, "spread".to_owned())]);
        assert_eq!(flat("12x4", "spread,spread+close"), [(48, "spread".to_owned())]);
        assert_eq!(flat("12x4", ""), [(48, "false".to_owned())]);
    }

    #[test]
    fn nested_teams_have_the_specified_size_or_fill_the_outer_one() {
        let nested = |threads, bind| layouts(threads, bind, Some(36)).remove(0);
        for (threads, bind, outer, name) in [
            ("2", "spread+primary", 2, "spread+primary"),
            ("12x4", "spread+primary", 12, "spread+primary(4)"),
            ("48", "spread+close(2)", 24, "spread+close(2)"),
            ("12x4", "", 12, "false+false(4)"),
            ("12x4", "close", 12, "close+close(4)"),
            ("128", "", 128, "false"),
            ("128", "false+false", 32, "false+false(4)"),
            ("144", "spread+primary", 36, "spread+primary(4)"),
            ("37", "spread+close", 1, "spread+close(37)"),
        ] {
            assert_eq!(nested(threads, bind), (outer, name.to_owned()), "{threads} {bind}");
        }
    }

    #[test]
    fn layouts_survive_a_round_trip() {
        let point = |threads, cpu_sets: &str, bind: &str| Point {
            threads,
            cpu_sets: cpu_sets.into(),
            bind: bind.into(),
            ..Point::default()
        };
        for (cpu_sets, bind) in [("none", "false"), ("cores", "close"), ("cores", "spread+primary")]
        {
            let layout = TeamLayout::from_point(&point(8, cpu_sets, bind)).expect(bind);
            assert_eq!((layout.shape(), layout.bind_name()), ([8, 1], bind.to_owned()));
        }
        let nested = TeamLayout::from_point(&point(8, "none", "false+false(4)")).expect("nested");
        assert_eq!((nested.shape(), nested.placement), ([2, 4], Placement::None));
        assert!(TeamLayout::from_point(&point(7, "none", "false+false(4)")).is_err());
    }
}
