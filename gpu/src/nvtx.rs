//! Named ranges for profilers: NVTX, by the interface through which tools are injected.
//!
//! `nsys profile` and `ncu --nvtx` name their library in an environment variable. The program loads
//! it and hands out tables of function pointers, into which the tool writes its functions. That is
//! what NVIDIA's headers do in C; libnvToolsExt, which toolkits up to 12 have, is not needed.

use std::env;
use std::ffi::{CString, OsString, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::mem;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::{Library, Symbol};
use text::Untrusted;

/// Variable with the path of the library of a profiler.
const VARIABLE: &str = "NVTX_INJECTION64_PATH";
/// Function of that library, which gets [`export_table`].
const INITIALIZE: &[u8] = b"InitializeInjectionNvtx2\0";
/// Version of the interface.
const VERSION: u32 = 3;

/// Ids of export tables.
const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// Modules of functions with the number of their ids, 0 included, which is no function: none, core,
/// CUDA, OpenCL, CUDA runtime, core of version 2, synchronisation.
const MODULES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
/// The module with the functions of ranges, and their ids there.
const CORE: usize = 1;
const RANGE_PUSH: usize = 9;
const RANGE_POP: usize = 11;
/// Maximum number of ids, with a null pointer after the last one.
const MAX_IDS: usize = 17;

type ExportTable = extern "C" fn(id: u32) -> *const c_void;
type Initialize = unsafe extern "C" fn(ExportTable) -> c_int;
type Push = unsafe extern "C" fn(*const c_char) -> c_int;
type Pop = unsafe extern "C" fn() -> c_int;

/// Function pointers by module and id, null without a tool.
static FUNCTIONS: [[AtomicPtr<c_void>; MAX_IDS]; MODULES.len()] =
    [const { [const { AtomicPtr::new(null_mut()) }; MAX_IDS] }; MODULES.len()];
/// Tables of their addresses, as tools see them.
static TABLES: [[Slot; MAX_IDS]; MODULES.len()] = tables();

/// Address of a function pointer, or null.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Slot(*const AtomicPtr<c_void>);

// SAFETY: it is null or points to a static atomic.
unsafe impl Sync for Slot {}

const fn tables() -> [[Slot; MAX_IDS]; MODULES.len()] {
    let mut tables = [[Slot(std::ptr::null()); MAX_IDS]; MODULES.len()];
    let mut module = 0;
    while module < MODULES.len() {
        let mut id = 1;
        while id < MODULES[module] {
            tables[module][id] = Slot(&raw const FUNCTIONS[module][id]);
            id += 1;
        }
        module += 1;
    }
    tables
}

#[repr(C)]
struct Callbacks {
    size: usize,
    module_table: extern "C" fn(c_uint, *mut *const Slot, *mut c_uint) -> c_int,
}

#[repr(C)]
struct VersionInfo {
    size: usize,
    version: u32,
    reserved: u32,
    set_version: extern "C" fn(u32),
}

static CALLBACK_TABLE: Callbacks = Callbacks { size: mem::size_of::<Callbacks>(), module_table };
static VERSION_TABLE: VersionInfo =
    VersionInfo { size: mem::size_of::<VersionInfo>(), version: VERSION, reserved: 0, set_version };

extern "C" fn export_table(id: u32) -> *const c_void {
    match id {
        CALLBACKS => (&raw const CALLBACK_TABLE).cast(),
        VERSION_INFO => (&raw const VERSION_TABLE).cast(),
        _ => std::ptr::null(),
    }
}

/// Hands out the table of a module and its number of ids; returns 0 if there is no such module.
extern "C" fn module_table(module: c_uint, table: *mut *const Slot, ids: *mut c_uint) -> c_int {
    let Some(index) = usize::try_from(module).ok().filter(|it| (1..MODULES.len()).contains(it))
    else {
        return 0;
    };
    // SAFETY: a tool passes null or its own variables.
    unsafe {
        if let Some(table) = table.as_mut() {
            *table = TABLES[index].as_ptr();
        }
        if let Some(ids) = ids.as_mut() {
            *ids = MODULES[index] as c_uint;
        }
    }
    1
}

extern "C" fn set_version(_: u32) {}

/// Reason why no profiler takes ranges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRanges {
    /// The program runs below no profiler.
    #[error("no profiler takes ranges (NVTX): run it below nsys profile or ncu --nvtx")]
    NoProfiler,
    /// The library of the profiler can't be used.
    #[error("{VARIABLE}={path}: {problem}; no ranges (NVTX) are shown")]
    Broken {
        /// Its path.
        path: String,
        /// The problem.
        problem: String,
    },
}

