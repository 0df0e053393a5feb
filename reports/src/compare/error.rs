//! Errors of comparisons.

use text::Untrusted;

use super::measured::Measured;
use crate::units::counted;

/// Reason why runs can't be compared.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the variants say what they hold")]
pub enum CompareError {
    /// Both are the same run: the folders, and its start.
    #[error(
        "{} and {} are the same run, started {}; measure again, or name an earlier run", folders[0], folders[1], started.escaped()
    )]
    SameRun { folders: [String; 2], started: String },
    /// The runs are of different machines: the folders, and the machines.
    #[error(
        "{} was measured on another machine ({}) than {} ({}): their times are not comparable; use \
         --across-machines to compare them anyway",
        folders[0], machines[0], folders[1], machines[1]
    )]
    Machines { folders: [String; 2], machines: [String; 2] },
    /// No common point: the folders, and the numbers of points with samples.
    #[error(
        "nothing can be compared: {} has {} with samples, {} has {}, and none is in both",
        folders[0], counted(points[0], "point"), folders[1], points[1]
    )]
    NothingInCommon { folders: [String; 2], points: [usize; 2] },
}

impl CompareError {
    pub(super) fn same_run(runs: [&Measured; 2]) -> Self {
        let started = runs[1].record.started.clone();
        CompareError::SameRun { folders: folders(runs), started }
    }

    pub(super) fn machines(runs: [&Measured; 2]) -> Self {
        let machines = runs.map(|run| {
            let model = &run.record.machine.cpu_model;
            let key = &run.record.machine_key;
            let devices = run.points.iter().map(|point| point.key.point.device.as_str());
            let gpus = run.record.gpu_models(devices);
            let gpus = gpus.iter().map(|model| format!(", {}", model.escaped()));
            format!("{}, key {}{}", model.escaped(), key.escaped(), gpus.collect::<String>())
        });
        CompareError::Machines { folders: folders(runs), machines }
    }

    pub(super) fn nothing_in_common(runs: [&Measured; 2]) -> Self {
        let with_samples =
            |run: &Measured| run.points.iter().filter(|point| point.samples.is_ok()).count();
        CompareError::NothingInCommon { folders: folders(runs), points: runs.map(with_samples) }
    }
}

fn folders(runs: [&Measured; 2]) -> [String; 2] {
    runs.map(|run| run.folder.escaped().to_string())
}
