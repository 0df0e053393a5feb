//! Teams of threads of a session, each started once for all jobs, and their cache flushes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reports::record::Bandwidth;
use reports::units;
use tasks::device::{Team, TeamError};

use super::ceilings::measure_bandwidth;
use super::probe::{self, ClockBaseline};
use crate::plan::{TeamLayout, TeamSpec};
use crate::platform::counters::{self, Counting};
use crate::platform::placement::Placement;
use crate::platform::{CoreKind, core_kinds, current_cpu, usable_cpus};

/// Probes of each worker before the first sample, for the usual values.
const FIRST_PROBES: usize = 100;

/// Bytes written to empty caches, in multiples of the last-level cache: enough to displace
/// everything if replacement is not strictly by age.
const TIMES: u64 = 2;
/// Bytes written if no cache size is known.
const UNKNOWN_CACHE_BYTES: u64 = 64 << 20;
const LINE: usize = 64;

/// All teams.
pub(super) struct Teams(Vec<(TeamSpec, TeamState)>);

/// A team with its probes, counters and bandwidth.
pub(super) struct TeamState {
    pub(super) team: Team,
    pub(super) flush: Option<CacheFlush>,
    /// Empty until it is measured.
    pub(super) bandwidth: OnceLock<Bandwidth>,
    /// Usual probe results on its CPUs.
    pub(super) baseline: Mutex<ClockBaseline>,
    /// Hardware counters, if requested and available.
    pub(super) counting: Option<Box<dyn Counting>>,
}

impl Teams {
    /// Starts each team once.
    pub(super) fn start<'a>(specs: impl Iterator<Item = &'a TeamSpec>) -> Result<Self, TeamError> {
        let mut teams: Vec<(TeamSpec, TeamState)> = Vec::new();
        for spec in specs {
            if !teams.iter().any(|(known, _)| known == spec) {
                let team = spec.start()?;
                let state = TeamState {
                    baseline: learn(&team, &kinds(spec)).into(),
                    team,
                    flush: None,
                    bandwidth: OnceLock::new(),
                    counting: None,
                };
                teams.push((spec.clone(), state));
            }
        }
        Ok(Teams(teams))
    }

    /// Measures the bandwidth of each team, all of them within about `time` if it is limited.
    pub(super) fn measure_bandwidths(
        &self,
        cache_bytes: u64,
        time: Option<Duration>,
        report: impl Fn(&str),
    ) {
        let each = time.map(|time| time / self.0.len().max(1) as u32);
        for (spec, state) in &self.0 {
            let threads = units::counted(spec.layout.threads, "thread");
            report(&format!("measuring the bandwidth of {threads}, {}", spec.layout));
            state.bandwidth.get_or_init(|| measure_bandwidth(&state.team, cache_bytes, each));
        }
    }

    /// Allocates the buffers for emptying caches.
    pub(super) fn prepare_flushes(&mut self, cache_bytes: u64) {
        for (_, state) in &mut self.0 {
            state.flush = Some(CacheFlush::new(&state.team, cache_bytes));
        }
    }

    /// Starts the counters of all teams; returns the reason if that is not possible.
    pub(super) fn open_counters(&mut self) -> Option<String> {
        let mut note = None;
        if let Some(problem) = self.0.iter().find_map(|(spec, _)| mixed_cores(spec)) {
            return Some(format!("measured without hardware counters: {problem}"));
        }
        for (_, state) in &mut self.0 {
            match counters::open(&state.team) {
                Ok(opened) => {
                    note = note.or_else(|| opened.note());
                    state.counting = Some(opened.counting);
                }
                Err(refusal) => {
                    let teams = self.0.iter_mut();
                    teams.for_each(|(_, state)| state.counting = None);
                    return Some(format!("measured without hardware counters: {refusal}"));
                }
            }
        }
        note
    }

    /// Team of a specification.
    pub(super) fn get(&self, spec: &TeamSpec) -> &TeamState {
        let found = self.0.iter().find(|(known, _)| known == spec);
        let (_, state) = found.expect("every team of a plan was started");
        state
    }

    /// Bandwidths by device, number of threads and placement, such as `cpu/2` or
    /// `cpu/2/cores/close`.
    pub(super) fn ceilings(&self) -> BTreeMap<String, Bandwidth> {
        let named = |(spec, state): &(TeamSpec, TeamState)| {
            let TeamLayout { threads, placement, inner } = &spec.layout;
            let name = match (placement, inner) {
                (Placement::None, None) => format!("cpu/{threads}"),
                _ => {
                    let cpu_sets = placement.cpu_sets_name();
                    let bind = spec.layout.bind_name();
                    format!("cpu/{threads}/{cpu_sets}/{bind}")
                }
            };
            Some((name, *state.bandwidth.get()?))
        };
        self.0.iter().filter_map(named).collect()
    }
}

/// Reason for counters to cover only some of the cores; `None` for cores of one kind.
fn mixed_cores(spec: &TeamSpec) -> Option<String> {
    let kinds = kinds(spec).len();
    (kinds > 1).then(|| {
        format!(
            "threads may run on cores of {kinds} kinds, whose counters are not the same; choose \
             cores of one kind with --places"
        )
    })
}

/// Kinds of cores that a team may run on.
fn kinds(spec: &TeamSpec) -> Vec<CoreKind> {
    let cpus = spec.cpus.as_ref().map_or_else(usable_cpus, |cpu_sets| cpu_sets.concat());
    core_kinds(Path::new("/sys"), &cpus)
}

fn learn(team: &Team, kinds: &[CoreKind]) -> ClockBaseline {
    let probe = |_| -> Vec<_> {
        let probes = (0..FIRST_PROBES).filter_map(|_| Some((current_cpu(), probe::read()?)));
        probes.collect()
    };
    let mut baseline = ClockBaseline::new(kinds);
    for readings in team.run_on_each(probe) {
        baseline.judge(&readings);
    }
    baseline
}

/// A buffer larger than the last-level caches, with a part for each worker.
pub(super) struct CacheFlush {
    parts: Vec<Mutex<Vec<u8>>>,
}

impl CacheFlush {
    /// Creates the buffer for a team on CPUs with this number of bytes of last-level cache.
    pub(super) fn new(team: &Team, last_level_bytes: u64) -> Self {
        let bytes =
            if last_level_bytes == 0 { UNKNOWN_CACHE_BYTES } else { TIMES * last_level_bytes };
        let part = bytes as usize / team.threads();
        let parts = (0..team.threads()).map(|_| vec![0; part].into()).collect();
        CacheFlush { parts }
    }

    /// Writes every line of the buffer, each worker its part, so that private caches are emptied
    /// too.
    pub(super) fn flush(&self, team: &Team) {
        team.run_on_each(|worker| {
            let part = self.parts[worker].lock();
            let mut part = part.unwrap_or_else(PoisonError::into_inner);
            for line in part.iter_mut().step_by(LINE) {
                *line = line.wrapping_add(1);
            }
            black_box(part.as_ptr());
        });
    }
}
