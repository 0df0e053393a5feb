//! A variant that is not to be called: it ends as it would have, but for the crash.

use std::borrow::Cow;
use std::error::Error;

use super::{Condemnation, Functions};
use crate::algorithm::{Algorithm, Prepared};
use crate::device::gpu::DeviceError;

pub(super) struct Refused<'a, A: Algorithm> {
    input: &'a A::Input,
    ending: Ending,
}

enum Ending {
    Failed(DeviceError),
    Wrong(String),
}

impl<'a, A: Algorithm> Refused<'a, A> {
    pub(super) fn failed(input: &'a A::Input, error: DeviceError) -> Self {
        Refused {
            input,
            ending: Ending::Failed(error),
        }
    }

    pub(super) fn condemned(
        input: &'a A::Input,
        functions: &Functions,
        condemnation: Condemnation,
    ) -> Self {
        let ending = match condemnation {
            Condemnation::Wrong(problem) => Ending::Wrong(problem),
            Condemnation::Failed(problem) => Ending::Failed(DeviceError::Plugin {
                plugin: functions.plugin.file.clone(),
                problem,
            }),
        };
        Refused { input, ending }
    }
}

impl<A: Algorithm> Prepared<A> for Refused<'_, A> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        match &self.ending {
            Ending::Failed(error) => Err(error.clone()),
            Ending::Wrong(_) => Ok(()),
        }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        match &self.ending {
            Ending::Failed(error) => Err(Box::new(error.clone())),
            Ending::Wrong(problem) => Err(problem.clone().into()),
        }
    }

    fn output(&self) -> Cow<'_, A::Output> {
        Cow::Owned(A::untouched(self.input))
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}
