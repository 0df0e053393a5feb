//! What a variant of a plugin has on the host, whatever its task: its calls, buffers with
//! guards, and an account of its memory.

use std::ffi::c_void;

use rayon::prelude::*;

use super::Functions;
use super::account::{Account, HostMeter};
use super::guarded::{Guarded, Overrun};
use super::instance::{Instance, NotReady, ResultIn};
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::timing::Stages;

/// Words that a thread takes at a time where all write.
const PIECE: usize = 1 << 16;

pub(crate) struct OnHost<'a> {
    instance: Instance,
    arena: &'a Arena,
    meter: Option<HostMeter>,
    account: Account,
}

impl<'a> OnHost<'a> {
    /// Prepares a variant.
    ///
    /// # Safety
    /// As [`Instance::prepare`].
    ///
    /// # Errors
    /// As [`NotReady`] says.
    pub(crate) unsafe fn prepare(
        functions: Functions,
        input: *const c_void,
        arena: &'a Arena,
        workers: usize,
    ) -> Result<Self, NotReady> {
        let meter = HostMeter::start();
        // SAFETY: as the caller promises.
        let instance = unsafe { Instance::prepare(functions, workers, None, input) }?;
        let mut account = Account::on_host(instance.needs().own, workers);
        account.see(meter.grown());
        Ok(OnHost {
            instance,
            arena,
            meter: None,
            account,
        })
    }

    /// A buffer of so many bytes, with any content.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn buffer(&self, bytes: usize) -> Result<Guarded, DeviceError> {
        let fits = |buffer: &Guarded| buffer.len() == bytes;
        let taken = self
            .arena
            .take_other(fits, || touched(Guarded::new(bytes)?));
        taken.map_err(|problem| self.instance.failed(problem))
    }

    /// The scratch memory that the variant asked for.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn scratch(&self) -> Result<Guarded, DeviceError> {
        self.buffer(self.instance.needs().scratch as usize)
    }

    /// Gives buffers back.
    pub(crate) fn give(&self, buffers: impl IntoIterator<Item = Guarded>) {
        let returned = buffers.into_iter();
        returned.for_each(|buffer| self.arena.give_other(buffer));
    }

    /// Lends scratch memory for the next calls, and calls `reset`.
    ///
    /// # Safety
    /// As [`Instance::reset`], and the scratch memory is held until the next call of this.
    ///
    /// # Errors
    /// If it fails.
    pub(crate) unsafe fn reset(
        &mut self,
        scratch: &Guarded,
        input: *const c_void,
    ) -> Result<(), DeviceError> {
        let bytes = self.instance.needs().scratch;
        self.instance.lend(scratch.as_ptr().cast(), bytes);
        // SAFETY: as the caller promises.
        unsafe { self.instance.reset(input) }
    }

    /// Calls `run`.
    ///
    /// # Safety
    /// As [`Instance::run`].
    ///
    /// # Errors
    /// If it fails.
    pub(crate) unsafe fn run(&mut self, input: *const c_void) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.instance.run(input) }
    }

    /// The stages of the last run.
    pub(crate) fn stages(&self) -> Stages {
        self.instance.stages()
    }

    /// Where the result of the last run lies.
    ///
    /// # Errors
    /// If that can't be.
    pub(crate) fn result(&self) -> Result<ResultIn, DeviceError> {
        self.instance.result()
    }

    /// From now on memory that is taken counts as the plugin's.
    pub(crate) fn watch_memory(&mut self) {
        self.meter = Some(HostMeter::start());
    }

    /// The run that was watched is over.
    pub(crate) fn count_memory(&mut self) {
        if let Some(meter) = self.meter.take() {
            self.account.see(meter.grown());
        }
    }

    /// What a reader should know of its memory.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.account.remark().into_iter().collect()
    }

    /// Bytes that it has besides the buffers of its task.
    pub(crate) fn bytes(&self) -> u64 {
        self.instance.needs().scratch + self.account.bytes()
    }
}

/// By all threads of the team, so that pages lie near them all.
fn touched(mut buffer: Guarded) -> Result<Guarded, String> {
    let pieces = buffer.words_mut().par_chunks_mut(PIECE);
    pieces.for_each(|piece| piece.fill(0));
    Ok(buffer)
}

/// What was written beside one of some buffers.
pub(crate) fn overrun<'b>(
    buffers: impl IntoIterator<Item = (&'static str, &'b Guarded)>,
) -> Option<String> {
    let found = |(name, buffer): (&str, &Guarded)| {
        let beside = match buffer.overrun()? {
            Overrun::Before => "before the beginning",
            Overrun::Behind => "beyond the end",
        };
        Some(format!("it wrote {beside} of {name}"))
    };
    buffers.into_iter().find_map(found)
}
