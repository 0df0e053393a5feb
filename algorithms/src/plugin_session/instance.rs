//! A variant of a plugin that is ready for an input: its state, and the calls.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::host::Host;
use crate::device::gpu::{DeviceError, Gpu};
use crate::plugin::abi;
use crate::plugin::calls::{Call, watched};
use crate::plugin::loaded_variant::{Buffers, LoadedVariant};
use crate::timing::Stages;

/// Where a result lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultIn {
    Input,
    Output,
}

/// Why there is no instance.
#[derive(Debug)]
pub(super) enum NotReady {
    /// It can't run here, or not on such an input, as it says.
    Unavailable(String),
    /// It failed.
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

// SAFETY: the header has calls come one at a time, on any thread.
unsafe impl Send for Instance {}

impl Instance {
    /// Prepares a variant for a team of so many threads, or for a GPU by its number, and asks
    /// for its needs.
    ///
    /// # Safety
    /// `input` points to the struct that the task has in the header.
    ///
    /// # Errors
    /// As [`NotReady`] says.
    pub(super) unsafe fn prepare(
        variant: &'static LoadedVariant,
        workers: usize,
        gpu: Option<(&Arc<Gpu>, i32)>,
        input: *const c_void,
    ) -> Result<Self, NotReady> {
        let host = Host::new(variant.plugin, workers, gpu)?;
        let mut state = null_mut();
        if let Some(prepare) = variant.table.prepare {
            let call = &variant.calls.prepare;
            // SAFETY: the table is the plugin's own, all else as the header says.
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

    /// Memory that it needs besides the buffers of the task.
    pub(super) fn needs(&self) -> &abi::Memory {
        &self.needs
    }

    /// Calls `reset`, with the task's struct and scratch memory for this and the next runs.
    ///
    /// # Safety
    /// `input` as in [`Instance::prepare`], with the buffers that the header has there; they
    /// and the scratch memory are held until the next call of this.
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

    /// Calls `run`, and ends the last of its stages.
    ///
    /// # Safety
    /// After [`Instance::reset`], with all that is promised there.
    pub(super) unsafe fn run(&mut self) -> Result<(), DeviceError> {
        self.host.begin();
        // SAFETY: as the caller promises.
        unsafe { self.step(self.variant.run, &self.variant.calls.run)? };
        self.host.end()
    }

    /// Where the result of the last run lies.
    pub(super) fn result(&self) -> Result<ResultIn, DeviceError> {
        let output = match self.variant.buffers {
            Buffers::Separate | Buffers::ToHost => return Ok(ResultIn::Output),
            Buffers::InPlace => return Ok(ResultIn::Input),
            Buffers::Either(output) => output,
        };
        // SAFETY: the state is the one that `prepare` made.
        match watched(&self.variant.calls.output, || unsafe { output(self.state) }) {
            abi::INPUT_BUFFER => Ok(ResultIn::Input),
            abi::OUTPUT_BUFFER => Ok(ResultIn::Output),
            other => Err(self.variant.plugin.failed(format!(
                "answered {other} in output; there are RECOBENCH_INPUT_BUFFER and \
                 RECOBENCH_OUTPUT_BUFFER"
            ))),
        }
    }

    /// The stages of the last run on the host.
    pub(super) fn stages(&self) -> Stages {
        self.host.stages()
    }

    fn ask_for_needs(&mut self) -> Result<(), DeviceError> {
        let Some(memory) = self.variant.table.memory else {
            return Ok(());
        };
        let call = &self.variant.calls.memory;
        // SAFETY: the state is the one that `prepare` made.
        let answer = watched(call, || unsafe {
            memory(self.state, self.host.as_ptr(), &raw mut self.needs)
        });
        self.host.judge(call, answer)
    }

    /// # Safety
    /// As [`Instance::reset`].
    unsafe fn step(&self, step: abi::Step, call: &'static Call) -> Result<(), DeviceError> {
        // SAFETY: the state is the one that `prepare` made, all else as the caller
        // promises.
        let answer = watched(call, || unsafe { step(self.state, self.host.as_ptr(), self.input) });
        self.host.judge(call, answer)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(release) = self.variant.table.release {
            // SAFETY: the state is the one that `prepare` made, and nobody uses it.
            watched(&self.variant.calls.release, || unsafe {
                release(self.state);
            });
        }
    }
}
