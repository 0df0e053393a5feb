//! A variant of a plugin that is ready for an input: its state, and the calls.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use super::calls::{Call, Calls, watched};
use super::host::{EndError, Host};
use super::loaded::{Buffers, Functions};
use super::{PluginInfo, abi};
use crate::device::gpu::{DeviceError, Gpu};
use crate::timing::Stages;

/// Where a result lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultIn {
    Input,
    Output,
}

/// Memory besides the buffers of the task, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// To be provided for each run.
    pub(crate) scratch: u64,
    /// Allocated by the plugin.
    pub(crate) own: u64,
}

/// Why there is no instance.
#[derive(Debug)]
pub(crate) enum NotReady {
    /// It can't run here, or not on such an input, as it says.
    Unavailable(String),
    /// It failed.
    Failed(DeviceError),
}

/// A prepared variant.
pub(crate) struct Instance {
    functions: Functions,
    host: Box<Host>,
    state: *mut c_void,
    needs: Needs,
}

// SAFETY: the header has calls come one at a time, on any thread.
unsafe impl Send for Instance {}

impl Instance {
    /// Prepares a variant, and asks for its needs.
    ///
    /// # Safety
    /// `input` points to the struct that the task has in the header.
    ///
    /// # Errors
    /// As [`NotReady`] says.
    pub(crate) unsafe fn prepare(
        functions: Functions,
        workers: usize,
        gpu: Option<(&Arc<Gpu>, i32)>,
        input: *const c_void,
    ) -> Result<Self, NotReady> {
        let device = gpu.map_or(-1, |(_, number)| number);
        let host = Host::new(workers, gpu.map(|(gpu, _)| gpu), device).map_err(NotReady::Failed)?;
        let mut state = null_mut();
        if let Some(prepare) = functions.table.prepare {
            // SAFETY: the table is the plugin's own, all else as the header says.
            let answer = watched(&functions.calls.prepare, || unsafe {
                prepare(functions.table, host.as_ptr(), input, &raw mut state)
            });
            match answer {
                abi::OK => {}
                abi::UNAVAILABLE => return Err(NotReady::Unavailable(host.take_reason())),
                answer => {
                    let calls = &functions.calls.prepare;
                    return Err(NotReady::Failed(refused(
                        functions.plugin,
                        calls,
                        answer,
                        &host,
                    )));
                }
            }
        }
        let mut instance = Instance {
            functions,
            host,
            state,
            needs: Needs::default(),
        };
        instance.needs = instance.memory().map_err(NotReady::Failed)?;
        Ok(instance)
    }

    /// What it needs.
    pub(crate) fn needs(&self) -> Needs {
        self.needs
    }

    /// Lends memory for the next calls.
    pub(crate) fn lend(&mut self, scratch: *mut c_void, bytes: u64) {
        self.host.lend(scratch, bytes);
    }

    /// Calls `reset`.
    ///
    /// # Safety
    /// As [`Instance::prepare`], with the buffers that the header has there.
    ///
    /// # Errors
    /// If it fails.
    pub(crate) unsafe fn reset(&mut self, input: *const c_void) -> Result<(), DeviceError> {
        let Some(reset) = self.functions.table.reset else {
            return Ok(());
        };
        // SAFETY: as the caller promises.
        unsafe { self.step(reset, &self.calls().reset, input) }
    }

    /// Calls `run`, and ends the last of its stages.
    ///
    /// # Safety
    /// As [`Instance::reset`].
    ///
    /// # Errors
    /// If it fails.
    pub(crate) unsafe fn run(&mut self, input: *const c_void) -> Result<(), DeviceError> {
        self.host.begin();
        // SAFETY: as the caller promises.
        unsafe { self.step(self.functions.run, &self.calls().run, input)? };
        self.host.end().map_err(|error| match error {
            EndError::Complaint(problem) => self.failed(problem),
            EndError::Device(error) => error,
        })
    }

    /// Where the result of the last run lies.
    ///
    /// # Errors
    /// If that can't be.
    pub(crate) fn result(&self) -> Result<ResultIn, DeviceError> {
        let output = match self.functions.buffers {
            Buffers::Separate | Buffers::ToHost => return Ok(ResultIn::Output),
            Buffers::InPlace => return Ok(ResultIn::Input),
            Buffers::Either(output) => output,
        };
        // SAFETY: the state is the one that `prepare` made.
        match watched(&self.calls().output, || unsafe { output(self.state) }) {
            abi::INPUT_BUFFER => Ok(ResultIn::Input),
            abi::OUTPUT_BUFFER => Ok(ResultIn::Output),
            other => Err(self.failed(format!(
                "answered {other} in output; there are RECOBENCH_INPUT_BUFFER and \
                 RECOBENCH_OUTPUT_BUFFER"
            ))),
        }
    }

    /// The stages of the last run on the host.
    pub(crate) fn stages(&self) -> Stages {
        self.host.stages()
    }

    /// A failure of this plugin.
    pub(crate) fn failed(&self, problem: String) -> DeviceError {
        DeviceError::Plugin {
            plugin: self.functions.plugin.file.clone(),
            problem,
        }
    }

    fn memory(&self) -> Result<Needs, DeviceError> {
        let Some(memory) = self.functions.table.memory else {
            return Ok(Needs::default());
        };
        let mut needs = abi::Memory {
            size: size_of::<abi::Memory>(),
            scratch_bytes: 0,
            own_bytes: 0,
        };
        // SAFETY: the state is the one that `prepare` made.
        let answer = watched(&self.calls().memory, || unsafe {
            memory(self.state, self.host.as_ptr(), &raw mut needs)
        });
        match answer {
            abi::OK => Ok(Needs {
                scratch: needs.scratch_bytes,
                own: needs.own_bytes,
            }),
            answer => Err(self.refused(&self.calls().memory, answer)),
        }
    }

    /// # Safety
    /// As [`Instance::reset`].
    unsafe fn step(
        &self,
        step: abi::Step,
        call: &'static Call,
        input: *const c_void,
    ) -> Result<(), DeviceError> {
        // SAFETY: the state is the one that `prepare` made, all else as the caller
        // promises.
        let answer = watched(call, || unsafe {
            step(self.state, self.host.as_ptr(), input)
        });
        match answer {
            abi::OK => Ok(()),
            answer => Err(self.refused(call, answer)),
        }
    }

    fn refused(&self, call: &Call, answer: i32) -> DeviceError {
        refused(self.functions.plugin, call, answer, &self.host)
    }

    fn calls(&self) -> &'static Calls {
        self.functions.calls
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(release) = self.functions.table.release {
            // SAFETY: the state is the one that `prepare` made, and nobody uses it.
            watched(&self.calls().release, || unsafe { release(self.state) });
        }
    }
}

fn refused(plugin: &PluginInfo, call: &Call, answer: i32, host: &Host) -> DeviceError {
    let (function, reason) = (call.function, host.take_reason());
    let problem = match answer {
        abi::FAILED => format!("failed in {function}: {reason}"),
        other => format!("answered {other} in {function}: {reason}"),
    };
    DeviceError::Plugin {
        plugin: plugin.file.clone(),
        problem,
    }
}
