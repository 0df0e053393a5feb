//! The part of `docs/plugin/recobench.h` that a sort on the host needs. The header says what each
//! field means.

use std::ffi::{c_char, c_void};

pub const ABI: u32 = 2;
pub const CPU: u32 = 1;
pub const IN_PLACE: u32 = 2;
pub const OK: i32 = 0;

pub type Work = unsafe extern "C" fn(argument: *mut c_void, worker: u32, workers: u32);
pub type Report = unsafe extern "C" fn(host: *const Host, words: *const c_char);
pub type Prepare = unsafe extern "C" fn(
    variant: *const Variant,
    host: *const Host,
    input: *const c_void,
    state: *mut *mut c_void,
) -> i32;
pub type Needs =
    unsafe extern "C" fn(state: *mut c_void, host: *const Host, memory: *mut Memory) -> i32;
pub type Step =
    unsafe extern "C" fn(state: *mut c_void, host: *const Host, input: *const c_void) -> i32;

#[repr(C)]
pub struct Host {
    pub size: usize,
    pub workers: u32,
    pub device: i32,
    pub stream: *mut c_void,
    pub scratch: *mut c_void,
    pub scratch_bytes: u64,
    pub parallel: unsafe extern "C" fn(host: *const Host, work: Work, argument: *mut c_void),
    pub stage: Report,
    pub explain: Report,
}

#[repr(C)]
pub struct Memory {
    pub size: usize,
    pub scratch_bytes: u64,
    pub own_bytes: u64,
}

#[repr(C)]
pub struct Sort {
    pub size: usize,
    pub digis: u64,
    pub segments: u64,
    pub offsets: *const u64,
    pub device_offsets: *const u64,
    pub input: *mut u64,
    pub output: *mut u64,
}

#[repr(C)]
pub struct Variant {
    pub size: usize,
    pub task: *const c_char,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub backend: u32,
    pub buffers: u32,
    pub stable: u32,
    pub omits: u32,
    pub waits: u32,
    pub prepare: Option<Prepare>,
    pub memory: Option<Needs>,
    pub reset: Option<Step>,
    pub run: Option<Step>,
    pub output: Option<unsafe extern "C" fn(state: *mut c_void) -> i32>,
    pub release: Option<unsafe extern "C" fn(state: *mut c_void)>,
    pub semantics: u32,
    pub order: u32,
}

#[repr(C)]
pub struct Table {
    pub size: usize,
    pub name: *const c_char,
    pub version: *const c_char,
    pub variant_count: u64,
    pub variants: *const &'static Variant,
}

// SAFETY: texts and functions that never change.
unsafe impl Sync for Variant {}
// SAFETY: as above.
unsafe impl Sync for Table {}
