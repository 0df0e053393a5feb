//! Plugins: tried in a separate process before they are used in this one.
//!
//! | module | holds |
//! |---|---|
//! | this | loading plugins, trials of those in a plan, memory limits, errors |
//! | `trial` | trial process and its report |
//! | `programs` | descriptions of external programs, which need no trial |
//!
//! Crashes of plugins in this process are handled by `platform::plugin_guard`.

mod programs;
pub(crate) mod trial;

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::document::InvalidDocument;
use crate::registry::{self, LoadError};
use nix::libc;
use portable_gpu::cuda;
use reports::record::{FAILED, Point, SummaryRow, WRONG};
use sha2::{Digest, Sha256};
use tasks::device::TeamError;
use tasks::plugin::{self, PluginInfo, PluginKind, Quarantine, baseline};
use text::Untrusted;

use crate::measure::TOTAL;
use crate::plan::{CandidateSpec, Plan};
use crate::platform::{Exit, available_memory, hash_text, plugin_guard};
use trial::PluginVariant;

/// Loads plugins, and the baseline of NVIDIA's libraries if it is next to the executable and
/// usable. Their variants are added to those of their tasks.
pub(crate) fn load(paths: &[PathBuf], baseline: Baseline) -> Result<(), PluginFailure> {
    for path in paths {
        load_one(path)?;
    }
    load_baseline(baseline);
    Ok(())
}

/// Condition for loading the baseline of NVIDIA's libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// Always, even if it can't run here.
    Listed,
    /// If there is a GPU.
    Measured,
}

/// Loads the baseline, if it is next to the executable, usable, and not loaded from another path.
/// Its problems are reported where its variants are listed.
fn load_baseline(wanted: Baseline) {
    let is_of_use = wanted == Baseline::Listed || cuda::devices().is_ok();
    let loaded = plugin::plugins();
    if !is_of_use || loaded.iter().any(|plugin| plugin.file == baseline::FILE) {
        return;
    }
    let executable = std::env::current_exe().unwrap_or_default();
    let path = executable.with_file_name(baseline::FILE);
    if path.exists()
        && let Err(failure) = load_one(&path)
    {
        baseline::set_problem(failure.to_string());
    }
}

/// Loads a plugin, unless it is loaded.
pub(crate) fn load_one(path: &Path) -> Result<&'static PluginInfo, PluginFailure> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    if let Some(plugin) = plugin::plugins().into_iter().find(|plugin| plugin.path == real) {
        return Ok(plugin);
    }
    if programs::is_description(&path) {
        return programs::load(&path);
    }
    let fingerprint = fingerprint(&path)?;
    trial::load(&path)?;
    plugin_guard::install();
    plugin::set_available_memory(memory_budget);
    let loaded = registry::load_plugin(&path, fingerprint);
    plugin_guard::return_home();
    Ok(loaded?)
}

/// Hash of the complete file, because kernels can't be distinguished from data as machine code can;
/// of a description also that of its programs.
pub(crate) fn fingerprint(path: &Path) -> Result<String, PluginFailure> {
    if programs::is_description(path) {
        return programs::fingerprint(path);
    }
    Ok(fingerprint_of(&read_file(path)?))
}

/// Fingerprint of a plugin with this content.
pub(crate) fn fingerprint_of(bytes: &[u8]) -> String {
    hash_text("plugin", &Sha256::digest(bytes))
}

/// Reads the complete file of a plugin.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, PluginFailure> {
    let unreadable = |problem: String| PluginFailure::Unreadable { path: path.to_owned(), problem };
    // Reading a pipe would never end.
    if path.exists() && !path.is_file() {
        return Err(unreadable("it is not a file".to_owned()));
    }
    std::fs::read(path).map_err(|error| unreadable(error.to_string()))
}

/// Tries the variants of plugins in plans, each on the devices and with the numbers of threads that
/// it is planned for. Variants that crash, hang, fail or are wrong are refused from then on, and
/// returned.
pub(crate) fn try_out(
    plans: &[Plan],
    report: impl Fn(&str),
) -> Result<Vec<FailedTrial>, PluginFailure> {
    let mut variants: Vec<PluginVariant> = Vec::new();
    for plan in plans {
        let specs = plan.inputs.iter().flat_map(|input| &input.candidates);
        for new in specs.filter_map(|spec| variant(plan, spec)) {
            match variants.iter_mut().find(|known| known.is_same(&new)) {
                None => variants.push(new),
                Some(known) if known.threads.contains(&new.threads[0]) => {}
                Some(known) => known.threads.extend(new.threads),
            }
        }
    }
    let mut failed = Vec::new();
    for variant in variants {
        report(&format!("trying {variant}"));
        if let Some(quarantine) = trial::run(&variant)? {
            let name = variant.variant;
            let device = variant.device;
            plugin::quarantine(variant.task, name, variant.plugin, device, quarantine.clone());
            failed.push(FailedTrial { variant, quarantine });
        }
    }
    Ok(failed)
}

