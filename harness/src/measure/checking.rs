//! A run of a candidate that is not timed: is its output right, and what does it take?

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use algorithms::device::Target;
use algorithms::device::gpu::DeviceError;
use algorithms::task::Candidate;

use super::on_device::{FreeBefore, OnDevice, disagreement};
use super::rows::{FAILED, Subject, WRONG};
use crate::platform::peak_allocation;

/// How a candidate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidateOutcome {
    /// With times.
    Measured,
    /// Its output was wrong.
    Wrong,
    /// It can't run here, or not on such an input.
    Unavailable,
    /// The time was over before its first sample.
    LeftOut,
}

/// Why a candidate is not timed.
pub(super) struct Refusal {
    pub(super) outcome: CandidateOutcome,
    pub(super) note: String,
}

impl Refusal {
    pub(super) fn unavailable(reason: impl ToString) -> Self {
        Refusal {
            outcome: CandidateOutcome::Unavailable,
            note: format!("not run: {}", reason.to_string()),
        }
    }
}

impl From<CheckError> for Refusal {
    fn from(error: CheckError) -> Self {
        let (outcome, note) = match error {
            CheckError::Wrong(problem) => (CandidateOutcome::Wrong, format!("{WRONG}{problem}")),
            CheckError::Device(
                error @ (DeviceError::Kernel { .. } | DeviceError::Plugin { .. }),
            ) => (CandidateOutcome::Wrong, format!("{FAILED}{error}")),
            CheckError::Device(error) => return Refusal::unavailable(error),
        };
        Refusal { outcome, note }
    }
}

/// Runs a candidate, checked or not, and takes down what that tells of it.
pub(super) fn check(
    candidate: &mut dyn Candidate,
    place: &Target<'_>,
    subject: &mut Subject,
    run: fn(&mut dyn Candidate, &Target<'_>) -> Result<u64, CheckError>,
) -> Result<(), CheckError> {
    let free = place.gpu.as_deref().map(FreeBefore::look);
    let allocated = run(candidate, place)?;
    subject.memory_bytes = candidate.buffer_bytes() + allocated;
    subject.remarks = candidate.remarks();
    subject.given = candidate.given();
    subject.quality = candidate.quality();
    if let Some(work) = candidate.sample() {
        subject.does_a_sample(work);
    }
    let Some(gpu) = place.gpu.as_deref() else {
        return Ok(());
    };
    let taken = free.and_then(|free| free.taken(gpu));
    let counted = candidate.buffer_bytes();
    subject.on_device = OnDevice {
        // Who can't be asked leaves the columns empty.
        kernels: gpu.kernels().unwrap_or_default(),
        properties: Some(gpu.properties().clone()),
        taken_bytes: taken,
        note: taken.and_then(|taken| disagreement(taken, counted)),
    };
    Ok(())
}

/// Why a candidate is not right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// Its output is not, or it panicked.
    #[error("{0}")]
    Wrong(String),
    /// The device can't run it, or a kernel failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Runs a candidate once and checks its output; returns the most bytes that it
/// allocated while running. A candidate that panics is wrong.
///
/// # Errors
/// What is wrong.
pub fn check_candidate(
    candidate: &mut dyn Candidate,
    place: &Target<'_>,
) -> Result<u64, CheckError> {
    caught(candidate, |candidate| {
        let allocated = run_once(candidate, place)?;
        let checked = candidate.check();
        checked.map_err(|mismatch| CheckError::Wrong(mismatch.to_string()))?;
        Ok(allocated)
    })
}

/// Runs a candidate whose output was found right before; otherwise as [`check_candidate`].
pub(super) fn run_candidate(
    candidate: &mut dyn Candidate,
    place: &Target<'_>,
) -> Result<u64, CheckError> {
    caught(candidate, |candidate| run_once(candidate, place))
}

/// What comes of a run; the candidate has no buffers then.
fn caught(
    candidate: &mut dyn Candidate,
    run: impl FnOnce(&mut dyn Candidate) -> Result<u64, CheckError>,
) -> Result<u64, CheckError> {
    let result = catch_unwind(AssertUnwindSafe(|| run(candidate)));
    candidate.release();
    result.unwrap_or_else(|panic| {
        let problem = format!("panicked: {}", message(&*panic));
        Err(CheckError::Wrong(problem))
    })
}

/// Runs a candidate in fresh buffers; returns the most bytes that it allocated.
fn run_once(candidate: &mut dyn Candidate, place: &Target<'_>) -> Result<u64, CheckError> {
    place.team.run(|| {
        candidate.reset()?;
        candidate.poison()
    })?;
    let (ran, allocated) = peak_allocation(|| place.team.run(|| candidate.run()));
    ran?;
    Ok(allocated)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref().copied());
    text.unwrap_or("without a message")
}
