//! A plugin's sort on the host.

use std::borrow::Cow;
use std::error::Error;

use generators::sts::{Digi, SegmentedDigis};
use rayon::prelude::*;

use super::POISON;
use super::account::{Account, HostMeter};
use super::shape::Shape;
use crate::algorithm::{Prepared, Stages};
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::plugin::guarded::{Guarded, Overrun};
use crate::plugin::instance::{Instance, NotReady, ResultIn};
use crate::plugin::{Buffers, Functions};
use crate::sts_sort::StsSort;

/// Digis that are copied at a time when fresh input is provided.
const PIECE: usize = 1 << 16;

pub(super) struct SortOnHost<'a> {
    instance: Instance,
    shape: Shape,
    buffers: Buffers,
    input: &'a SegmentedDigis,
    arena: &'a Arena,
    held: Option<Held>,
    result: ResultIn,
    meter: Option<HostMeter>,
    account: Account,
}

/// What is held during a run.
struct Held {
    input: Guarded,
    output: Option<Guarded>,
    scratch: Guarded,
}

impl<'a> SortOnHost<'a> {
    pub(super) fn prepare(
        functions: Functions,
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        workers: usize,
    ) -> Result<Self, NotReady> {
        let shape = Shape::of(input);
        let meter = HostMeter::start();
        // SAFETY: the table is one of the task `sort`, and this is its input.
        let instance = unsafe { Instance::prepare(functions, workers, None, shape.as_ptr()) }?;
        let mut account = Account::on_host(instance.needs().own, workers);
        account.see(meter.grown());
        Ok(SortOnHost {
            instance,
            shape,
            buffers: functions.buffers,
            input,
            arena,
            held: None,
            result: ResultIn::Output,
            meter: None,
            account,
        })
    }

    /// The buffers of a run, taken unless they are there.
    fn take(&mut self) -> Result<Held, DeviceError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        let bytes = size_of_val(self.input.digis());
        let output = match self.buffers {
            Buffers::InPlace => None,
            Buffers::Separate | Buffers::Either(_) => Some(self.buffer(bytes)?),
        };
        Ok(Held {
            input: self.buffer(bytes)?,
            output,
            scratch: self.buffer(self.instance.needs().scratch as usize)?,
        })
    }

    fn buffer(&self, bytes: usize) -> Result<Guarded, DeviceError> {
        let fits = |buffer: &Guarded| buffer.len() == bytes;
        let taken = self
            .arena
            .take_other(fits, || touched(Guarded::new(bytes)?));
        taken.map_err(|problem| self.instance.failed(problem))
    }

    fn result(&self) -> &[u64] {
        let Some(held) = &self.held else { return &[] };
        match (self.result, &held.output) {
            (ResultIn::Output, Some(output)) => output.words(),
            _ => held.input.words(),
        }
    }
}

/// By all threads of the team, so that pages lie near them all.
fn touched(mut buffer: Guarded) -> Result<Guarded, String> {
    let pieces = buffer.words_mut().par_chunks_mut(PIECE);
    pieces.for_each(|piece| piece.fill(0));
    Ok(buffer)
}

impl Held {
    fn all(&mut self) -> impl Iterator<Item = (&'static str, &mut Guarded)> {
        let named = [
            ("its input", &mut self.input),
            ("its scratch memory", &mut self.scratch),
        ];
        let output = self.output.as_mut().map(|output| ("its output", output));
        output.into_iter().chain(named)
    }

    /// What was written beside the buffers.
    fn overrun(&mut self) -> Option<String> {
        let found = |(name, buffer): (&str, &mut Guarded)| {
            let beside = match buffer.overrun()? {
                Overrun::Before => "before the beginning",
                Overrun::Behind => "beyond the end",
            };
            Some(format!("it wrote {beside} of {name}"))
        };
        self.all().find_map(found)
    }
}

/// Copies digis, by all threads of the team.
pub(super) fn copy(to: &mut [u64], from: &[Digi]) {
    let (pieces, sources) = (to.par_chunks_mut(PIECE), from.par_chunks(PIECE));
    pieces.zip(sources).for_each(|(piece, source)| {
        for (bits, digi) in piece.iter_mut().zip(source) {
            *bits = digi.bits();
        }
    });
}

/// What a plugin did to an input that it must leave alone.
pub(super) fn changed(input: &[Digi], found: &[u64]) -> Option<String> {
    let differs = |(digi, bits): (&Digi, &u64)| digi.bits() != *bits;
    let position = input.iter().zip(found).position(differs);
    position.map(|at| format!("it changed its input, at position {at}: see RECOBENCH_SEPARATE"))
}

impl Prepared<StsSort> for SortOnHost<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut held = self.take()?;
        copy(held.input.words_mut(), self.input.digis());
        let output = held.output.as_ref().map(|output| output.as_ptr().cast());
        self.shape
            .set(std::ptr::null(), held.input.as_ptr().cast(), output);
        let scratch = held.scratch.as_ptr().cast();
        self.instance.lend(scratch, self.instance.needs().scratch);
        self.held = Some(held);
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.instance.reset(self.shape.as_ptr()) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(held) = &mut self.held {
            held.all().for_each(|(_, buffer)| buffer.renew());
            held.scratch.fill(POISON);
            held.output
                .iter_mut()
                .for_each(|output| output.fill(POISON));
        }
        self.meter = Some(HostMeter::start());
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.instance.run(self.shape.as_ptr()) }
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.instance.stages())
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(meter) = self.meter.take() {
            self.account.see(meter.grown());
        }
        self.result = self.instance.result()?;
        let held = self.held.as_mut();
        let overrun = held.and_then(Held::overrun);
        let changed = || match (self.buffers, &self.held) {
            (Buffers::Separate, Some(held)) => changed(self.input.digis(), held.input.words()),
            _ => None,
        };
        overrun
            .or_else(changed)
            .map_or(Ok(()), |damage| Err(damage.into()))
    }

    fn remarks(&self) -> Vec<String> {
        self.account.remark().into_iter().collect()
    }

    fn output(&self) -> Cow<'_, Vec<Digi>> {
        let bits = self.result().par_iter();
        Cow::Owned(bits.map(|&bits| Digi::from_bits(bits)).collect())
    }

    fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        let buffers = [Some(held.input), held.output, Some(held.scratch)];
        let returned = buffers.into_iter().flatten();
        returned.for_each(|buffer| self.arena.give_other(buffer));
    }

    fn buffer_bytes(&self) -> u64 {
        let digis = size_of_val(self.input.digis()) as u64;
        let arrays = match self.buffers {
            Buffers::InPlace => 1,
            Buffers::Separate | Buffers::Either(_) => 2,
        };
        arrays * digis + self.instance.needs().scratch + self.account.bytes()
    }
}
