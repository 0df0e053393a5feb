//! Interface of tasks that take plugins.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::null_mut;

use portable_gpu::{DeviceError, Gpu};

use crate::algorithm::{Algorithm, Metric, Semantics};

/// A task that takes plugins: its input has a struct in `recobench.h`, and [`Algorithm::contract`]
/// defines the declarations of variants.
pub trait PluginTask: Algorithm {
    /// Describes the data that a plugin reads, and how its output is read.
    fn describe<'a>(
        &self,
        input: &'a Self::Input,
        asked: PluginRequest,
    ) -> Description<'a, Self::Output>;
    /// State of the data at the start of runs, in words, if it differs between variants of the
    /// task.
    fn given(&self, _: PluginRequest) -> &'static str {
        ""
    }

    /// Semantics of the output for an input, for variants that support both `exact` and
    /// `published`.
    fn semantics(_: &Self::Input) -> Semantics {
        Semantics::Exact
    }

    /// Measures further metrics on a GPU, by runs that it makes.
    const FIGURES: Option<Figures> = None;
}

/// Options of a variant.
#[derive(Clone, Copy, Debug)]
pub struct PluginRequest {
    /// Semantics of the output.
    pub semantics: Semantics,
    /// True if output is sorted by time, where the order is the variant's choice.
    pub by_time: bool,
}

/// Metrics of runs on a GPU.
pub type Figures =
    fn(&Gpu, run: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<Vec<Metric>, DeviceError>;

/// An input as plugins see it. Tasks whose input consists of arrays only build it by a
/// [`Layout`](super::Layout).
pub struct Description<'a, O> {
    /// The task's struct of the header.
    pub shown: Box<dyn AbiInput + 'a>,
    /// Data that runs read. All have a buffer on a GPU.
    pub arrays: Vec<Array<'a>>,
    /// Number of arrays, the first ones, that have a buffer on the host; the struct points to the
    /// others.
    pub on_host: usize,
    /// Data that runs write.
    pub outputs: Vec<OutputSpec>,
    /// Time of copies of the arrays to a GPU.
    pub upload: Upload,
    /// Reads the output from these buffers, which are aligned as the header specifies.
    pub read: Read<'a, O>,
}

/// Reads an output, or describes why it is invalid.
pub type Read<'a, O> = Box<dyn Fn(&[&[u8]]) -> Result<O, String> + Send + 'a>;

impl<'a, O> Description<'a, O> {
    /// The arrays that have a buffer.
    pub(super) fn buffered(&self, on_gpu: bool) -> &[Array<'a>] {
        let count = if on_gpu { self.arrays.len() } else { self.on_host };
        &self.arrays[..count]
    }
}

/// Time of copies of the arrays to a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upload {
    /// During a run and timed, from page-locked memory.
    InRun,
    /// Before a run.
    BeforeRun,
}

/// An array that runs read.
pub struct Array<'a> {
    /// Name in messages.
    pub name: Cow<'static, str>,
    /// All bytes.
    pub content: Cow<'a, [u8]>,
    /// Describes a change of the array by its name and the changed byte; `None` if changes are not
    /// checked.
    pub changed: Option<fn(&str, usize) -> String>,
}

/// An array that runs write.
pub struct OutputSpec {
    /// Name in messages.
    pub name: Cow<'static, str>,
    /// Size in bytes.
    pub bytes: usize,
}

impl OutputSpec {
    /// The only output of a task.
    pub fn from_output(bytes: usize) -> Self {
        OutputSpec { name: "its output".into(), bytes }
    }
}

/// Describes a change of an array of bytes.
pub fn changed_at_byte(name: &str, byte: usize) -> String {
    format!("it changed {name}, at byte {byte}")
}

/// The task's struct of the header, with what it points to.
pub trait AbiInput: Send {
    /// Pointer for calls.
    fn as_ptr(&self) -> *const c_void;

    /// Sets the pointers to the buffers.
    fn set(&mut self, buffers: &Addresses);

    /// Describes changes of the host data that it points to.
    fn damage(&self) -> Option<String> {
        None
    }

    /// Bytes of the host data of the input that it points to.
    fn bytes(&self) -> u64 {
        0
    }
}

/// Addresses of the buffers of a plugin.
#[derive(Default)]
pub struct Addresses {
    /// Addresses of the arrays that have a buffer.
    pub(super) arrays: Vec<*mut c_void>,
    /// Addresses of the outputs; none if the result is in the input or on the host.
    pub(super) outputs: Vec<*mut c_void>,
    /// Address of the result on the host, if it is to be copied there.
    pub(super) on_host: Option<*mut c_void>,
}

impl Addresses {
    /// Address of an array by its index in the description; NULL if it has no buffer.
    pub fn array<T>(&self, index: usize) -> *mut T {
        self.arrays.get(index).map_or(null_mut(), |at| at.cast())
    }

    /// Address of an output by its index in the description; NULL if it has no buffer.
    pub fn output<T>(&self, index: usize) -> *mut T {
        self.outputs.get(index).map_or(null_mut(), |at| at.cast())
    }

    /// Address of the result on the host; NULL if there is none.
    pub fn host_output<T>(&self) -> *mut T {
        self.on_host.map_or(null_mut(), |at| at.cast())
    }
}
