//! Reasons for points to have no figures.

use std::any::Any;
use std::io;

use portable_gpu::DeviceError;
use serde::{Deserialize, Serialize};

use crate::measure::CheckError;

/// Reason for a point to have no figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PointFailure {
    Wrong(String),
    Unavailable(String),
    Interrupted,
}

/// Refusal of a stream that gets no thread.
pub(super) fn no_thread(error: &io::Error) -> PointFailure {
    PointFailure::Unavailable(format!(
        "not run: the system gives no thread: {error}; use fewer --streams"
    ))
}

pub(super) fn panicked(panic: Box<dyn Any + Send>) -> PointFailure {
    PointFailure::Wrong(CheckError::from_panic(panic).to_string())
}

impl From<DeviceError> for PointFailure {
    fn from(error: DeviceError) -> Self {
        CheckError::from(error).into()
    }
}

impl From<CheckError> for PointFailure {
    fn from(error: CheckError) -> Self {
        let note = error.note();
        if error.is_wrong() { PointFailure::Wrong(note) } else { PointFailure::Unavailable(note) }
    }
}
