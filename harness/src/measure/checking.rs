//! Untimed run of a candidate: checks its output and records its resource use.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use portable_gpu::DeviceError;
use reports::record::{FAILED, WRONG};
use tasks::device::Target;
use tasks::task::Candidate;

use super::device_use::{DeviceUse, FreeBefore, disagreement};
use super::rows::RowBuilder;
use crate::platform::peak_allocation;

/// Final state of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidateOutcome {
    /// Measured: it has times.
    Measured,
    /// Its output was wrong.
    Wrong,
    /// It can't run here, or not on this input.
    Unavailable,
    /// Time ran out before its first sample.
    LeftOut,
}

/// Reason for not timing a candidate.
pub(super) struct SkipReason {
    pub(super) outcome: CandidateOutcome,
    pub(super) note: String,
}

impl SkipReason {
    pub(super) fn unavailable(reason: impl ToString) -> Self {
        SkipReason {
            outcome: CandidateOutcome::Unavailable,
            note: format!("not run: {}", reason.to_string()),
        }
    }
}

impl From<CheckError> for SkipReason {
    fn from(error: CheckError) -> Self {
        let is_wrong = error.is_wrong();
        let outcome =
            if is_wrong { CandidateOutcome::Wrong } else { CandidateOutcome::Unavailable };
        SkipReason { outcome, note: error.note() }
    }
}

/// Runs a candidate, checked or not, and records its memory use, remarks and quality.
pub(super) fn check(
    candidate: &mut dyn Candidate,
    target: &Target<'_>,
    subject: &mut RowBuilder,
    run: fn(&mut dyn Candidate, &Target<'_>) -> Result<u64, CheckError>,
) -> Result<(), CheckError> {
    let free = target.gpu.as_deref().map(FreeBefore::look);
    let allocated = run(candidate, target)?;
    subject.memory_bytes = candidate.buffer_bytes() + allocated;
    subject.remarks = candidate.remarks();
    subject.given = candidate.given();
    subject.quality = candidate.quality();
    if let Some(work) = candidate.sample() {
        subject.set_subsampled(work);
    }
    let Some(gpu) = target.gpu.as_deref() else {
        return Ok(());
    };
    let device_bytes = free.and_then(|free| free.allocated(gpu));
    let counted = candidate.buffer_bytes();
    subject.device_use = DeviceUse {
        // Columns stay empty if the device can't be queried.
        kernels: gpu.kernels().unwrap_or_default(),
        properties: Some(gpu.properties().clone()),
        allocated_bytes: device_bytes,
        note: device_bytes.and_then(|device_bytes| disagreement(device_bytes, counted)),
    };
    Ok(())
}

/// Failed check of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The output is wrong, or the candidate panicked.
    #[error("{0}")]
    Wrong(String),
    /// The device can't run it, or a kernel failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl CheckError {
    /// Error of a candidate that panicked.
    pub(crate) fn from_panic(panic: Box<dyn Any + Send>) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref().copied());
        CheckError::Wrong(format!("panicked: {}", text.unwrap_or("without a message")))
    }

    /// True if the variant is wrong, rather than the machine or the input unsuitable.
    pub(crate) fn is_wrong(&self) -> bool {
        match self {
            CheckError::Wrong(_) => true,
            CheckError::Device(error) => is_failure(error),
        }
    }

    /// Note of a row without times.
    pub(crate) fn note(&self) -> String {
        match self {
            CheckError::Wrong(problem) => format!("{WRONG}{problem}"),
            CheckError::Device(error) if is_failure(error) => format!("{FAILED}{error}"),
            CheckError::Device(error) => format!("not run: {error}"),
        }
    }
}

/// True if the variant itself has failed.
fn is_failure(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Kernel { .. } | DeviceError::Plugin { .. })
}

/// Runs a candidate once and checks its output; returns the peak number of bytes that it allocated
/// while running. A candidate that panics is wrong.
pub(crate) fn check_candidate(
    candidate: &mut dyn Candidate,
    target: &Target<'_>,
) -> Result<u64, CheckError> {
    caught(candidate, |candidate| run_and_check(candidate, target))
}

/// Like [`check_candidate`], but uses the right output before the buffers are released.
pub(crate) fn use_checked<T>(
    candidate: &mut dyn Candidate,
    target: &Target<'_>,
    take: impl FnOnce(&mut dyn Candidate) -> T,
) -> Result<T, CheckError> {
    caught(candidate, |candidate| {
        run_and_check(candidate, target)?;
        Ok(take(candidate))
    })
}

fn run_and_check(candidate: &mut dyn Candidate, target: &Target<'_>) -> Result<u64, CheckError> {
    let allocated = run_once(candidate, target)?;
    let checked = candidate.check();
    checked.map_err(|mismatch| CheckError::Wrong(mismatch.to_string()))?;
    Ok(allocated)
}

/// Runs a candidate whose output was already checked; otherwise like [`check_candidate`].
pub(super) fn run_candidate(
    candidate: &mut dyn Candidate,
    target: &Target<'_>,
) -> Result<u64, CheckError> {
    caught(candidate, |candidate| run_once(candidate, target))
}

/// Result of a run, with panics as errors; the buffers of the candidate are released.
fn caught<T>(
    candidate: &mut dyn Candidate,
    run: impl FnOnce(&mut dyn Candidate) -> Result<T, CheckError>,
) -> Result<T, CheckError> {
    let result = catch_unwind(AssertUnwindSafe(|| run(candidate)));
    candidate.release();
    result.unwrap_or_else(|panic| Err(CheckError::from_panic(panic)))
}

/// Runs a candidate in fresh buffers; returns the peak number of bytes that it allocated.
fn run_once(candidate: &mut dyn Candidate, target: &Target<'_>) -> Result<u64, CheckError> {
    target.team.run(|| {
        candidate.reset()?;
        candidate.poison()
    })?;
    let (ran, allocated) = peak_allocation(|| target.team.run(|| candidate.run()));
    ran?;
    Ok(allocated)
}
