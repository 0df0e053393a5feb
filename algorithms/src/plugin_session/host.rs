//! What plugins are offered: threads, scratch memory, stages, a place for words.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use text::Foreign;

use crate::device::gpu::{DeviceError, Gpu, RESERVED_STAGES};
use crate::plugin::abi;
use crate::plugin::calls::Call;
use crate::plugin::loaded_variant::PluginInfo;
use crate::timing::{Laps, Stages};

/// The longest name of a stage.
const MOST_CHARACTERS: usize = 32;
/// A plugin with more stages than this makes up a name for each call.
const MOST_STAGES: usize = 256;

/// What is offered during calls. C sees the first field.
#[repr(C)]
pub(super) struct Host {
    offered: abi::Host,
    plugin: &'static PluginInfo,
    gpu: Option<Arc<Gpu>>,
    notes: Mutex<Notes>,
}

/// What a plugin said during calls.
#[derive(Default)]
struct Notes {
    /// Why a call is not OK.
    reason: Option<String>,
    /// What it must not have said.
    complaint: Option<String>,
    /// The stage that goes on.
    current: Option<&'static str>,
    /// Those that are over, on the host. A GPU has a timeline for them.
    laps: Laps,
}

impl Host {
    /// What a team of so many threads, or a GPU by its number, has to offer a plugin.
    pub(super) fn new(
        plugin: &'static PluginInfo,
        workers: usize,
        gpu: Option<(&Arc<Gpu>, i32)>,
    ) -> Result<Box<Self>, DeviceError> {
        let stream = gpu.map_or(Ok(0), |(gpu, _)| gpu.native_stream())?;
        Ok(Box::new(Host {
            offered: abi::Host {
                size: size_of::<abi::Host>(),
                workers: workers as u32,
                device: gpu.map_or(-1, |(_, number)| number),
                stream: std::ptr::with_exposed_provenance_mut(stream),
                scratch: null_mut(),
                scratch_bytes: 0,
                parallel,
                stage,
                explain,
            },
            plugin,
            gpu: gpu.map(|(gpu, _)| Arc::clone(gpu)),
            notes: Mutex::default(),
        }))
    }

    pub(super) fn as_ptr(&self) -> *const abi::Host {
        // All of it, since callbacks come back for the other fields.
        std::ptr::from_ref(self).cast()
    }

    /// Memory for the next calls.
    pub(super) fn lend(&mut self, scratch: *mut c_void, bytes: u64) {
        (self.offered.scratch, self.offered.scratch_bytes) = (scratch, bytes);
    }

    /// Why the last call was not OK, as far as the plugin told.
    pub(super) fn take_reason(&self) -> String {
        let reason = self.notes().reason.take();
        reason.unwrap_or_else(|| "without a reason".to_owned())
    }

    /// Forgets the stages of earlier runs.
    pub(super) fn begin(&self) {
        *self.notes() = Notes::default();
    }

    /// The last stage is over. If none was begun, what was put into a GPU's stream is
    /// a stage of its own.
    ///
    /// # Errors
    /// What is wrong with the stages, or if the GPU refuses.
    pub(super) fn end(&self) -> Result<(), DeviceError> {
        let mut notes = self.notes();
        if let Some(complaint) = notes.complaint.take() {
            return Err(self.plugin.failed(complaint));
        }
        match (&self.gpu, notes.current.take()) {
            (Some(gpu), current) => gpu.lap(current.unwrap_or("run"))?,
            (None, Some(current)) => notes.laps.lap(current, 0),
            (None, None) => {}
        }
        Ok(())
    }

    /// The stages of the last run, on the host.
    pub(super) fn stages(&self) -> Stages {
        self.notes().laps.stages()
    }