/// Functions of a profiler that begin and end ranges of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Ranges {
    push: Push,
    pop: Pop,
}

/// A range of the current thread, which ends when it is dropped.
#[must_use = "the range ends when this is dropped"]
#[derive(Debug)]
pub struct Range {
    pop: Pop,
    /// Ranges end on the thread that they began on.
    thread: PhantomData<*const ()>,
}

/// Ranges of the stages of a run, with names that begin with those of its task and variant.
#[derive(Clone, Debug)]
pub struct StageRanges {
    /// The profiler.
    pub ranges: Ranges,
    /// Beginning of all names.
    pub prefix: String,
}

impl Ranges {
    /// Loads the library of the profiler that the program runs below, once.
    ///
    /// # Errors
    /// If there is none, or it takes no ranges.
    pub fn open() -> Result<Self, NoRanges> {
        static OPENED: OnceLock<Result<Ranges, NoRanges>> = OnceLock::new();
        let load = || load(env::var_os(VARIABLE).ok_or(NoRanges::NoProfiler)?);
        OPENED.get_or_init(load).clone()
    }

    /// Begins a range.
    pub fn range(self, name: &str) -> Range {
        let name = CString::new(name.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the tool copies a text that ends with a null byte.
        unsafe { (self.push)(name.as_ptr()) };
        Range { pop: self.pop, thread: PhantomData }
    }

    /// Functions that a tool has written into the tables.
    fn written() -> Option<Self> {
        let function = |id: usize| {
            let pointer = FUNCTIONS[CORE][id].load(Ordering::Acquire);
            (!pointer.is_null()).then_some(pointer)
        };
        let push = function(RANGE_PUSH)?;
        let pop = function(RANGE_POP)?;
        // SAFETY: tools write functions of the types that belong to the ids.
        unsafe {
            Some(Ranges {
                push: mem::transmute::<*mut c_void, Push>(push),
                pop: mem::transmute::<*mut c_void, Pop>(pop),
            })
        }
    }
}

impl StageRanges {
    /// Begins the range of a stage.
    pub fn range(&self, stage: &str) -> Range {
        self.ranges.range(&format!("{}/{stage}", self.prefix))
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: it ends the last range of this thread, which is this one.
        unsafe { (self.pop)() };
    }
}

fn load(path: OsString) -> Result<Ranges, NoRanges> {
    let broken = |problem: String| NoRanges::Broken {
        path: path.escaped().to_string(),
        problem: problem.escaped().to_string(),
    };
    // SAFETY: the user named the library of a profiler, to be loaded into programs.
    let library = unsafe { Library::new(&path) }.map_err(|error| broken(error.to_string()))?;
    // SAFETY: a function of that name has this type.
    let initialize: Result<Symbol<'_, Initialize>, _> = unsafe { library.get(INITIALIZE) };
    let initialize = *initialize.map_err(|error| broken(error.to_string()))?;
    // Its functions are called until the process ends.
    mem::forget(library);
    // SAFETY: as above; it gets the function that it asks for.
    let is_ready = unsafe { initialize(export_table) } != 0;
    let ranges = if is_ready { Ranges::written() } else { None };
    ranges.ok_or_else(|| broken("the profiler takes no ranges".to_owned()))
}

#[cfg(test)]
mod tests;
