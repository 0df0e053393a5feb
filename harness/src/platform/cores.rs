//! Kinds of cores of CPUs with fast and slow cores, and clock settings: governor, preference and
//! turbo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::sysfs;

/// Minimum ratio of maximum clocks within a kind: some cores of a kind are allowed slightly higher
/// clocks than others.
const SAME_KIND: f64 = 0.85;

/// Counting units of CPUs by Intel with cores of two kinds, as the kernel names them, and the kinds.
const UNITS: [(&str, &str); 2] = [("cpu_core", "performance"), ("cpu_atom", EFFICIENCY)];
/// The kind of the smaller cores.
const EFFICIENCY: &str = "efficiency";

/// Counting unit of the cores of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountingUnit {
    /// Type of its events in the kernel.
    pub(super) number: u32,
    /// True for the smaller cores.
    pub(super) is_of_efficiency_cores: bool,
}

/// The counting units of a CPU with cores of two kinds; none for others, which have one. `sys` is
/// `/sys` except in tests.
pub(super) fn counting_units(sys: &Path) -> Vec<CountingUnit> {
    let unit = |(unit, kind): (&str, &str)| {
        let number = sysfs::number(&sys.join("devices").join(unit).join("type"))?;
        Some(CountingUnit { number, is_of_efficiency_cores: kind == EFFICIENCY })
    };
    UNITS.into_iter().map(unit).collect::<Option<_>>().unwrap_or_default()
}

/// CPUs of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreKind {
    /// CPUs in ascending order.
    pub cpus: Vec<usize>,
    /// Name: `performance`, `efficiency`, or the capacity relative to the fastest.
    pub name: String,
    /// Highest clock in MHz, if known.
    pub max_mhz: Option<u64>,
}

/// Kinds of these CPUs, the fastest first; one kind if there is no information. `sys` is `/sys`
/// except in tests.
pub fn core_kinds(sys: &Path, cpus: &[usize]) -> Vec<CoreKind> {
    let of_unit = UNITS.iter().filter_map(|(unit, name)| {
        let of_unit = sysfs::cpus(&sys.join("devices").join(unit).join("cpus"))?;
        let used: Vec<usize> = cpus.iter().copied().filter(|cpu| of_unit.contains(cpu)).collect();
        (!used.is_empty()).then(|| kind(sys, used, (*name).to_owned()))
    });
    let of_units: Vec<CoreKind> = of_unit.collect();
    if of_units.iter().map(|kind| kind.cpus.len()).sum::<usize>() == cpus.len() {
        return of_units;
    }
    by_capacity(sys, cpus)
}

/// Groups CPUs by the scheduler's capacity, or else by their highest clocks.
fn by_capacity(sys: &Path, cpus: &[usize]) -> Vec<CoreKind> {
    let folder = |cpu: usize| sys.join(format!("devices/system/cpu/cpu{cpu}"));
    let capacity = |cpu: usize| sysfs::number::<u64>(&folder(cpu).join("cpu_capacity"));
    let value = |cpu: usize| capacity(cpu).or_else(|| max_khz(sys, cpu)).unwrap_or(0);
    let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for &cpu in cpus {
        let value = value(cpu);
        let near = groups.keys().copied().find(|&known| {
            let low = known.min(value);
            let high = known.max(value);
            high == 0 || low as f64 >= SAME_KIND * high as f64
        });
        groups.entry(near.unwrap_or(value)).or_default().push(cpu);
    }
    let max_capacity = groups.keys().next_back().copied().unwrap_or(0).max(1);
    let kinds = groups.into_iter().rev();
    kinds
        .map(|(value, cpus)| {
            kind(sys, cpus, format!("capacity {:.2}", value as f64 / max_capacity as f64))
        })
        .collect()
}

fn kind(sys: &Path, cpus: Vec<usize>, name: String) -> CoreKind {
    let clocks = cpus.iter().filter_map(|&cpu| max_khz(sys, cpu));
    CoreKind { max_mhz: clocks.max().map(|khz| khz / 1000), cpus, name }
}

fn max_khz(sys: &Path, cpu: usize) -> Option<u64> {
    sysfs::number(&sys.join(format!("devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq")))
}

/// A note for CPUs of several kinds; `None` for those of one kind.
pub fn mixed_kinds(kinds: &[CoreKind]) -> Option<String> {
    if kinds.len() < 2 {
        return None;
    }
    let words = kinds.iter().map(|kind| {
        let clock = kind.max_mhz.map(|mhz| format!(" at up to {:.1} GHz", mhz as f64 / 1000.0));
        format!("{} {}{}", kind.cpus.len(), kind.name, clock.unwrap_or_default())
    });
    Some(format!(
        "the usable CPUs are of {} kinds ({}): times depend on which of them are used; choose CPUs \
         of one kind with --places",
        kinds.len(),
        words.collect::<Vec<_>>().join(", ")
    ))
}

/// Settings of the CPUs in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Frequency {
    /// Governors, each once, joined by `+`: `performance+powersave`.
    pub(super) governor: Option<String>,
    /// Energy performance preferences (EPP), each once, joined by `+`.
    pub(super) preference: Option<String>,
    /// True if clocks above the nominal one are allowed.
    pub(super) turbo: Option<bool>,
    /// Lowest and highest frequency that is allowed to any of them, in MHz.
    pub(super) limits_mhz: Option<[f64; 2]>,
}

