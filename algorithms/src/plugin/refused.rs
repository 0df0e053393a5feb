//! A variant that is not to be called: it ends as it would have, but for the crash.

use std::borrow::Cow;

use super::{Condemnation, Functions};
use crate::algorithm::{Algorithm, Damage, Runner};
use crate::device::gpu::DeviceError;

pub(super) struct Refused<'a, A: Algorithm> {
    task: &'a A,
    input: &'a A::Input,
    ending: Ending,
}

enum Ending {
    Failed(DeviceError),
    Wrong(String),
}

impl<'a, A: Algorithm> Refused<'a, A> {
    pub(super) fn failed((task, input): (&'a A, &'a A::Input), error: DeviceError) -> Self {
        Refused {
            task,
            input,
            ending: Ending::Failed(error),
        }
    }

    pub(super) fn condemned(
        (task, input): (&'a A, &'a A::Input),
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
        Refused {
            task,
            input,
            ending,
        }
    }
}

impl<A: Algorithm> Runner<A> for Refused<'_, A> {
    type Buffers = ();

    fn allocate(&self) -> Result<(), DeviceError> {
        match &self.ending {
            Ending::Failed(error) => Err(error.clone()),
            Ending::Wrong(_) => Ok(()),
        }
    }

    fn run(&mut self, (): &mut ()) -> Result<(), DeviceError> {
        Ok(())
    }

    fn inspect(&mut self, (): &mut ()) -> Result<(), Damage> {
        match &self.ending {
            Ending::Failed(error) => Err(Box::new(error.clone())),
            Ending::Wrong(problem) => Err(problem.clone().into()),
        }
    }

    fn output<'b>(&'b self, (): &'b ()) -> Cow<'b, A::Output> {
        Cow::Owned(self.task.no_op_output(self.input))
    }
}
