//! The library's handle of an input.

use std::ffi::c_void;

use portable_gpu::DeviceError;

use crate::plugin::hooks::watched;
use crate::plugin::loaded_task::LoadedTask;

/// The library's handle of an input, which is released when it is dropped.
pub(super) struct InputHandle {
    task: &'static LoadedTask,
    handle: *mut c_void,
}

// SAFETY: the header says that calls with an input come on any thread.
unsafe impl Send for InputHandle {}
// SAFETY: the header says that what an input points to stays as it is; calls with it come one at a
// time.
unsafe impl Sync for InputHandle {}

impl InputHandle {
    /// Takes a handle that a function returned.
    pub(super) fn new(
        task: &'static LoadedTask,
        handle: *mut c_void,
        function: &str,
    ) -> Result<Self, DeviceError> {
        if handle.is_null() {
            let problem = format!("set no input in {function}, but answered RECOBENCH_OK");
            return Err(task.plugin.failed(problem));
        }
        Ok(InputHandle { task, handle })
    }

    /// The task that it is an input of.
    pub(super) fn task(&self) -> &'static LoadedTask {
        self.task
    }

    /// Pointer for calls.
    pub(super) fn as_ptr(&self) -> *const c_void {
        self.handle
    }
}

impl Drop for InputHandle {
    fn drop(&mut self) {
        let release = self.task.functions.release;
        // SAFETY: the library returned the handle, and it is not used any more.
        watched(&self.task.calls.release, || unsafe {
            release(self.task.table.as_ptr(), self.handle);
        });
    }
}
