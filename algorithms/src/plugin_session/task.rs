//! What a task says to take plugins.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::null_mut;

use crate::algorithm::{Algorithm, Metric, Semantics};
use crate::device::gpu::{DeviceError, Gpu};

/// A task that takes plugins: its input has a struct in `recobench.h`, and what variants may say
/// of themselves is in [`Algorithm::contract`].
pub(crate) trait PluginTask: Algorithm {
    /// What a plugin is shown of an input, and how what it makes of it is read.
    fn describe<'a>(&self, input: &'a Self::Input, asked: Asked) -> Description<'a, Self::Output>;
    /// What it is given, in words, where variants of the task are given different things.
    fn given(&self, _: Asked) -> &'static str {
        ""
    }

    /// The right answer to an input, for variants that know both `exact` and `published`.
    fn semantics(_: &Self::Input) -> Semantics {
        Semantics::Exact
    }

    /// Further figures on a GPU, if there are any: of runs that `run` makes.
    const FIGURES: Option<Figures> = None;
}

/// What is asked of a variant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Which right answer.
    pub(crate) semantics: Semantics,
    /// Whether what it chooses an order of is in order of time.
    pub(crate) by_time: bool,
}

/// Figures of runs on a GPU.
pub(crate) type Figures =
    fn(&Gpu, run: &mut dyn FnMut() -> Result<(), DeviceError>) -> Result<Vec<Metric>, DeviceError>;

/// An input as plugins see it. Tasks whose input is nothing but arrays make it by a
/// [`Layout`](super::Layout).
pub(crate) struct Description<'a, O> {
    /// The task's struct in the header.
    pub(crate) shown: Box<dyn Shown + 'a>,
    /// What runs read. All have a buffer on a GPU.
    pub(crate) arrays: Vec<Array<'a>>,
    /// How many of them, the first ones, have a buffer on the host; to the others the struct
    /// points.
    pub(crate) on_host: usize,
    /// What runs write.
    pub(crate) outputs: Vec<Room>,
    /// When arrays are copied to a GPU.
    pub(crate) upload: Upload,
    /// The output that lies in these buffers, which are aligned as the header says.
    pub(crate) read: Read<'a, O>,
}

/// Reads an output, or says what a plugin left there that can't be.
pub(crate) type Read<'a, O> = Box<dyn Fn(&[&[u8]]) -> Result<O, String> + Send + 'a>;

impl<'a, O> Description<'a, O> {
    /// The arrays that have a buffer.
    pub(super) fn buffered(&self, on_gpu: bool) -> &[Array<'a>] {
        let count = if on_gpu { self.arrays.len() } else { self.on_host };
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
    pub(crate) name: Cow<'static, str>,
    /// All bytes.
    pub(crate) content: Cow<'a, [u8]>,
    /// What is said of a run that changed it, by its name, at a byte; `None` if nobody looks.
    pub(crate) changed: Option<fn(&str, usize) -> String>,
}

/// Room for what runs write.
pub(crate) struct Room {
    /// What it is called where something is wrong with it.
    pub(crate) name: Cow<'static, str>,
    /// Bytes.
    pub(crate) bytes: usize,
}

impl Room {
    /// For the only output of a task.
    pub(crate) fn of_output(bytes: usize) -> Self {
        Room { name: "its output".into(), bytes }
    }
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
#[derive(Default)]
pub(crate) struct Addresses {
    /// Those of the arrays, as far as they have some.
    pub(super) arrays: Vec<*mut c_void>,
    /// Those of the outputs, unless the input takes the result, or the host.
    pub(super) outputs: Vec<*mut c_void>,
    /// Where the result is to be brought on the host, if anywhere.
    pub(super) on_host: Option<*mut c_void>,
}

impl Addresses {
    /// Of an array, by its number in the description; NULL if it has no buffer.
    pub(crate) fn array<T>(&self, number: usize) -> *mut T {
        self.arrays.get(number).map_or(null_mut(), |at| at.cast())
    }

    /// The same of an output.
    pub(crate) fn output<T>(&self, number: usize) -> *mut T {
        self.outputs.get(number).map_or(null_mut(), |at| at.cast())
    }

    /// Where the result is to be brought on the host; NULL if nowhere.
    pub(crate) fn host_output<T>(&self) -> *mut T {
        self.on_host.map_or(null_mut(), |at| at.cast())
    }
}
