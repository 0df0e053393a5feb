//! Placement of threads as in OpenMP.
//!
//! A CPU set contains CPUs that this process may use. A binding assigns each thread of a team to a
//! set, by its index. (OpenMP 5.2: `OMP_PLACES` in 21.1.6, the policies in 10.1.3.)

mod cpu_sets;

use std::fmt;
use std::str::FromStr;

use text::Untrusted;

use super::Topology;
pub(crate) use cpu_sets::list;
pub use cpu_sets::{CpuSet, CpuSetKind, CpuSetSpec};

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
    pub(crate) fn cpus_of_nested(
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

/// A binding policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bind {
    /// Threads are not bound.
    False,
    /// All threads use the CPU set of the primary one.
    Primary,
    /// Threads use neighbouring CPU sets.
    Close,
    /// Threads are as far apart as possible.
    Spread,
}

const NAMES: [(&str, Bind); 4] = [
    ("false", Bind::False),
    ("close", Bind::Close),
    ("spread", Bind::Spread),
    ("primary", Bind::Primary),
];

/// A policy for each level of teams: `close`, or of nested ones `spread+primary`, the outer one
/// first. `spread+primary(4)` also specifies the number of threads of each inner team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindLevels {
    /// Policy of the outer team.
    pub outer: Bind,
    /// Policy of the inner teams.
    pub inner: Option<InnerBind>,
}

/// Policy of inner teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerBind {
    /// Binding of their threads.
    pub bind: Bind,
    /// Number of threads of each; `None` if not specified.
    pub threads: Option<usize>,
}

/// CPU set index of each thread of a team. The primary thread uses the first set.
pub fn assign(cpu_sets: usize, threads: usize, bind: Bind) -> Vec<usize> {
    match bind {
        Bind::False | Bind::Primary => vec![0; threads],
        Bind::Close if threads <= cpu_sets => (0..threads).collect(),
        // CPU sets are divided into one part per thread, of which the thread gets the first.
        Bind::Spread if threads <= cpu_sets => {
            let cut = |part| part * cpu_sets / threads;
            (0..threads).map(cut).collect()
        }
        // With more threads than CPU sets, threads with consecutive indices share one, in groups of
        // about the same size.
        Bind::Close | Bind::Spread => {
            let each = threads / cpu_sets;
            let more = threads % cpu_sets;
            let threads_of_set = |set| std::iter::repeat_n(set, each + usize::from(set < more));
            (0..cpu_sets).flat_map(threads_of_set).collect()
        }
    }
}

/// CPU set index of each thread of nested teams, team by team. The first thread of each inner team is
/// uses the set of its thread of the outer team. With `spread`, inner teams stay within its part of
/// the sets; otherwise they use all of them, starting with that set.
pub fn assign_nested(
    cpu_sets: usize,
    [outer, inner]: [usize; 2],
    [bind, bind_inner]: [Bind; 2],
) -> Vec<usize> {
    let of_team = |(team, first): (usize, usize)| {
        let part = match bind {
            Bind::Spread if outer <= cpu_sets => first..(team + 1) * cpu_sets / outer,
            Bind::Spread => first..first + 1,
            Bind::False | Bind::Primary | Bind::Close => 0..cpu_sets,
        };
        let from = first - part.start;
        let own = assign(part.len(), inner, bind_inner).into_iter();
        own.map(move |set| part.start + (from + set) % part.len())
    };
    assign(cpu_sets, outer, bind).into_iter().enumerate().flat_map(of_team).collect()
}

impl fmt::Display for BindLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.outer)?;
        match self.inner {
            None => Ok(()),
            Some(InnerBind { bind, threads: None | Some(1) }) => write!(f, "+{bind}"),
            Some(InnerBind { bind, threads: Some(threads) }) => write!(f, "+{bind}({threads})"),
        }
    }
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, bind)| bind == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Bind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bind = NAMES.iter().find(|(name, _)| *name == text);
        bind.map(|(_, bind)| *bind).ok_or_else(|| {
            format!("unknown binding {}; there are false, close, spread and primary", text.quoted())
        })
    }
}

impl FromStr for BindLevels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((outer, inner)) = text.split_once('+') else {
            return Ok(BindLevels { outer: text.parse()?, inner: None });
        };
        if inner.contains('+') {
            return Err(format!("{} has more than two levels of teams", text.quoted()));
        }
        let (bind, threads) = match inner.split_once('(') {
            None => (inner, None),
            Some((bind, rest)) => {
                let count = rest.strip_suffix(')').and_then(|count| count.parse().ok());
                let inner = inner.quoted();
                let wrong = || format!("{inner} has no number of threads, such as primary(4)");
                (bind, Some(count.filter(|&count| count > 0).ok_or_else(wrong)?))
            }
        };
        let inner = InnerBind { bind: bind.parse()?, threads };
        Ok(BindLevels { outer: outer.parse()?, inner: Some(inner) })
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

    #[test]
    fn close_and_spread_assign_cpu_sets_in_order() {
        for (cpu_sets, threads, bind, expected) in [
            (8, 4, Bind::Close, &[0, 1, 2, 3][..]),
            (2, 2, Bind::Close, &[0, 1]),
            (8, 4, Bind::Spread, &[0, 2, 4, 6]),
            (8, 3, Bind::Spread, &[0, 2, 5]),
            (8, 3, Bind::Primary, &[0, 0, 0]),
            (2, 4, Bind::Close, &[0, 0, 1, 1]),
            (2, 5, Bind::Spread, &[0, 0, 0, 1, 1]),
            (3, 7, Bind::Close, &[0, 0, 0, 1, 1, 2, 2]),
        ] {
            assert_eq!(assign(cpu_sets, threads, bind), expected, "{bind}");
        }
        let crowded = assign(128, 144, Bind::Close);
        let some = [crowded[31], crowded[32], crowded[143]];
        assert_eq!((crowded.len(), some), (144, [15, 16, 127]));
    }

    #[test]
    fn policies_survive_a_round_trip() {
        for (name, bind) in NAMES {
            assert_eq!(name.parse(), Ok(bind));
            assert_eq!(bind.to_string(), name);
        }
        assert!("master".parse::<Bind>().is_err());
        for name in ["close", "spread+primary", "false+false(4)"] {
            assert_eq!(name.parse::<BindLevels>().expect(name).to_string(), name);
        }
        for wrong in ["spread+", "spread+close+close", "spread+close(0)", "spread+close(4"] {
            assert!(wrong.parse::<BindLevels>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn inner_teams_stay_where_openmp_lets_them() {
        use Bind::{Close, Primary, Spread};
        for (cpu_sets, threads, binds, expected) in [
            (2, [2, 3], [Spread, Primary], &[0, 0, 0, 1, 1, 1][..]),
            (8, [2, 4], [Spread, Close], &[0, 1, 2, 3, 4, 5, 6, 7]),
            (8, [2, 2], [Spread, Spread], &[0, 2, 4, 6]),
            (8, [2, 2], [Close, Close], &[0, 1, 1, 2]),
            (4, [2, 2], [Primary, Spread], &[0, 2, 0, 2]),
            (2, [3, 2], [Spread, Close], &[0, 0, 0, 0, 1, 1]),
            (4, [2, 3], [Spread, Close], &[0, 0, 1, 2, 2, 3]),
        ] {
            assert_eq!(assign_nested(cpu_sets, threads, binds), expected, "{binds:?}");
        }
    }
}
