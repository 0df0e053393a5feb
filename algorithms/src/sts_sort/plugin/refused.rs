//! A plugin's sort that is not to be called: it ends as it would have, but for the crash.

use std::borrow::Cow;
use std::error::Error;

use generators::sts::Digi;

use crate::algorithm::Prepared;
use crate::device::gpu::DeviceError;
use crate::plugin::{Condemnation, Functions};
use crate::sts_sort::StsSort;

/// How it ends.
pub(super) enum RefusedSort {
    Failed(DeviceError),
    Wrong(String),
}

impl RefusedSort {
    pub(super) fn failed(error: DeviceError) -> Self {
        RefusedSort::Failed(error)
    }

    pub(super) fn condemned(functions: &Functions, condemnation: Condemnation) -> Self {
        match condemnation {
            Condemnation::Wrong(problem) => RefusedSort::Wrong(problem),
            Condemnation::Failed(problem) => RefusedSort::Failed(DeviceError::Plugin {
                plugin: functions.plugin.file.clone(),
                problem,
            }),
        }
    }
}

impl Prepared<StsSort> for RefusedSort {
    fn reset(&mut self) -> Result<(), DeviceError> {
        match self {
            RefusedSort::Failed(error) => Err(error.clone()),
            RefusedSort::Wrong(_) => Ok(()),
        }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        match self {
            RefusedSort::Failed(error) => Err(Box::new(error.clone())),
            RefusedSort::Wrong(problem) => Err(problem.clone().into()),
        }
    }

    fn output(&self) -> Cow<'_, Vec<Digi>> {
        Cow::Owned(Vec::new())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}