/// A variant of a plugin whose trial failed.
pub(crate) struct FailedTrial {
    variant: PluginVariant,
    quarantine: Quarantine,
}

impl FailedTrial {
    /// Row of a point that is not measured because its variant failed the trial; `None` for points
    /// of other variants.
    pub(crate) fn row(&self, point: &Point) -> Option<SummaryRow> {
        let PluginVariant { plugin, task, variant, device, .. } = &self.variant;
        let is_its = (*task, *variant) == (&point.algorithm, &point.variant)
            && device.to_string() == point.device;
        let note = match &self.quarantine {
            Quarantine::Wrong(problem) => format!("{WRONG}{problem}"),
            Quarantine::Failed(problem) => format!("{FAILED}{} {problem}", plugin.file),
        };
        is_its.then(|| SummaryRow {
            backend: device.backend().to_string(),
            fingerprint: plugin.fingerprint.clone(),
            note,
            ..SummaryRow::new(point, TOTAL)
        })
    }
}

/// Variant of a candidate, if it is of a library.
fn variant(plan: &Plan, spec: &CandidateSpec) -> Option<PluginVariant> {
    let info = plan.variant(spec);
    Some(PluginVariant {
        plugin: info.plugin.filter(|plugin| plugin.kind == PluginKind::Library)?,
        task: plan.task().name(),
        variant: info.name,
        device: spec.device,
        threads: vec![plan.teams[spec.team].layout.threads],
    })
}

/// Reason for not using a plugin at all.
#[derive(Debug, thiserror::Error)]
pub enum PluginFailure {
    /// A file that can't be read.
    #[error(
        "plugin {}: {problem}; --plugin takes a shared library, or a description of programs (.toml)",
        path.escaped()
    )]
    Unreadable { path: PathBuf, problem: String },
    /// The file is not a plugin, or not one for this version; found in the trial process.
    #[error("{0}")]
    Refused(String),
    /// The file is not a plugin, or conflicts with another one.
    #[error(transparent)]
    Unusable(#[from] LoadError),
    /// A description of programs that makes no sense.
    #[error(transparent)]
    Invalid(#[from] InvalidDocument),
    /// The plugin crashed or hung during loading.
    #[error("plugin {}: it {problem}; nothing was measured", path.escaped())]
    Crashed { path: PathBuf, problem: String },
    /// Threads that can't be started.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// A trial that can't write its report.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// The trial process can't be started.
    #[error("{} can't be started to try a plugin: {source}", bench.escaped())]
    NoTrial { bench: PathBuf, source: io::Error },
}

impl PluginFailure {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            PluginFailure::Unreadable { .. }
            | PluginFailure::Refused(_)
            | PluginFailure::Invalid(_)
            | PluginFailure::Unusable(_) => Exit::Usage,
            PluginFailure::Crashed { .. } => Exit::WrongOutput,
            _ => Exit::Failed,
        }
    }
}

/// Bytes of host memory that a plugin can use: what is available, plus what this process uses,
/// which may have been allocated for the plugin; at most the limit of this process.
fn memory_budget() -> u64 {
    available_memory().saturating_add(resident()).min(limit())
}

/// Limit of data of a trial with `threads` threads: half of the available memory, so that a plugin
/// with growing memory is stopped before other programs are affected, but never less than small
/// inputs and the stacks of all threads need.
fn trial_budget(threads: usize) -> u64 {
    const MIN_BYTES: u64 = 1 << 30;
    const BYTES_PER_THREAD: u64 = 16 << 20;
    (available_memory() / 2).max(MIN_BYTES + BYTES_PER_THREAD * threads as u64)
}

/// Resident bytes of this process, if available.
fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    // SAFETY: `sysconf` takes an integer, returns an integer and accesses no memory.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0);
    pages.unwrap_or(0_u64).saturating_mul(page)
}

/// Limit of data of this process: trial processes have one.
fn limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
    // SAFETY: `getrlimit` writes only `limit`, which is a valid local variable.
    unsafe { libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) };
    limit.rlim_cur
}
