//! The part of `docs/plugin/recobench.h` that these variants need, and reasons why a variant can't run.
//! The header documents each field.

use std::ffi::{CString, c_char, c_void};
use std::fmt;

use cudarc::driver::result::DriverError;

pub(crate) const ABI: u32 = 2;
pub(crate) const CUDA: u32 = 2;
pub(crate) const SEPARATE: u32 = 0;
pub(crate) const IN_PLACE: u32 = 2;
pub(crate) const OK: i32 = 0;
pub(crate) const UNAVAILABLE: i32 = 1;
pub(crate) const FAILED: i32 = 2;

pub(crate) type Work = unsafe extern "C" fn(argument: *mut c_void, worker: u32, workers: u32);
pub(crate) type MessageFn = unsafe extern "C" fn(host: *const Host, words: *const c_char);
pub(crate) type Prepare = unsafe extern "C" fn(
    variant: *const Variant,
    host: *const Host,
    input: *const c_void,
    state: *mut *mut c_void,
) -> i32;
pub(crate) type Needs =
    unsafe extern "C" fn(state: *mut c_void, host: *const Host, memory: *mut Memory) -> i32;
pub(crate) type Step =
    unsafe extern "C" fn(state: *mut c_void, host: *const Host, input: *const c_void) -> i32;

#[repr(C)]
pub(crate) struct Host {
    pub(crate) size: usize,
    pub(crate) workers: u32,
    pub(crate) device: i32,
    pub(crate) stream: *mut c_void,
    pub(crate) scratch: *mut c_void,
    pub(crate) scratch_bytes: u64,
    pub(crate) parallel: unsafe extern "C" fn(host: *const Host, work: Work, argument: *mut c_void),
    pub(crate) stage: MessageFn,
    pub(crate) explain: MessageFn,
}

#[repr(C)]
pub(crate) struct Memory {
    pub(crate) size: usize,
    pub(crate) scratch_bytes: u64,
    pub(crate) own_bytes: u64,
}

#[repr(C)]
pub(crate) struct Sort {
    pub(crate) size: usize,
    pub(crate) digis: u64,
    pub(crate) segments: u64,
    pub(crate) offsets: *const u64,
    pub(crate) device_offsets: *const u64,
    pub(crate) input: *mut u64,
    pub(crate) output: *mut u64,
}

#[repr(C)]
pub(crate) struct NoisyPads {
    pub(crate) size: usize,
    pub(crate) sectors: u64,
    pub(crate) time_bins: u64,
    pub(crate) map_entries: u64,
    pub(crate) rows: u64,
    pub(crate) pads: u64,
    pub(crate) most_charges: u32,
    pub(crate) most_run: u32,
    pub(crate) saturation: u32,
    pub(crate) charges: *const u16,
    pub(crate) pads_in_row: *const u32,
    pub(crate) found: *mut u16,
    pub(crate) host_pads_in_row: *const u32,
}

#[repr(C)]
pub struct Variant {
    pub(crate) size: usize,
    pub(crate) task: *const c_char,
    pub(crate) name: *const c_char,
    pub(crate) summary: *const c_char,
    pub(crate) backend: u32,
    pub(crate) buffers: u32,
    pub(crate) stable: u32,
    pub(crate) omits: u32,
    pub(crate) waits: u32,
    pub(crate) prepare: Option<Prepare>,
    pub(crate) memory: Option<Needs>,
    pub(crate) reset: Option<Step>,
    pub(crate) run: Option<Step>,
    pub(crate) output: Option<unsafe extern "C" fn(state: *mut c_void) -> i32>,
    pub(crate) release: Option<unsafe extern "C" fn(state: *mut c_void)>,
    pub(crate) semantics: u32,
    pub(crate) order: u32,
    pub(crate) native: *const c_char,
    pub(crate) written_as: *const c_char,
    pub(crate) differs: *const c_char,
}

#[repr(C)]
pub struct Table {
    pub(crate) size: usize,
    pub(crate) name: *const c_char,
    pub(crate) version: *const c_char,
    pub(crate) variant_count: u64,
    pub(crate) variants: *const &'static Variant,
}

// SAFETY: texts and functions that never change.
unsafe impl Sync for Variant {}
// SAFETY: texts and functions that never change.
unsafe impl Sync for Table {}

/// Reason why a call failed.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    /// Not available on this machine, or not for this input.
    Unavailable(String),
    /// Something went wrong.
    Failed(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Problem::Unavailable(words) | Problem::Failed(words)) = self;
        f.write_str(words)
    }
}

impl From<DriverError> for Problem {
    fn from(error: DriverError) -> Self {
        let words = error.error_string().map(|words| words.to_string_lossy().into_owned());
        Problem::Failed(words.unwrap_or_else(|_| format!("{error:?}")))
    }
}

/// Converts a result to a return code; bench gets the reason of an error.
pub(crate) fn answer(host: &Host, result: Result<(), Problem>) -> i32 {
    let Err(problem) = result else { return OK };
    if let Ok(words) = CString::new(problem.to_string()) {
        // SAFETY: `explain` is bench's function, called with bench's host pointer during a call of
        // bench; `words` is a C string.
        unsafe { (host.explain)(host, words.as_ptr()) };
    }
    match problem {
        Problem::Unavailable(_) => UNAVAILABLE,
        Problem::Failed(_) => FAILED,
    }
}
