//! A plugin, a variant of one, and what plugins may declare about themselves.

use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use portable_gpu::DeviceError;
use text::Untrusted;

use super::abi;
use super::baseline::why_absent;
use super::hooks::Calls;
use crate::device::{Backend, Device};
use crate::native::Native;

/// Leaks a value of a plugin: its functions may be called until the process ends.
pub(super) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Identification of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginInfo {
    /// Canonical path of its file.
    pub path: PathBuf,
    /// File name.
    pub file: String,
    /// Name that the plugin declares.
    pub name: String,
    /// Version that the plugin declares.
    pub version: String,
    /// Hash of the file.
    pub fingerprint: String,
    /// Content of the file.
    pub kind: PluginKind,
}

/// Content of the file of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginKind {
    /// A shared library.
    Library,
    /// A description of external programs.
    Programs,
}

/// Reason why a variant must not be called any more on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quarantine {
    /// It crashed, hung or failed; the text describes how.
    Failed(String),
    /// Its output was wrong; the text describes where.
    Wrong(String),
}

/// Buffers that a variant uses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Buffers {
    Separate,
    /// With the function that returns where the result is.
    Either(unsafe extern "C" fn(*mut c_void) -> i32),
    InPlace,
    ToHost,
}

/// Table of a variant in the memory of its plugin.
#[derive(Clone, Copy)]
pub(crate) struct PluginTable(pub(super) *const abi::Variant);

// SAFETY: the header requires tables to stay where and as they are.
unsafe impl Send for PluginTable {}
// SAFETY: the header requires tables to stay where and as they are.
unsafe impl Sync for PluginTable {}

/// A variant of a plugin.
pub struct LoadedVariant {
    /// The plugin's table, for calls.
    pub(crate) own: PluginTable,
    /// A copy of the table with all fields of this version of the header.
    pub(crate) table: abi::Variant,
    pub(crate) run: abi::Step,
    pub(crate) calls: Calls,
    /// The plugin.
    pub plugin: &'static PluginInfo,
    pub(crate) buffers: Buffers,
    /// True if `run` waits for the GPU, so that the stream must not be blocked until all work is
    /// queued.
    pub(crate) waits: bool,
    /// The task.
    pub task: &'static str,
    /// Its name.
    pub name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) backend: Backend,
    pub(crate) stable: bool,
    /// True if it keeps the addresses of digis.
    pub(crate) keeps_address: bool,
    /// Supported semantics: `RECOBENCH_EXACT`, …
    pub(crate) semantics: u32,
    /// True if it sorts by time, where the order is its choice.
    pub(crate) by_time: bool,
    /// Native variant that it is compared with.
    pub(crate) native: Option<Native>,
    /// Note for each of its results.
    pub(crate) remark: Option<&'static str>,
    pub(crate) quarantined: Mutex<Vec<(Device, Quarantine)>>,
}

/// A variant of a plugin in the list of a task.
#[derive(Clone, Copy)]
pub enum PluginVariant {
    /// Variant of a loaded plugin.
    Loaded(&'static LoadedVariant),
    /// Variant of the baseline, which is listed although the plugin is missing.
    Absent,
}

impl PluginTable {
    /// Pointer for calls.
    pub(crate) fn as_ptr(self) -> *const abi::Variant {
        self.0
    }
}

impl PluginInfo {
    /// Creates an error of this plugin.
    pub(crate) fn failed(&self, problem: impl Into<String>) -> DeviceError {
        DeviceError::Plugin { plugin: self.file.clone(), problem: problem.into() }
    }
}

impl Buffers {
    /// True if there is an output buffer in addition to the input, on the variant's backend.
    pub(crate) fn have_output(self) -> bool {
        matches!(self, Buffers::Separate | Buffers::Either(_))
    }

    /// True if a run must not change the input.
    pub(crate) fn keep_input(self) -> bool {
        matches!(self, Buffers::Separate | Buffers::ToHost)
    }
}

impl LoadedVariant {
    /// Returns the reason why it must not be called on a device, if there is one.
    pub fn quarantine_on(&self, device: Device) -> Option<Quarantine> {
        let verdicts = self.verdicts();
        let on_it = verdicts.iter().find(|(quarantined, _)| *quarantined == device);
        on_it.map(|(_, quarantine)| quarantine.clone())
    }

    pub(crate) fn verdicts(&self) -> MutexGuard<'_, Vec<(Device, Quarantine)>> {
        self.quarantined.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PluginVariant {
    /// Returns the plugin that it comes from.
    pub(crate) fn info(self) -> Option<&'static PluginInfo> {
        match self {
            PluginVariant::Loaded(variant) => Some(variant.plugin),
            PluginVariant::Absent => None,
        }
    }

    /// Returns the reason why it is missing and how to get it; `None` if it is loaded.
    pub(crate) fn why_absent(self) -> Option<&'static str> {
        match self {
            PluginVariant::Loaded(_) => None,
            PluginVariant::Absent => Some(why_absent()),
        }
    }
}

/// Declarations that the plugins of a task may make about themselves. Each task that takes plugins
/// has a contract, usually `Contract::NEW` with a few differences.
#[derive(Debug)]
pub struct Contract {
    /// The task.
    pub task: &'static str,
    /// First version of the header that has the task's input.
    pub since: u32,
    /// Buffers that CPU variants may use.
    pub cpu: &'static [u32],
    /// Buffers that GPU variants may use; empty if there are no plugins for GPUs.
    pub cuda: &'static [u32],
    /// Rule for the order of equal items.
    pub stable: Stable,
    /// Content of items that may be lost.
    pub omits: u32,
    /// Semantics that variants can choose from.
    pub semantics: u32,
    /// Items whose order variants choose, if they choose one.
    pub by_time: Option<&'static str>,
}

/// Rule for the order of equal items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stable {
    /// Declared by each variant.
    Chosen,
    /// Always stable, because each output item has a fixed position in the order.
    Always,
    /// Irrelevant for the task.
    Never,
}

impl Contract {
    /// Contract of a CPU task with a single right answer, in which each output element has a fixed
    /// position.
    pub const NEW: Contract = Contract {
        task: "",
        since: 2,
        cpu: &[abi::SEPARATE],
        cuda: &[],
        stable: Stable::Always,
        omits: 0,
        semantics: abi::EXACT,
        by_time: None,
    };

    /// Buffers that variants of a backend may use.
    pub(super) fn buffers(&self, backend: Backend) -> &'static [u32] {
        match backend {
            Backend::Cpu => self.cpu,
            Backend::Cuda => self.cuda,
            Backend::Wgpu => &[],
        }
    }
}

/// The contracts of all tasks that take plugins.
pub(crate) struct Contracts(pub(crate) Vec<&'static Contract>);

impl Contracts {
    /// Returns the contract of a task, for a plugin that was built for a version of the header.
    pub(super) fn for_task(&self, task: &str, version: u32) -> Result<&'static Contract, String> {
        let found = self.0.iter().find(|contract| contract.task == task);
        let contract = found.ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|contract| contract.task).collect();
            let task = task.quoted();
            let known = known.join(", ");
            format!("is for the task {task}; plugins can be for {known}")
        })?;
        if contract.since > version {
            return Err(format!(
                "is for the task {}, which version {version} of recobench.h does not have; \
                 compile it with the header of this bench",
                task.quoted()
            ));
        }
        Ok(contract)
    }
}
