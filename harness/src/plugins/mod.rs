//! Plugins: tried in a process of their own before they are used in this one.
//!
//! | module | holds |
//! |---|---|
//! | `baseline` | the plugin that is looked for beside the executable |
//! | `trial` | a process that tries a plugin, and what it tells |
//! | `guard` | what happens if a plugin crashes in this process all the same |
//! | `error` | plugins that can't be used |

mod baseline;
mod error;
pub(crate) mod guard;
pub(crate) mod trial;

use std::path::{Path, PathBuf};

use algorithms::plugin::{self, Condemnation, PluginInfo};
use algorithms::task::VariantInfo;
use reports::record::PluginRecord;
use sha2::{Digest, Sha256};

use crate::plan::{CandidateSpec, Plan};
use trial::Subject;

pub use error::PluginFailure;

/// Loads plugins, and the baseline of NVIDIA's libraries if it is beside the executable and of
/// use. Their variants are from now on among those of their tasks.
///
/// # Errors
/// If one can't be used. Nothing was measured then.
pub(crate) fn load(paths: &[PathBuf], baseline: Baseline) -> Result<(), PluginFailure> {
    for path in paths {
        load_one(path)?;
    }
    baseline::load(baseline);
    Ok(())
}

/// Whether the baseline of NVIDIA's libraries is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Baseline {
    /// Whether or not it can run here.
    Listed,
    /// If there is a GPU.
    Measured,
}

fn load_one(path: &Path) -> Result<&'static PluginInfo, PluginFailure> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let fingerprint = fingerprint(&path)?;
    trial::load(&path)?;
    guard::install();
    Ok(plugin::load(&path, fingerprint)?)
}

/// A hash of the whole file: kernels are no machine code that could be told from data.
fn fingerprint(path: &Path) -> Result<String, PluginFailure> {
    let unreadable = |problem: String| PluginFailure::Unreadable {
        path: path.to_owned(),
        problem,
    };
    // A pipe would never end.
    if path.exists() && !path.is_file() {
        return Err(unreadable("it is no file".to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let hash = Sha256::digest(bytes);
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("plugin:{hex}"))
}

/// Tries the variants of plugins that plans have, each on the devices and with the
/// threads that it is planned for. Those that crash, hang, fail or are wrong are
/// refused from now on.
///
/// # Errors
/// If nothing can be tried.
pub(crate) fn try_out(plans: &[Plan], tell: impl Fn(&str)) -> Result<(), PluginFailure> {
    let mut subjects: Vec<Subject> = Vec::new();
    for plan in plans {
        let specs = plan.inputs.iter().flat_map(|input| &input.candidates);
        for spec in specs {
            let Some(subject) = subject(plan, spec) else {
                continue;
            };
            let threads = plan.teams[spec.team].threads;
            trial::add(&mut subjects, subject, threads);
        }
    }
    for subject in &subjects {
        tell(&format!("trying {subject}"));
        judge(subject)?;
    }
    Ok(())
}

/// Tries a variant, and has it refused if it is not right.
pub(crate) fn judge(subject: &Subject) -> Result<Option<Condemnation>, PluginFailure> {
    let condemnation = trial::run(subject)?;
    if let Some(condemnation) = &condemnation {
        let name = (subject.task, subject.variant);
        plugin::condemn(name, subject.plugin, subject.device, condemnation.clone());
    }
    Ok(condemnation)
}

fn subject(plan: &Plan, spec: &CandidateSpec) -> Option<Subject> {
    let info: &VariantInfo = plan.variant(spec);
    Some(Subject {
        plugin: info.plugin?,
        task: plan.task().name(),
        variant: info.name,
        device: spec.device,
        threads: Vec::new(),
    })
}

/// The plugins that have variants in plans, for the record.
pub(crate) fn records<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<PluginRecord> {
    let mut records: Vec<PluginRecord> = Vec::new();
    for plan in plans {
        let specs = plan.inputs.iter().flat_map(|input| &input.candidates);
        for plugin in specs.filter_map(|spec| plan.variant(spec).plugin) {
            let record = PluginRecord {
                file: plugin.file.clone(),
                name: plugin.name.clone(),
                version: plugin.version.clone(),
                fingerprint: plugin.fingerprint.clone(),
            };
            if !records.contains(&record) {
                records.push(record);
            }
        }
    }
    records
}
