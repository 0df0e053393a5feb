//! Services for plugins: threads, scratch memory, stages, and error texts.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portable_gpu::timing::{Laps, Stages};
use portable_gpu::{DeviceError, Gpu, RESERVED_STAGES};
use text::Untrusted;

use crate::plugin::abi;
use crate::plugin::hooks::Call;
use crate::plugin::loaded_variant::PluginInfo;

/// Maximum length of a stage name.
const MAX_CHARACTERS: usize = 32;
/// Maximum number of stage names; a plugin with more probably creates a new name for each call.
const MAX_STAGES: usize = 256;

/// Services during calls. C sees the first field only.
#[repr(C)]
pub(super) struct Host {
    offered: abi::Host,
    plugin: &'static PluginInfo,
    gpu: Option<Arc<Gpu>>,
    notes: Mutex<Notes>,
}

/// GPU of a plugin, with its index.
#[derive(Clone, Copy)]
pub(super) struct PluginGpu<'g> {
    pub(super) gpu: &'g Arc<Gpu>,
    pub(super) index: i32,
}

/// Texts and stages that a plugin passed during calls.
#[derive(Default)]
struct Notes {
    /// Reason why a call failed.
    reason: Option<String>,
    /// Violation of the interface.
    complaint: Option<String>,
    /// Current stage.
    current: Option<&'static str>,
    /// Completed stages on the host. On a GPU the timeline has them.
    laps: Laps,
}

impl Host {
    /// Services of a team of `threads` threads, or of a GPU by its index.
    pub(super) fn new(
        plugin: &'static PluginInfo,
        workers: usize,
        gpu: Option<PluginGpu<'_>>,
    ) -> Result<Box<Self>, DeviceError> {
        let stream = gpu.map_or(Ok(0), |it| it.gpu.native_stream())?;
        Ok(Box::new(Host {
            offered: abi::Host {
                size: size_of::<abi::Host>(),
                workers: workers as u32,
                device: gpu.map_or(-1, |it| it.index),
                stream: std::ptr::with_exposed_provenance_mut(stream),
                scratch: null_mut(),
                scratch_bytes: 0,
                parallel,
                stage,
                explain,
            },
            plugin,
            gpu: gpu.map(|it| Arc::clone(it.gpu)),
            notes: Mutex::default(),
        }))
    }

    pub(super) fn as_ptr(&self) -> *const abi::Host {
        // Pointer to all of the struct, because callbacks access the other fields.
        std::ptr::from_ref(self).cast()
    }

    /// Sets the scratch memory of the next calls.
    pub(super) fn lend(&mut self, scratch: *mut c_void, bytes: u64) {
        (self.offered.scratch, self.offered.scratch_bytes) = (scratch, bytes);
    }

    /// Returns the reason of the last failure, if the plugin gave one.
    pub(super) fn take_reason(&self) -> String {
        let reason = self.notes().reason.take();
        reason.unwrap_or_else(|| "without a reason".to_owned())
    }

    /// Discards the stages of earlier runs.
    pub(super) fn begin(&self) {
        *self.notes() = Notes::default();
    }

    /// Ends the last stage. If none was started, the work in a GPU's stream is one stage.
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

    /// Returns the stages of the last run on the host.
    pub(super) fn stages(&self) -> Stages {
        self.notes().laps.stages()
    }

    /// Converts the return value of a call.
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
            // The laps began with the run.
            (None, None) => notes.laps.skip(),
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
/// `host` came from [`Host::as_ptr`], during a call.
unsafe fn host_of<'a>(host: *const abi::Host) -> Option<&'a Host> {
    // SAFETY: the caller promises that it is the first field of a `Host`.
    unsafe { host.cast::<Host>().as_ref() }
}

/// An argument that threads share, as the plugin permits.
#[derive(Clone, Copy)]
struct Shared(*mut c_void);

// SAFETY: the header requires plugins to pass arguments that threads may share.
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
        // SAFETY: the header requires plugins to pass the pointer that they received.
        if let Some(host) = unsafe { host_of(host) } {
            host.complain("called parallel with NULL for work".to_owned());
        }
        return;
    };
    if rayon::current_thread_index().is_none() {
        // SAFETY: the plugin requests this call with this argument.
        unsafe { work(argument, 0, 1) };
        return;
    }
    let argument = Shared(argument);
    rayon::broadcast(|context| {
        let worker = context.index() as u32;
        let workers = context.num_threads() as u32;
        // SAFETY: the plugin requests these calls with this argument; the header says that they are
        // concurrent.
        unsafe { work(argument.get(), worker, workers) };
    });
}

unsafe extern "C" fn stage(host: *const abi::Host, name: *const c_char) {
    // SAFETY: the header requires plugins to pass the pointer that they received.
    let Some(host) = (unsafe { host_of(host) }) else {
        return;
    };
    // SAFETY: the header requires texts to end with a NUL.
    let entered = unsafe { stage_name(name) }
        .and_then(|name| host.enter(name).map_err(|error| error.to_string()));
    if let Err(problem) = entered {
        host.complain(problem);
    }
}

unsafe extern "C" fn explain(host: *const abi::Host, reason: *const c_char) {
    // SAFETY: the header requires plugins to pass the pointer that they received, and a text that
    // ends with a NUL.
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

/// Returns the name of a stage, leaked because there are few.
///
/// # Safety
/// `name` is NULL or ends with a NUL.
unsafe fn stage_name(name: *const c_char) -> Result<&'static str, String> {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    // SAFETY: as the caller promises.
    let name = unsafe { words(name) }.ok_or("called stage with NULL")?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let is_name = (1..=MAX_CHARACTERS).contains(&name.len()) && name.chars().all(allowed);
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
    if names.len() == MAX_STAGES {
        return Err(format!("has more than {MAX_STAGES} names of stages"));
    }
    let kept: &'static str = name.leak();
    names.insert(kept);
    Ok(kept)
}
