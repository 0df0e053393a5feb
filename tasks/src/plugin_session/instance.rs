//! A variant of a plugin that is prepared for an input: its state, and the calls.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use portable_gpu::DeviceError;
use portable_gpu::timing::Stages;

use super::host::{Host, PluginGpu};
use crate::plugin::abi;
use crate::plugin::hooks::{Call, watched};
use crate::plugin::loaded_variant::{Buffers, LoadedVariant};

/// Location of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultIn {
    Input,
    Output,
}

/// Reason why there is no instance.
#[derive(Debug)]
pub(super) enum NotReady {
    /// The variant reports that it can't run here, or not on this input.
    Unavailable(String),
    /// The call failed.
    Failed(DeviceError),
}

impl From<DeviceError> for NotReady {
    fn from(error: DeviceError) -> Self {
        NotReady::Failed(error)
    }
}

/// A prepared variant.
pub(super) struct Instance {
    variant: &'static LoadedVariant,
    host: Box<Host>,
    state: *mut c_void,
    needs: abi::Memory,
    /// The task's struct, for `reset` and `run`.
    input: *const c_void,
}

// SAFETY: the header says that calls come one at a time, on any thread.
unsafe impl Send for Instance {}

impl Instance {
    /// Prepares a variant for a team of `workers` threads, or for a GPU by its index, and gets its
    /// memory needs.
    ///
    /// # Safety
    /// `input` points to the task's struct of the header.
    pub(super) unsafe fn prepare(
        variant: &'static LoadedVariant,
        workers: usize,
        gpu: Option<PluginGpu<'_>>,
        input: *const c_void,
    ) -> Result<Self, NotReady> {
        let host = Host::new(variant.plugin, workers, gpu)?;
        let mut state = null_mut();
        if let Some(prepare) = variant.table.prepare {
            let call = &variant.calls.prepare;
            // SAFETY: the table is the plugin's, and all arguments are as the header specifies.
            let answer = watched(call, || unsafe {
                prepare(variant.own.as_ptr(), host.as_ptr(), input, &raw mut state)
            });
            if answer == abi::UNAVAILABLE {
                return Err(NotReady::Unavailable(host.take_reason()));
            }
            host.judge(call, answer)?;
        }
        let mut instance = Instance {
            variant,
            host,
            state,
            needs: abi::Memory { size: size_of::<abi::Memory>(), scratch_bytes: 0, own_bytes: 0 },
            input: null(),
        };
        instance.ask_for_needs()?;
        Ok(instance)
    }

    /// The variant.
    pub(super) fn variant(&self) -> &'static LoadedVariant {
        self.variant
    }

    /// Memory that it needs in addition to the buffers of the task.
    pub(super) fn needs(&self) -> &abi::Memory {
        &self.needs
    }

    /// Calls `reset` with the task's struct, and scratch memory for this and the next runs.
    ///
    /// # Safety
    /// `input` is as in [`Instance::prepare`], with the buffers that the header specifies; they and
    /// the scratch memory stay allocated until the next call of this function.
    pub(super) unsafe fn reset(
        &mut self,
        input: *const c_void,
        scratch: *mut c_void,
    ) -> Result<(), DeviceError> {
        self.input = input;
        self.host.lend(scratch, self.needs.scratch_bytes);
        let reset = self.variant.table.reset;
        // SAFETY: as the caller promises.
        reset.map_or(Ok(()), |reset| unsafe { self.step(reset, &self.variant.calls.reset) })
    }

    /// Calls `run`, and ends its last stage.
    ///
    /// # Safety
    /// After [`Instance::reset`], whose conditions still hold.
    pub(super) unsafe fn run(&mut self) -> Result<(), DeviceError> {
        self.host.begin();
        // SAFETY: as the caller promises.
        unsafe { self.step(self.variant.run, &self.variant.calls.run)? };
        self.host.end()
    }

    /// Location of the result of the last run.
    pub(super) fn result(&self) -> Result<ResultIn, DeviceError> {
        let output = match self.variant.buffers {
            Buffers::Separate | Buffers::ToHost => return Ok(ResultIn::Output),
            Buffers::InPlace => return Ok(ResultIn::Input),
            Buffers::Either(output) => output,
        };
        // SAFETY: `prepare` created the state.
        match watched(&self.variant.calls.output, || unsafe { output(self.state) }) {
            abi::INPUT_BUFFER => Ok(ResultIn::Input),
            abi::OUTPUT_BUFFER => Ok(ResultIn::Output),
            other => Err(self.variant.plugin.failed(format!(
                "answered {other} in output; there are RECOBENCH_INPUT_BUFFER and \
                 RECOBENCH_OUTPUT_BUFFER"
            ))),
        }
    }

    /// Stages of the last run on the host.
    pub(super) fn stages(&self) -> Stages {
        self.host.stages()
    }

    fn ask_for_needs(&mut self) -> Result<(), DeviceError> {
        let Some(memory) = self.variant.table.memory else {
            return Ok(());
        };
        let call = &self.variant.calls.memory;
        // SAFETY: `prepare` created the state.
        let answer = watched(call, || unsafe {
            memory(self.state, self.host.as_ptr(), &raw mut self.needs)
        });
        self.host.judge(call, answer)
    }

    /// # Safety
    /// As for [`Instance::reset`]: `input` is the task's struct with the buffers that the header
    /// specifies.
    unsafe fn step(&self, step: abi::Step, call: &'static Call) -> Result<(), DeviceError> {
        // SAFETY: `prepare` created the state, and the caller promises the input.
        let answer = watched(call, || unsafe { step(self.state, self.host.as_ptr(), self.input) });
        self.host.judge(call, answer)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(release) = self.variant.table.release {
            // SAFETY: `prepare` created the state, and it is not used any more.
            watched(&self.variant.calls.release, || unsafe {
                release(self.state);
            });
        }
    }
}
