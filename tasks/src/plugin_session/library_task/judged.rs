//! Reference, check and metrics of a library's task.

use std::ffi::c_void;
use std::ptr::null;

use portable_gpu::{DeviceError, POISON};

use super::super::buffer::Guarded;
use super::calls::call;
use super::input::LibraryInput;
use super::output::{LibraryOutput, OutputArray, OutputDifference};
use crate::plugin::loaded_task::{ArraySpec, LoadedTask};
use crate::plugin::task_abi;

/// Reason why an output is not accepted.
#[derive(Debug, thiserror::Error)]
pub(super) enum JudgeError {
    /// It differs from the right one.
    #[error(transparent)]
    Different(#[from] OutputDifference),
    /// The library's check refuses it.
    #[error("{0}")]
    Refused(DeviceError),
}

/// Arrays of an output, as functions of the library see them.
struct ShownOutputs {
    shown: task_abi::Outputs,
    _arrays: Vec<*mut c_void>,
    _capacities: Vec<u64>,
    lengths: Vec<u64>,
}

impl ShownOutputs {
    fn new(arrays: Vec<*mut c_void>, capacities: Vec<u64>) -> Self {
        let mut lengths = capacities.clone();
        ShownOutputs {
            shown: task_abi::Outputs {
                size: size_of::<task_abi::Outputs>(),
                count: arrays.len() as u64,
                arrays: arrays.as_ptr(),
                capacities: capacities.as_ptr(),
                lengths: lengths.as_mut_ptr(),
            },
            _arrays: arrays,
            _capacities: capacities,
            lengths,
        }
    }

    /// An output to be read.
    fn of_output(output: &LibraryOutput) -> Self {
        let address = |array: &OutputArray| array.content.as_ptr().cast_mut();
        let length = |array: &OutputArray| array.len() as u64;
        ShownOutputs::new(
            output.0.iter().map(address).collect(),
            output.0.iter().map(length).collect(),
        )
    }

    fn as_ptr(&self) -> *const task_abi::Outputs {
        &raw const self.shown
    }
}

/// Computes the right output.
///
/// # Errors
/// If the call fails, or its answer can't be.
pub(super) fn reference(
    task: &'static LoadedTask,
    input: &LibraryInput,
) -> Result<LibraryOutput, DeviceError> {
    let handle = input.handle()?;
    let failed = |problem: String| task.plugin.failed(problem);
    let in_reference = |problem: String| failed(format!("in reference: {problem}"));
    let specs = task.outputs.iter().zip(&input.capacities);
    let buffer = |(spec, &capacity): (&ArraySpec, &u64)| {
        let mut buffer = Guarded::new(capacity as usize * spec.element_bytes)?;
        buffer.bytes_mut().fill(POISON);
        Ok(buffer)
    };
    let buffers = specs.clone().map(buffer).collect::<Result<Vec<Guarded>, String>>();
    let buffers = buffers.map_err(failed)?;
    let addresses = buffers.iter().map(|buffer| buffer.as_ptr().cast()).collect();
    let shown = ShownOutputs::new(addresses, input.capacities.clone());
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.reference, |(table, host)| unsafe {
        (task.functions.reference)(table, host, handle.as_ptr(), shown.as_ptr())
    })?;
    let arrays =
        specs.zip(&buffers).zip(&shown.lengths).map(|(((spec, &capacity), buffer), &length)| {
            if buffer.overrun().is_some() {
                return Err(format!("it wrote out of bounds of its {}", spec.name));
            }
            let bytes = bytes_of_length(spec, length, capacity)?;
            Ok(OutputArray::new(*spec, &buffer.bytes()[..bytes]))
        });
    let arrays = arrays.collect::<Result<Vec<OutputArray>, String>>();
    Ok(LibraryOutput(arrays.map_err(in_reference)?))
}

/// Size of an output that has `length` elements as it says.
pub(super) fn bytes_of_length(
    spec: &ArraySpec,
    length: u64,
    capacity: u64,
) -> Result<usize, String> {
    let name = spec.name;
    if length > capacity {
        return Err(format!(
            "it set the length of its {name} to {length}, but there is capacity for {capacity}"
        ));
    }
    Ok(length as usize * spec.element_bytes)
}

/// Checks an output, by the library's check if it has one.
///
/// # Errors
/// The first difference.
pub(super) fn check(
    task: &'static LoadedTask,
    input: &LibraryInput,
    right: &LibraryOutput,
    output: &LibraryOutput,
) -> Result<(), JudgeError> {
    let Some(check) = task.functions.check else {
        return Ok(output.difference(right)?);
    };
    if output.0.len() != right.0.len() {
        return Ok(output.difference(right)?);
    }
    let handle = input.handle().map_err(JudgeError::Refused)?;
    let right = ShownOutputs::of_output(right);
    let output = ShownOutputs::of_output(output);
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    let checked = call(task, &task.calls.check, |(table, host)| unsafe {
        check(table, host, handle.as_ptr(), right.as_ptr(), output.as_ptr())
    });
    checked.map_err(JudgeError::Refused)
}

/// Values of the metrics of an output, NaN where one is not known.
///
/// # Errors
/// If the call fails.
pub(super) fn measure(
    task: &'static LoadedTask,
    measure: task_abi::Measure,
    input: &LibraryInput,
    output: &LibraryOutput,
) -> Result<Vec<f64>, DeviceError> {
    let handle = input.handle()?;
    let mut values = vec![f64::NAN; task.metrics.len()];
    let output = ShownOutputs::of_output(output);
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.measure, |(table, host)| unsafe {
        measure(table, host, handle.as_ptr(), output.as_ptr(), values.as_mut_ptr())
    })?;
    Ok(values)
}

/// Pointers to no arrays: those before there are buffers.
pub(super) const NO_ARRAYS: *const *mut c_void = null();
