//! Energy counters and power limits of processors (RAPL), through the powercap interface of Linux.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use reports::record::PowerCap;
use text::Untrusted;

use super::sysfs;

/// Folder of the processors' counters on Linux. On most systems only root may read them.
const FOLDER: &str = "/sys/class/powercap";
/// Environment variable with another folder, such as that of the host in a container.
pub(crate) const VARIABLE: &str = "RECOBENCH_POWERCAP";
/// Name prefix of counters of complete processors; those of their parts are below them.
const PACKAGE: &str = "package-";
/// A second interface to the same counters.
const MIRROR: &str = "intel-rapl-mmio";
/// Units of the files in a joule, a watt or a second.
const MICROS: f64 = 1e6;

/// Reason why the energy of processors is unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PowercapError {
    /// Nothing was to be measured.
    #[error("not requested")]
    NotOpened,
    /// The folder has no counters of processors.
    #[error("{} has no energy counters of processors (RAPL)", .0.escaped())]
    Absent(PathBuf),
    /// A counter can't be read.
    #[error("{}: {source}; on most systems only root may read it", path.escaped())]
    Unreadable { path: PathBuf, source: io::Error },
    /// A file has no number.
    #[error("{}: {} is not a count of microjoules", path.escaped(), text.quoted())]
    NotANumber { path: PathBuf, text: String },
}

/// Counter of a processor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Package {
    /// Name, such as `package-0`.
    pub(crate) name: String,
    folder: PathBuf,
    /// Value at which it wraps around to 0, in joules.
    range_j: f64,
}

/// Folder of the counters: that of the system, or the value of [`VARIABLE`].
pub(crate) fn folder() -> PathBuf {
    let other = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
    other.map_or_else(|| FOLDER.into(), PathBuf::from)
}

/// Counters of all processors; at least one.
pub(crate) fn packages(powercap: &Path) -> Result<Vec<Package>, PowercapError> {
    let packages = zones(powercap);
    if packages.is_empty() {
        return Err(PowercapError::Absent(powercap.to_owned()));
    }
    packages.iter().try_for_each(|package| package.joules().map(drop))?;
    Ok(packages)
}

/// Power limits of all processors as they are set, whether counters can be read or not.
pub(crate) fn caps(powercap: &Path) -> Vec<PowerCap> {
    zones(powercap).iter().flat_map(Package::caps).collect()
}

/// Processors with a counter, each once, by name.
fn zones(powercap: &Path) -> Vec<Package> {
    let folders = fs::read_dir(powercap).into_iter().flatten().flatten();
    let package = |folder: PathBuf| {
        let name = sysfs::text(&folder.join("name"))?;
        let range: u64 = sysfs::number(&folder.join("max_energy_range_uj"))?;
        let range_j = range as f64 / MICROS;
        name.starts_with(PACKAGE).then_some(Package { name, folder, range_j })
    };
    let mut packages: Vec<_> = folders.filter_map(|entry| package(entry.path())).collect();
    packages.sort_by_cached_key(|package| (package.name.clone(), package.is_mirror()));
    packages.dedup_by(|later, first| later.name == first.name);
    packages
}

impl Package {
    /// Value of the counter in joules.
    pub(crate) fn joules(&self) -> Result<f64, PowercapError> {
        let path = self.folder.join("energy_uj");
        match fs::read_to_string(&path) {
            Err(source) => Err(PowercapError::Unreadable { path, source }),
            Ok(text) => match text.trim().parse::<u64>() {
                Ok(micro) => Ok(micro as f64 / MICROS),
                Err(_) => Err(PowercapError::NotANumber { path, text: text.trim().to_owned() }),
            },
        }
    }

    /// Joules between two values; the counter may have wrapped around once.
    pub(crate) fn joules_between(&self, then: f64, now: f64) -> f64 {
        if now < then { now + self.range_j - then } else { now - then }
    }

    fn is_mirror(&self) -> bool {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(MIRROR)
    }

