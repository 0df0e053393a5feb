//! The kernels that the build script compiled.

use std::ffi::c_void;

use super::config::Lanes;
use super::error::EmulatorError;
use super::threads::DeviceThread;

/// A kernel, compiled in one way.
pub(super) struct Kernel {
    pub(super) name: &'static str,
    lanes: u32,
    checked: bool,
    entry: *const Entry,
    pub(super) shared: Shared,
}

/// Where the static shared memory of a kernel's file lies, on each thread of the host.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    anchor: unsafe extern "C" fn() -> *mut u8,
    before: usize,
    pub(super) size: usize,
}

/// How a kernel is called: `EmulatorEntry` in `emulator/entry.h`.
#[repr(C)]
struct Entry {
    call: Call,
    sizes: *const u16,
    arguments: u32,
    shared_bytes: u32,
}

/// Runs a kernel for the current thread.
pub(super) type Call = unsafe extern "C" fn(arguments: *const *const c_void);

/// Gives the place of the host thread's pointer to the current CUDA thread.
pub(super) type ThreadSlot = unsafe extern "C" fn() -> *mut *const DeviceThread;

// SAFETY: the pointers are to constants of the kernels' objects.
unsafe impl Sync for Kernel {}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

impl Kernel {
    /// The kernel of that name.
    pub(super) fn find(name: &str, lanes: Lanes, checked: bool) -> Result<&Kernel, EmulatorError> {
        let fits = |k: &&Kernel| k.lanes == lanes.count() && k.checked == checked;
        let found = KERNELS.iter().filter(fits).find(|k| k.name == name);
        found.ok_or_else(|| EmulatorError::UnknownKernel {
            kernel: name.to_owned(),
            known: names().collect::<Vec<_>>().join(", "),
        })
    }

    pub(super) fn call(&self) -> Call {
        // SAFETY: the table points to constants.
        unsafe { (*self.entry).call }
    }

    /// Bytes of dynamic shared memory that each block has of it.
    pub(super) fn shared_bytes(&self) -> u32 {
        // SAFETY: the table points to constants.
        unsafe { (*self.entry).shared_bytes }
    }

    /// The sizes of the arguments in bytes.
    pub(super) fn argument_sizes(&self) -> &[u16] {
        // SAFETY: the table points to constants; `sizes` has at least `arguments`.
        unsafe {
            let entry = &*self.entry;
            std::slice::from_raw_parts(entry.sizes, entry.arguments as usize)
        }
    }
}

impl Shared {
    /// Where it begins on this thread of the host.
    pub(super) fn base(&self) -> *mut u8 {
        // SAFETY: the anchor lies in the same section, `before` bytes behind its
        // beginning: the build script read that from the object.
        unsafe { (self.anchor)().sub(self.before) }
    }
}

/// The names of all kernels.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let once = |k: &&Kernel| k.lanes == 32 && !k.checked;
    KERNELS.iter().filter(once).map(|k| k.name)
}
