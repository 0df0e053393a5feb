//! Calls of the functions of a library's task.

use std::ffi::CString;
use std::path::Path;
use std::ptr::null_mut;

use portable_gpu::DeviceError;

use super::super::host::Host;
use super::handle::InputHandle;
use super::params::CParams;
use crate::plugin::abi;
use crate::plugin::hooks::{Call, watched};
use crate::plugin::loaded_task::LoadedTask;
use crate::plugin::task_abi;

/// The first arguments of all functions.
type FirstArguments = (*const task_abi::Task, *const abi::Host);

/// Calls a function. It answers for itself why it failed.
pub(super) fn call(
    task: &LoadedTask,
    call: &'static Call,
    function: impl FnOnce(FirstArguments) -> i32,
) -> Result<(), DeviceError> {
    let (host, answer) = answer(task, call, function)?;
    host.judge(call, answer)
}

fn answer(
    task: &LoadedTask,
    call: &'static Call,
    function: impl FnOnce(FirstArguments) -> i32,
) -> Result<(Box<Host>, i32), DeviceError> {
    let workers = match rayon::current_thread_index() {
        Some(_) => rayon::current_num_threads(),
        None => 1,
    };
    let host = Host::new(task.plugin, workers, None)?;
    let answer = watched(call, || function((task.table.as_ptr(), host.as_ptr())));
    Ok((host, answer))
}

/// Bytes of an input and of its output, by parameters.
pub(super) fn plan(
    task: &'static LoadedTask,
    params: &CParams,
) -> Result<task_abi::PlannedBytes, DeviceError> {
    let size = size_of::<task_abi::PlannedBytes>();
    let mut plan = task_abi::PlannedBytes { size, input_bytes: 0, output_bytes: 0 };
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.plan, |(table, host)| unsafe {
        (task.functions.plan)(table, host, params.as_ptr(), &raw mut plan)
    })?;
    Ok(plan)
}

/// Generates an input.
pub(super) fn generate(
    task: &'static LoadedTask,
    generate: task_abi::Generate,
    params: &CParams,
    seed: u64,
) -> Result<InputHandle, DeviceError> {
    let mut handle = null_mut();
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.generate, |(table, host)| unsafe {
        generate(table, host, params.as_ptr(), seed, &raw mut handle)
    })?;
    InputHandle::new(task, handle, "generate")
}

/// Makes a hard input.
pub(super) fn hard_input(
    task: &'static LoadedTask,
    index: usize,
    seed: u64,
) -> Result<InputHandle, DeviceError> {
    let mut handle = null_mut();
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.hard_input, |(table, host)| unsafe {
        (task.functions.hard_input)(table, host, index as u64, seed, &raw mut handle)
    })?;
    InputHandle::new(task, handle, "hard_input")
}

/// Reads an input from a file.
pub(super) fn read(
    task: &'static LoadedTask,
    read: task_abi::ReadFile,
    path: &Path,
) -> Result<InputHandle, DeviceError> {
    let path = c_path(task, path)?;
    let mut handle = null_mut();
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.read, |(table, host)| unsafe {
        read(table, host, path.as_ptr(), &raw mut handle)
    })?;
    InputHandle::new(task, handle, "read")
}

/// Writes an input to a file.
pub(super) fn write(
    input: &InputHandle,
    write: task_abi::WriteFile,
    path: &Path,
) -> Result<(), DeviceError> {
    let task = input.task();
    let path = c_path(task, path)?;
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    call(task, &task.calls.write, |(table, host)| unsafe {
        write(table, host, input.as_ptr(), path.as_ptr())
    })
}

/// Makes a smaller input; `None` after the last one.
pub(super) fn shrink(
    input: &InputHandle,
    shrink: task_abi::Shrink,
    index: u64,
) -> Result<Option<InputHandle>, DeviceError> {
    let task = input.task();
    let mut handle = null_mut();
    // SAFETY: the arguments are as the header specifies, and valid during the call.
    let (host, answer) = answer(task, &task.calls.shrink, |(table, host)| unsafe {
        shrink(table, host, input.as_ptr(), index, &raw mut handle)
    })?;
    if answer == abi::UNAVAILABLE {
        return Ok(None);
    }
    host.judge(&task.calls.shrink, answer)?;
    InputHandle::new(task, handle, "shrink").map(Some)
}

fn c_path(task: &LoadedTask, path: &Path) -> Result<CString, DeviceError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_unusable = |_| task.plugin.failed("can't use a path with a zero byte in it");
    CString::new(bytes).map_err(is_unusable)
}
