//! CPU sets: sets of CPUs that share a resource or are listed explicitly.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use text::Untrusted;

use super::PlacementError;
use crate::platform::Topology;

/// CPUs that a thread may use, in ascending order.
pub type CpuSet = Vec<usize>;

/// Specification of CPU sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CpuSetSpec {
    /// One set per resource of a kind: `cores`, or the first four: `cores(4)`.
    Each {
        /// Kind of resource.
        kind: CpuSetKind,
        /// Maximum number of sets.
        count: Option<usize>,
    },
    /// Sets given by their CPUs: `{0:4},{4:4}`.
    Explicit {
        /// CPUs of each set.
        cpu_sets: Vec<CpuSet>,
        /// Text as specified.
        text: String,
    },
}

/// Resource that the CPUs of a set share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuSetKind {
    /// None: a single hardware thread.
    Threads,
    /// A core.
    Cores,
    /// A last-level cache.
    LlCaches,
    /// A NUMA domain.
    NumaDomains,
    /// A socket.
    Sockets,
}

const KINDS: [(&str, CpuSetKind); 5] = [
    ("threads", CpuSetKind::Threads),
    ("cores", CpuSetKind::Cores),
    ("ll_caches", CpuSetKind::LlCaches),
    ("numa_domains", CpuSetKind::NumaDomains),
    ("sockets", CpuSetKind::Sockets),
];

/// Maximum number of sets and of CPUs in an explicit list.
const MAX_LISTED: usize = 1 << 16;

impl CpuSetSpec {
    /// One set per resource of a kind.
    pub fn all(kind: CpuSetKind) -> Self {
        CpuSetSpec::Each { kind, count: None }
    }

    /// Resolves the specification to sets of the CPUs in `mask`.
    ///
    /// # Errors
    /// If there are fewer sets, or a CPU is not in the mask.
    pub fn resolve(
        &self,
        topology: &Topology,
        mask: &[usize],
    ) -> Result<Vec<CpuSet>, PlacementError> {
        match self {
            CpuSetSpec::Explicit { cpu_sets, text } => {
                check_mask(cpu_sets, text, mask)?;
                Ok(cpu_sets.clone())
            }
            CpuSetSpec::Each { kind, count } => {
                let mut cpu_sets = of_kind(*kind, topology, mask);
                let wanted = count.unwrap_or(cpu_sets.len());
                if wanted > cpu_sets.len() || cpu_sets.is_empty() {
                    let found = cpu_sets.len();
                    let problem = format!("--places {self}: there are {found} {kind} to be used");
                    return Err(PlacementError(problem));
                }
                cpu_sets.truncate(wanted);
                Ok(cpu_sets)
            }
        }
    }
}

fn check_mask(cpu_sets: &[CpuSet], text: &str, mask: &[usize]) -> Result<(), PlacementError> {
    let outside = cpu_sets.iter().flatten().find(|cpu| !mask.contains(cpu));
    outside.map_or(Ok(()), |cpu| {
        let usable = list(mask);
        let problem = format!("--places {text}: this process may not use CPU {cpu}, but {usable}");
        Err(PlacementError(problem))
    })
}

/// CPUs of the mask, grouped by the resource that they share; neighbours are adjacent.
fn of_kind(kind: CpuSetKind, topology: &Topology, mask: &[usize]) -> Vec<CpuSet> {
    let mut groups = BTreeMap::<[usize; 4], CpuSet>::new();
    let cpus = topology.cpus.iter();
    for cpu in cpus.filter(|cpu| mask.contains(&cpu.number)) {
        let cache = topology.last_level_cache(cpu.number);
        let shared = match kind {
            CpuSetKind::Threads => [cpu.package, cpu.node, cpu.core, cpu.number],
            CpuSetKind::Cores => [cpu.package, cpu.node, cpu.core, 0],
            CpuSetKind::LlCaches => [cpu.package, cache, 0, 0],
            CpuSetKind::NumaDomains => [cpu.node, 0, 0, 0],
            CpuSetKind::Sockets => [cpu.package, 0, 0, 0],
        };
        groups.entry(shared).or_default().push(cpu.number);
    }
    groups.into_values().collect()
}

/// CPUs as a list of ranges: `0-3,8`.
pub(crate) fn list(cpus: &[usize]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b);
    let range = |run: &[usize]| match run {
        [only] => only.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(range).collect::<Vec<_>>().join(",")
}

impl fmt::Display for CpuSetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| kind == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl fmt::Display for CpuSetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CpuSetSpec::Each { kind, count: None } => write!(f, "{kind}"),
            CpuSetSpec::Each { kind, count: Some(count) } => write!(f, "{kind}({count})"),
            CpuSetSpec::Explicit { text, .. } => f.write_str(text),
        }
    }
}

