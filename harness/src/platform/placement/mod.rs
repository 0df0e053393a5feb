//! Placement of threads as in OpenMP.
//!
//! A CPU set contains CPUs that this process may use. A binding assigns each thread of a team to a
//! set, by its index. (OpenMP 5.2: `OMP_PLACES` in 21.1.6, the policies in 10.1.3.)

mod bind;
mod cpu_sets;

use std::fmt;

pub use bind::{Bind, BindLevels, InnerBind, assign, assign_nested};
pub(crate) use cpu_sets::list;
pub use cpu_sets::{CpuSet, CpuSetKind, CpuSetSpec};

use super::Topology;

/// Placement of the threads of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Threads are not bound.
    None,
    /// Threads are bound to CPU sets.
    Bound {
        /// CPU sets as specified by the user.
        cpu_sets: CpuSetSpec,
        /// Policy for assigning threads to CPU sets.
        bind: Bind,
    },
}

/// Error: a placement that is not possible here, with what is available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlacementError(pub String);

impl Placement {
    /// Combines two flags, either of which may be missing: the default binding to CPU sets is close,
    /// the default CPU sets of a binding are cores.
    pub fn new(cpu_sets: Option<&CpuSetSpec>, bind: Option<Bind>) -> Self {
        match (cpu_sets, bind) {
            (None, None) | (_, Some(Bind::False)) => Placement::None,
            (cpu_sets, bind) => Placement::Bound {
                cpu_sets: cpu_sets.cloned().unwrap_or(CpuSetSpec::all(CpuSetKind::Cores)),
                bind: bind.unwrap_or(Bind::Close),
            },
        }
    }

    /// Name of the CPU sets in records: `none` without any.
    pub fn cpu_sets_name(&self) -> String {
        match self {
            Placement::None => "none".to_owned(),
            Placement::Bound { cpu_sets, .. } => cpu_sets.to_string(),
        }
    }

    /// Binding policy: `false` without CPU sets.
    pub fn bind(&self) -> Bind {
        match self {
            Placement::None => Bind::False,
            Placement::Bound { bind, .. } => *bind,
        }
    }

    /// CPUs of each thread of a team; `None` if threads are not bound.
    ///
    /// # Errors
    /// If the CPU sets don't exist.
    pub fn cpus(
        &self,
        threads: usize,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Option<Vec<CpuSet>>, PlacementError> {
        self.assigned(topology, mask, |cpu_sets, bind| assign(cpu_sets, threads, bind))
    }

    /// CPUs of each thread of nested teams, team by team; `None` if threads are not bound.
    ///
    /// # Errors
    /// If the CPU sets don't exist.
    pub fn cpus_of_nested(
        &self,
        threads: [usize; 2],
        inner: Bind,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Option<Vec<CpuSet>>, PlacementError> {
        self.assigned(topology, mask, |cpu_sets, bind| {
            assign_nested(cpu_sets, threads, [bind, inner])
        })
    }

    fn assigned(
        &self,
        topology: &Topology,
        mask: &[usize],
        assign: impl FnOnce(usize, Bind) -> Vec<usize>,
    ) -> Result<Option<Vec<CpuSet>>, PlacementError> {
        let Placement::Bound { cpu_sets, bind } = self else {
            return Ok(None);
        };
        let cpu_sets = cpu_sets.resolve(topology, mask)?;
        let indices = assign(cpu_sets.len(), *bind);
        let cpu_set = |index: usize| cpu_sets[index].clone();
        Ok(Some(indices.into_iter().map(cpu_set).collect()))
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::None => f.write_str("not placed"),
            Placement::Bound { cpu_sets, bind } => write!(f, "places {cpu_sets}, bind {bind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_has_a_default() {
        let sockets = &CpuSetSpec::all(CpuSetKind::Sockets);
        for (cpu_sets, bind, expected) in [
            (None, None, "not placed"),
            (Some(sockets), Some(Bind::False), "not placed"),
            (Some(sockets), None, "places sockets, bind close"),
            (None, Some(Bind::Spread), "places cores, bind spread"),
        ] {
            assert_eq!(Placement::new(cpu_sets, bind).to_string(), expected);
        }
        assert_eq!(Placement::None.cpu_sets_name(), "none");
        assert_eq!(Placement::None.bind().to_string(), "false");
    }
}