    /// What the answer of a call means.
    pub(super) fn judge(&self, call: &Call, answer: i32) -> Result<(), DeviceError> {
        let ended = match answer {
            abi::OK => return Ok(()),
            abi::FAILED => "failed".to_owned(),
            other => format!("answered {other}"),
        };
        let reason = self.take_reason();
        Err(self.plugin.failed(format!("{ended} in {}: {reason}", call.function)))
    }

    fn enter(&self, name: &'static str) -> Result<(), DeviceError> {
        let mut notes = self.notes();
        match (&self.gpu, notes.current.replace(name)) {
            (Some(gpu), Some(before)) => gpu.lap(before)?,
            (None, Some(before)) => notes.laps.lap(before, 0),
            (None, None) => notes.laps.start(),
            (Some(_), None) => {}
        }
        Ok(())
    }

    fn complain(&self, problem: String) {
        self.notes().complaint.get_or_insert(problem);
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// # Safety
/// `host` is one that [`Host::as_ptr`] gave, during a call.
unsafe fn host_of<'a>(host: *const abi::Host) -> Option<&'a Host> {
    // SAFETY: the caller promises that it is the first field of a `Host`.
    unsafe { host.cast::<Host>().as_ref() }
}

/// An argument that threads share: the plugin says that they may.
#[derive(Clone, Copy)]
struct Shared(*mut c_void);

// SAFETY: see above.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(self) -> *mut c_void {
        self.0
    }
}

unsafe extern "C" fn parallel(
    host: *const abi::Host,
    work: Option<abi::Work>,
    argument: *mut c_void,
) {
    let Some(work) = work else {
        // SAFETY: the header has plugins pass what they were given.
        if let Some(host) = unsafe { host_of(host) } {
            host.complain("called parallel with NULL for work".to_owned());
        }
        return;
    };
    if rayon::current_thread_index().is_none() {
        // SAFETY: the plugin wants this to be called with that.
        unsafe { work(argument, 0, 1) };
        return;
    }
    let argument = Shared(argument);
    rayon::broadcast(|context| {
        let (worker, workers) = (context.index() as u32, context.num_threads() as u32);
        // SAFETY: as above; the header says that threads run it at the same time.
        unsafe { work(argument.get(), worker, workers) };
    });
}

unsafe extern "C" fn stage(host: *const abi::Host, name: *const c_char) {
    // SAFETY: the header has plugins pass what they were given.
    let Some(host) = (unsafe { host_of(host) }) else {
        return;
    };
    // SAFETY: the header has texts end with a NUL.
    let entered = unsafe { stage_name(name) }
        .and_then(|name| host.enter(name).map_err(|error| error.to_string()));
    if let Err(problem) = entered {
        host.complain(problem);
    }
}

unsafe extern "C" fn explain(host: *const abi::Host, reason: *const c_char) {
    // SAFETY: the header has plugins pass what they were given, and a text.
    let (host, reason) = unsafe { (host_of(host), words(reason)) };
    if let (Some(host), Some(reason)) = (host, reason) {
        let one_line = reason.replace(char::is_control, " ");
        host.notes().reason = Some(one_line.trim().to_owned());
    }
}

/// # Safety
/// `text` is NULL or ends with a NUL.
unsafe fn words(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// The name of a stage, kept for ever: there are few.
///
/// # Safety
/// As [`words`].
unsafe fn stage_name(name: *const c_char) -> Result<&'static str, String> {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    // SAFETY: as the caller promises.
    let name = unsafe { words(name) }.ok_or("called stage with NULL")?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let is_name = (1..=MOST_CHARACTERS).contains(&name.len()) && name.chars().all(allowed);
    if !is_name || RESERVED_STAGES.contains(&name.as_str()) {
        return Err(format!(
            "called a stage {}; see recobench.h for what they can be called",
            name.quoted()
        ));
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name.as_str()) {
        return Ok(known);
    }
    if names.len() == MOST_STAGES {
        return Err(format!("has more than {MOST_STAGES} names of stages"));
    }
    let kept: &'static str = name.leak();
    names.insert(kept);
    Ok(kept)
}