impl Frequency {
    /// Settings of these CPUs below `sys`, which is `/sys` except in tests.
    pub(super) fn read(sys: &Path, cpus: &[usize]) -> Self {
        let base = sys.join("devices/system/cpu");
        let of_all = |name: &str| {
            let files = cpus.iter().map(|cpu| base.join(format!("cpu{cpu}/cpufreq/{name}")));
            let texts: BTreeSet<String> = files.filter_map(|file| sysfs::text(&file)).collect();
            let joined = texts.into_iter().collect::<Vec<_>>().join("+");
            (!joined.is_empty()).then_some(joined)
        };
        let number = |name: &str| sysfs::number::<u8>(&base.join(name));
        let boost = number("cpufreq/boost").map(|boost| boost == 1);
        let turbo = number("intel_pstate/no_turbo").map(|no_turbo| no_turbo == 0);
        let khz = |name: &str| {
            let files = cpus.iter().map(|cpu| base.join(format!("cpu{cpu}/cpufreq/{name}")));
            files.filter_map(|file| sysfs::number::<u64>(&file)).collect::<BTreeSet<_>>()
        };
        let lowest = khz("scaling_min_freq").first().copied();
        let limits = lowest.zip(khz("scaling_max_freq").last().copied());
        Frequency {
            limits_mhz: limits.map(|(min, max)| [min, max].map(|khz| khz as f64 / 1000.0)),
            governor: of_all("scaling_governor"),
            preference: of_all("energy_performance_preference"),
            turbo: turbo.or(boost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::control_groups::tests::root;

    #[test]
    fn hybrid_cpus_of_intel_have_two_units() {
        let sys = root(&[
            ("devices/cpu_core/cpus", "0-3\n"),
            ("devices/cpu_core/type", "4\n"),
            ("devices/cpu_atom/cpus", "4-7\n"),
            ("devices/cpu_atom/type", "10\n"),
            ("devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "5200000\n"),
            ("devices/system/cpu/cpu4/cpufreq/cpuinfo_max_freq", "3900000\n"),
        ]);
        let kinds = core_kinds(sys.path(), &[0, 1, 4, 5, 6]);
        let found: Vec<_> = kinds.iter().map(|it| (&*it.name, it.cpus.len(), it.max_mhz)).collect();
        assert_eq!(found, [("performance", 2, Some(5200)), ("efficiency", 3, Some(3900))]);
        let note = mixed_kinds(&kinds).expect("two kinds");
        assert!(
            note.contains("2 performance at up to 5.2 GHz, 3 efficiency at up to 3.9"),
            "{note}"
        );
        assert_eq!(mixed_kinds(&core_kinds(sys.path(), &[4, 5])), None);
        let units = counting_units(sys.path());
        let units: Vec<_> = units.iter().map(|it| (it.number, it.is_of_efficiency_cores)).collect();
        assert_eq!(units, [(4, false), (10, true)]);
        assert!(counting_units(root(&[("devices/cpu/type", "4\n")]).path()).is_empty());
    }

    #[test]
    fn kinds_differ_by_capacity_or_clock() {
        let arm = root(&[
            ("devices/system/cpu/cpu0/cpu_capacity", "446\n"),
            ("devices/system/cpu/cpu1/cpu_capacity", "446\n"),
            ("devices/system/cpu/cpu2/cpu_capacity", "1024\n"),
        ]);
        let kinds = core_kinds(arm.path(), &[0, 1, 2]);
        let found: Vec<_> = kinds.iter().map(|kind| (&*kind.name, &kind.cpus[..])).collect();
        assert_eq!(found, [("capacity 1.00", &[2][..]), ("capacity 0.44", &[0, 1])]);
        let clocks = |second: &str| {
            let sys = root(&[
                ("devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "5000000"),
                ("devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", second),
            ]);
            core_kinds(sys.path(), &[0, 1]).len()
        };
        assert_eq!([clocks("4900000"), clocks("3800000")], [1, 2]);
        assert_eq!(core_kinds(root(&[]).path(), &[0, 1]).len(), 1);
    }

    #[test]
    fn the_cpus_that_are_used_count() {
        let sys = root(&[
            ("devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
            ("devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n"),
            ("devices/system/cpu/cpu3/cpufreq/energy_performance_preference", "power\n"),
            ("devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("devices/system/cpu/cpu2/cpufreq/scaling_min_freq", "800000\n"),
            ("devices/system/cpu/cpu2/cpufreq/scaling_max_freq", "2400000\n"),
            ("devices/system/cpu/cpu3/cpufreq/scaling_max_freq", "3900500\n"),
        ]);
        let governor = |cpus: &[usize]| Frequency::read(sys.path(), cpus).governor;
        assert_eq!(governor(&[2]).as_deref(), Some("performance"));
        assert_eq!(governor(&[2, 3, 7]).as_deref(), Some("performance+schedutil"));
        assert_eq!(governor(&[7]), None);
        let found = Frequency::read(sys.path(), &[2, 3]);
        assert_eq!((found.preference.as_deref(), found.turbo), (Some("power"), Some(false)));
        assert_eq!(found.limits_mhz, Some([800.0, 3900.5]));
        let boost = root(&[("devices/system/cpu/cpufreq/boost", "1\n")]);
        assert_eq!(Frequency::read(boost.path(), &[0]).turbo, Some(true));
    }
}
