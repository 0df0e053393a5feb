//! Runs that can't be compared.

use super::measured::Measured;

/// Runs that can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// They are one and the same.
    #[error(
        "{base} and {new} are the same run, started {started}: comparing a run with itself says \
         nothing; measure again, or name an earlier run"
    )]
    SameRun {
        /// The base's folder.
        base: String,
        /// The new run's folder.
        new: String,
        /// When both were started.
        started: String,
    },
    /// They are of unlike machines.
    #[error(
        "{base} was measured on another machine ({base_machine}) than {new} ({new_machine}): \
         their times say nothing of the code; use --across-machines if that is what you want"
    )]
    Machines {
        /// The base's folder.
        base: String,
        /// The base's machine.
        base_machine: String,
        /// The new run's folder.
        new: String,
        /// The new run's machine.
        new_machine: String,
    },
    /// No point is in both.
    #[error(
        "nothing can be compared: {base} has {base_points} points with samples, {new} has \
         {new_points}, and none is in both"
    )]
    NothingInCommon {
        /// The base's folder.
        base: String,
        /// Its points with samples.
        base_points: usize,
        /// The new run's folder.
        new: String,
        /// Its points with samples.
        new_points: usize,
    },
}

impl CompareError {
    pub(super) fn same_run(base: &Measured, new: &Measured) -> Self {
        CompareError::SameRun {
            base: base.folder.display().to_string(),
            new: new.folder.display().to_string(),
            started: new.record.started.clone(),
        }
    }

    pub(super) fn machines(base: &Measured, new: &Measured) -> Self {
        let machine = |run: &Measured| {
            let (model, key) = (&run.record.machine.cpu_model, &run.record.machine_key);
            format!("{model}, key {key}")
        };
        CompareError::Machines {
            base: base.folder.display().to_string(),
            base_machine: machine(base),
            new: new.folder.display().to_string(),
            new_machine: machine(new),
        }
    }

    pub(super) fn nothing_in_common(base: &Measured, new: &Measured) -> Self {
        let count = |run: &Measured| {
            let points = run.points.iter();
            points.filter(|point| point.samples.is_ok()).count()
        };
        CompareError::NothingInCommon {
            base: base.folder.display().to_string(),
            base_points: count(base),
            new: new.folder.display().to_string(),
            new_points: count(new),
        }
    }
}
