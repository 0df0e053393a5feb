//! A plugin, and a variant of one.

use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::abi;
use super::baseline::why_absent;
use super::calls::Calls;
use crate::algorithm::Native;
use crate::device::gpu::DeviceError;
use crate::device::{Backend, Device};

/// What identifies a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginInfo {
    /// Where it was loaded from, without links.
    pub path: PathBuf,
    /// The file's name.
    pub file: String,
    /// What it calls itself.
    pub name: String,
    /// Its version, as it says.
    pub version: String,
    /// A hash of the file.
    pub fingerprint: String,
}

/// Why a variant must not be called any more on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condemnation {
    /// It crashed, hung or failed, and how.
    Failed(String),
    /// Its output was wrong, and where.
    Wrong(String),
}

/// Which buffers a variant uses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Buffers {
    Separate,
    /// With the function that says where the result is.
    Either(unsafe extern "C" fn(*mut c_void) -> i32),
    InPlace,
    ToHost,
}

/// The table of a variant, where its plugin has it.
#[derive(Clone, Copy)]
pub(crate) struct Own(pub(super) *const abi::Variant);

// SAFETY: the header has tables stay where and as they are.
unsafe impl Send for Own {}
// SAFETY: as above.
unsafe impl Sync for Own {}

/// A variant of a plugin.
pub(crate) struct LoadedVariant {
    /// The plugin's own table, for calls.
    pub(crate) own: Own,
    /// The same with all fields that this version of the header has.
    pub(crate) table: abi::Variant,
    pub(crate) run: abi::Step,
    pub(crate) calls: Calls,
    pub(crate) plugin: &'static PluginInfo,
    pub(crate) buffers: Buffers,
    /// Whether `run` waits for a GPU: it must not be held back until all is queued then.
    pub(crate) waits: bool,
    pub(crate) task: &'static str,
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) backend: Backend,
    pub(crate) stable: bool,
    /// Whether it keeps the addresses of digis.
    pub(crate) keeps_address: bool,
    /// The right answers that it knows: `RECOBENCH_EXACT`, …
    pub(crate) semantics: u32,
    /// Whether what it chooses an order of is in order of time.
    pub(crate) by_time: bool,
    /// What it is compared with to see what it costs not to be native.
    pub(crate) native: Option<Native>,
    pub(crate) condemned: Mutex<Vec<(Device, Condemnation)>>,
}

/// What a variant is in a plugin.
#[derive(Clone, Copy)]
pub(crate) enum PluginVariant {
    /// One of a plugin that is loaded.
    Loaded(&'static LoadedVariant),
    /// One of the baseline, which is listed though it is not there.
    Absent,
}

impl Own {
    /// For a call.
    pub(crate) fn as_ptr(self) -> *const abi::Variant {
        self.0
    }
}

impl PluginInfo {
    /// A failure of this plugin.
    pub(crate) fn failed(&self, problem: impl Into<String>) -> DeviceError {
        DeviceError::Plugin { plugin: self.file.clone(), problem: problem.into() }
    }
}

impl Buffers {
    /// Whether there is an output beside the input, where the variant runs.
    pub(crate) fn have_output(self) -> bool {
        matches!(self, Buffers::Separate | Buffers::Either(_))
    }

    /// Whether a run has to leave the input as it is.
    pub(crate) fn keep_input(self) -> bool {
        matches!(self, Buffers::Separate | Buffers::ToHost)
    }
}

impl LoadedVariant {
    /// Why it must not be called on a device.
    pub(crate) fn condemned_on(&self, device: Device) -> Option<Condemnation> {
        let verdicts = self.verdicts();
        let on_it = verdicts.iter().find(|(condemned, _)| *condemned == device);
        on_it.map(|(_, condemnation)| condemnation.clone())
    }

    pub(crate) fn verdicts(&self) -> MutexGuard<'_, Vec<(Device, Condemnation)>> {
        self.condemned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PluginVariant {
    /// The plugin that it comes from.
    pub(crate) fn info(self) -> Option<&'static PluginInfo> {
        match self {
            PluginVariant::Loaded(variant) => Some(variant.plugin),
            PluginVariant::Absent => None,
        }
    }

    /// Why it is nowhere to be had, and how to get it.
    pub(crate) fn why_absent(self) -> Option<&'static str> {
        match self {
            PluginVariant::Loaded(_) => None,
            PluginVariant::Absent => Some(why_absent()),
        }
    }
}
