//! Clock settings of CPUs: governor, preference and turbo.

use std::collections::BTreeSet;
use std::path::Path;

use super::sysfs;

/// Settings of the CPUs in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frequency {
    /// Governors, each once, joined by `+`: `performance+powersave`.
    pub(super) governor: Option<String>,
    /// Energy performance preferences (EPP), each once, joined by `+`.
    pub(super) preference: Option<String>,
    /// True if clocks above the nominal one are allowed.
    pub(super) turbo: Option<bool>,
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
        Frequency {
            governor: of_all("scaling_governor"),
            preference: of_all("energy_performance_preference"),
            turbo: turbo.or(boost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::control_groups::tests::root;
    use super::*;

    #[test]
    fn the_cpus_that_are_used_count() {
        let sys = root(&[
            ("devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
            ("devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n"),
            ("devices/system/cpu/cpu3/cpufreq/energy_performance_preference", "power\n"),
            ("devices/system/cpu/intel_pstate/no_turbo", "1\n"),
        ]);
        let governor = |cpus: &[usize]| Frequency::read(sys.path(), cpus).governor;
        assert_eq!(governor(&[2]).as_deref(), Some("performance"));
        assert_eq!(governor(&[2, 3, 7]).as_deref(), Some("performance+schedutil"));
        assert_eq!(governor(&[7]), None);
        let found = Frequency::read(sys.path(), &[2, 3]);
        assert_eq!((found.preference.as_deref(), found.turbo), (Some("power"), Some(false)));
        let boost = root(&[("devices/system/cpu/cpufreq/boost", "1\n")]);
        assert_eq!(Frequency::read(boost.path(), &[0]).turbo, Some(true));
    }
}
