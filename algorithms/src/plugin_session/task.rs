//! What a task says to take plugins.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::null_mut;

use crate::algorithm::{Algorithm, Metric};
use crate::device::gpu::{DeviceError, Gpu};

/// A task that takes plugins: its input has a struct in `recobench.h`.
pub(crate) trait PluginTask: Algorithm {
    /// What plugins are shown of an input, and what they make of it.
    fn describe(input: &Self::Input) -> Description<'_>;

    /// The output that lies in some bytes, which are aligned as the header says.
    fn output(bytes: &[u8]) -> Self::Output;

    /// Further figures on a GPU, if there are any: of runs that `run` makes.
    const FIGURES: Option<Figures> = None;
}

/// Figures of runs on a GPU.
pub(crate) type Figures =
    fn(&Gpu, run: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<Vec<Metric>, DeviceError>;

/// An input as plugins see it.
pub(crate) struct Description<'a> {
    /// The task's struct in the header.
    pub(crate) shown: Box<dyn Shown + 'a>,
    /// What runs read. The first one has a buffer on host and GPU, the others on a GPU only:
    /// on the host the struct points to them.
    pub(crate) arrays: Vec<Array<'a>>,
    /// Bytes of the output.
    pub(crate) output_bytes: usize,
    /// When arrays are copied to a GPU.
    pub(crate) upload: Upload,
}

impl<'a> Description<'a> {
    /// The arrays that have a buffer.
    pub(super) fn buffered(&self, on_gpu: bool) -> &[Array<'a>] {
        let count = if on_gpu { self.arrays.len() } else { 1 };
        &self.arrays[..count]
    }
}

/// When arrays are copied to a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upload {
    /// In the time of a run, from page-locked memory.
    InRun,
    /// Before it.
    BeforeRun,
}

/// What runs read.
pub(crate) struct Array<'a> {
    /// What it is called where something is wrong with it.
    pub(crate) name: &'static str,
    /// All bytes.
    pub(crate) content: Cow<'a, [u8]>,
    /// What is said of a run that changed it, by its name, at a byte; `None` if nobody looks.
    pub(crate) changed: Option<fn(&str, usize) -> String>,
}

/// What is said of a run that changed an array of bytes.
pub(crate) fn changed_at_byte(name: &str, byte: usize) -> String {
    format!("it changed {name}, at byte {byte}")
}

/// The struct of a task in the header, with what it points to.
pub(crate) trait Shown: Send {
    /// For a call.
    fn as_ptr(&self) -> *const c_void;

    /// With these buffers, from now on.
    fn set(&mut self, buffers: &Addresses);

    /// What a plugin did to what it points to on the host.
    fn damage(&self) -> Option<String> {
        None
    }

    /// Bytes of the input that it points to on the host.
    fn bytes(&self) -> u64 {
        0
    }
}

/// Where buffers are that plugins are shown.
pub(crate) struct Addresses {
    /// Those of the arrays, as far as they have some.
    pub(super) arrays: Vec<*mut c_void>,
    /// NULL if there is none.
    pub(crate) output: *mut c_void,
    /// NULL unless the result is to be brought there.
    pub(crate) host_output: *mut c_void,
    pub(super) scratch: *mut c_void,
}

impl Addresses {
    /// Of an array, by its number in the description; NULL if it has no buffer.
    pub(crate) fn array<T>(&self, number: usize) -> *mut T {
        self.arrays.get(number).map_or(null_mut(), |at| at.cast())
    }
}