impl FromStr for CpuSetSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with('{') {
            let cpu_sets = explicit(text).ok_or_else(|| {
                format!("{} is not a list of places such as {{0:4}},{{4:4}}", text.quoted())
            })?;
            let text = text.to_owned();
            return Ok(CpuSetSpec::Explicit { cpu_sets, text });
        }
        let (name, count) = match text.split_once('(') {
            None => (text, None),
            Some((name, rest)) => (name, rest.strip_suffix(')').map(str::parse::<usize>)),
        };
        let kind = KINDS.iter().find(|(known, _)| *known == name);
        match (kind, count) {
            (Some(&(_, kind)), None) if !text.contains('(') => Ok(CpuSetSpec::all(kind)),
            (Some(&(_, kind)), Some(Ok(count))) if count > 0 => {
                let count = Some(count);
                Ok(CpuSetSpec::Each { kind, count })
            }
            _ => {
                let known: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
                let known = known.join(", ");
                Err(format!(
                    "unknown places {}; there are {known}, a number of them such as cores(4), and \
                     lists such as {{0:4}},{{4:4}}",
                    text.quoted()
                ))
            }
        }
    }
}

/// Parses `{0,1,2}`, `{0:4}` (first CPU and count), `{0:4:2}` (with a stride), and `{0:4}:3:8`
/// (three such sets, at a stride of 8 CPUs).
fn explicit(text: &str) -> Option<Vec<CpuSet>> {
    let mut cpu_sets = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (inside, after) = rest.strip_prefix('{')?.split_once('}')?;
        let set = cpus(inside)?;
        let (repeat, after) = after.split_once(',').unwrap_or((after, ""));
        let (count, stride) = repetition(repeat, set.len())?;
        for i in 0..count {
            cpu_sets.push(set.iter().map(|cpu| cpu + i * stride).collect());
        }
        if cpu_sets.len() > MAX_LISTED || (after.is_empty() && rest.ends_with(',')) {
            return None;
        }
        rest = after.trim_start();
    }
    (!cpu_sets.is_empty()).then_some(cpu_sets)
}

/// Parses `:3:8`, `:3`, or nothing for a single one.
fn repetition(text: &str, default_stride: usize) -> Option<(usize, usize)> {
    if text.trim().is_empty() {
        return Some((1, 0));
    }
    match numbers(text.trim().strip_prefix(':')?)?[..] {
        [count] if count <= MAX_LISTED => Some((count, default_stride)),
        [count, stride] if count <= MAX_LISTED && stride <= MAX_LISTED => Some((count, stride)),
        _ => None,
    }
}

/// Parses `0:4:2`.
fn numbers(text: &str) -> Option<Vec<usize>> {
    let numbers = text.split(':').map(|number| number.trim().parse().ok());
    numbers.collect()
}

fn cpus(text: &str) -> Option<CpuSet> {
    let mut cpus = CpuSet::new();
    for interval in text.split(',') {
        let (first, count, stride) = match numbers(interval)?[..] {
            [first] => (first, 1, 1),
            [first, count] => (first, count, 1),
            [first, count, stride] => (first, count, stride),
            _ => return None,
        };
        if first > MAX_LISTED || count > MAX_LISTED || stride > MAX_LISTED || count == 0 {
            return None;
        }
        cpus.extend((0..count).map(|i| first + i * stride));
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> CpuSetSpec {
        text.parse().expect(text)
    }

    fn explicit_cpu_sets(text: &str) -> Vec<CpuSet> {
        match parsed(text) {
            CpuSetSpec::Explicit { cpu_sets, .. } => cpu_sets,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn lists_are_read_as_openmp_writes_them() {
        assert_eq!(explicit_cpu_sets("{0:4},{4:4}"), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(explicit_cpu_sets("{0,2,1}"), [[0, 1, 2]]);
        assert_eq!(explicit_cpu_sets("{0:2:4}"), [[0, 4]]);
        assert_eq!(explicit_cpu_sets("{0:2}:3:4"), [[0, 1], [4, 5], [8, 9]]);
        assert_eq!(explicit_cpu_sets("{0:2}:2"), [[0, 1], [2, 3]]);
        assert_eq!(explicit_cpu_sets("{3}, {1}"), [[3], [1]]);
    }

    #[test]
    fn names_survive_a_round_trip() {
        let kinds = KINDS.map(|(name, _)| name);
        for text in kinds.into_iter().chain(["cores(4)", "{0:4},{4:4}"]) {
            assert_eq!(parsed(text).to_string(), text);
        }
    }

    #[test]
    fn invalid_cpu_sets_are_refused() {
        let senseless =
            "|dies|cores(0)|cores(x)|cores(|{|{}|{a}|{0:}|{0},|{0:0}|{0}:x|{0:99999999}";
        for text in senseless.split('|') {
            assert!(text.parse::<CpuSetSpec>().is_err(), "{text}");
        }
        let error = "dies".parse::<CpuSetSpec>().expect_err("unknown");
        assert!(error.contains("ll_caches, numa_domains"), "{error}");
    }

    #[test]
    fn cpus_are_listed_as_ranges() {
        assert_eq!(list(&[0, 1, 2, 8, 10, 11]), "0-2,8,10-11");
    }
}