    fn caps(&self) -> Vec<PowerCap> {
        let file = |constraint: usize, name: &str| {
            self.folder.join(format!("constraint_{constraint}_{name}"))
        };
        let micro = |path: &Path| sysfs::number::<u64>(path).map(|value| value as f64 / MICROS);
        let cap = |constraint: usize| {
            Some(PowerCap {
                package: self.name.clone(),
                constraint: sysfs::text(&file(constraint, "name"))?,
                limit_w: micro(&file(constraint, "power_limit_uw"))?,
                window_s: micro(&file(constraint, "time_window_us")),
                enabled: sysfs::number::<u8>(&self.folder.join("enabled")).map(|on| on == 1),
            })
        };
        (0..).map_while(cap).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes the files of a counter as Linux does; each replaces an earlier one as a whole.
    pub(crate) fn show(powercap: &Path, folder: &str, name: &str, energy_uj: u64) {
        let folder = powercap.join(folder);
        fs::create_dir_all(&folder).expect("made");
        for (file, text) in [
            ("name", name.to_owned()),
            ("max_energy_range_uj", "1000000000".to_owned()),
            ("energy_uj", energy_uj.to_string()),
        ] {
            let draft = folder.join("draft");
            fs::write(&draft, text + "\n").expect("written");
            fs::rename(draft, folder.join(file)).expect("renamed");
        }
    }

    #[test]
    fn complete_processors_are_counted_once() {
        let powercap = tempfile::tempdir().expect("a temporary folder");
        show(powercap.path(), "intel-rapl-mmio:0", "package-0", 7);
        show(powercap.path(), "intel-rapl:0", "package-0", 999_000_000);
        show(powercap.path(), "intel-rapl:0:0", "core", 500_000_000);
        show(powercap.path(), "intel-rapl:1", "package-1", 5_000_000);
        show(powercap.path(), "intel-rapl:2", "psys", 5_000_000);
        let packages = packages(powercap.path()).expect("counters");
        let names: Vec<&str> = packages.iter().map(|package| &*package.name).collect();
        assert_eq!(names, ["package-0", "package-1"]);
        let joules = packages[0].joules().expect("a number");
        assert!((joules - 999.0).abs() < 1e-9, "{joules}");
        assert!((packages[0].joules_between(joules, 2.0) - 3.0).abs() < 1e-9, "it wrapped around");
        assert!((packages[0].joules_between(joules, joules + 1.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn missing_and_damaged_counters_have_a_reason() {
        let powercap = tempfile::tempdir().expect("a temporary folder");
        let reason = || packages(powercap.path()).expect_err("none").to_string();
        assert!(reason().ends_with("has no energy counters of processors (RAPL)"), "{}", reason());
        show(powercap.path(), "intel-rapl:0", "package-0", 1);
        let counter = powercap.path().join("intel-rapl:0/energy_uj");
        fs::write(&counter, "many\n").expect("written");
        assert!(reason().ends_with("\"many\" is not a count of microjoules"), "{}", reason());
        fs::remove_file(&counter).expect("there");
        assert!(reason().contains("only root may read it"), "{}", reason());
    }

    #[test]
    fn limits_are_those_of_all_constraints() {
        let powercap = tempfile::tempdir().expect("a temporary folder");
        show(powercap.path(), "intel-rapl:0", "package-0", 1);
        for (file, text) in [
            ("enabled", "1"),
            ("constraint_0_name", "long_term"),
            ("constraint_0_power_limit_uw", "125000000"),
            ("constraint_0_time_window_us", "27983872"),
            ("constraint_1_name", "short_term"),
            ("constraint_1_power_limit_uw", "253000000"),
        ] {
            fs::write(powercap.path().join("intel-rapl:0").join(file), text).expect("written");
        }
        let caps = caps(powercap.path());
        let found: Vec<_> = caps.iter().map(|cap| (&*cap.constraint, cap.limit_w)).collect();
        assert_eq!(found, [("long_term", 125.0), ("short_term", 253.0)]);
        assert_eq!((caps[0].window_s, caps[1].window_s), (Some(27.983872), None));
        assert_eq!((&*caps[0].package, caps[0].enabled), ("package-0", Some(true)));
        assert!(super::caps(Path::new("/nowhere")).is_empty());
    }
}
