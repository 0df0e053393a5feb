//! A plugin's sort on the host.

use std::borrow::Cow;

use generators::sts::{Digi, SegmentedDigis};
use rayon::prelude::*;

use super::shape::Shape;
use crate::algorithm::{Damage, Session};
use crate::all_cores::mapped;
use crate::device::Arena;
use crate::device::gpu::{DeviceError, POISON};
use crate::plugin::guarded::Guarded;
use crate::plugin::instance::{NotReady, ResultIn};
use crate::plugin::on_host::{OnHost, overrun};
use crate::plugin::{Buffers, Functions};
use crate::sts_sort::StsSort;
use crate::timing::Stages;

/// Digis that are copied at a time when fresh input is provided.
const PIECE: usize = 1 << 16;

pub(super) struct SortOnHost<'a> {
    plugin: OnHost<'a>,
    shape: Shape,
    buffers: Buffers,
    input: &'a SegmentedDigis,
    held: Option<Held>,
    result: ResultIn,
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
        // SAFETY: the table is one of the task `sort`, and this is its input.
        let plugin = unsafe { OnHost::prepare(functions, shape.as_ptr(), arena, workers) }?;
        Ok(SortOnHost {
            plugin,
            shape,
            buffers: functions.buffers,
            input,
            held: None,
            result: ResultIn::Output,
        })
    }

    /// The buffers of a run, taken unless they are there.
    fn take(&mut self) -> Result<Held, DeviceError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        let bytes = size_of_val(self.input.digis());
        let output = self.buffers.has_output().then(|| self.plugin.buffer(bytes));
        Ok(Held {
            input: self.plugin.buffer(bytes)?,
            output: output.transpose()?,
            scratch: self.plugin.scratch()?,
        })
    }

    fn result(&self) -> &[u64] {
        let Some(held) = &self.held else { return &[] };
        match (self.result, &held.output) {
            (ResultIn::Output, Some(output)) => output.words(),
            _ => held.input.words(),
        }
    }

    /// What the plugin did that its output does not show.
    fn damage(&self, held: &Held) -> Option<String> {
        let changed = || match self.buffers {
            Buffers::Separate => changed(self.input.digis(), held.input.words()),
            _ => None,
        };
        overrun(held.all()).or_else(changed)
    }
}

impl Held {
    fn all(&self) -> impl Iterator<Item = (&'static str, &Guarded)> {
        let named = [
            ("its input", &self.input),
            ("its scratch memory", &self.scratch),
        ];
        let output = self.output.as_ref().map(|output| ("its output", output));
        output.into_iter().chain(named)
    }

    /// All but the input, to be overwritten.
    fn poison(&mut self) {
        self.input.renew();
        for buffer in self.output.iter_mut().chain([&mut self.scratch]) {
            buffer.renew();
            buffer.fill(POISON);
        }
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

impl Session<StsSort> for SortOnHost<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut held = self.take()?;
        copy(held.input.words_mut(), self.input.digis());
        let output = held.output.as_ref().map(|output| output.as_ptr().cast());
        self.shape
            .set(std::ptr::null(), held.input.as_ptr().cast(), output);
        let held = self.held.insert(held);
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.plugin.reset(&held.scratch, self.shape.as_ptr()) }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.held.iter_mut().for_each(Held::poison);
        self.plugin.watch_memory();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        // SAFETY: the buffers are as the header has them, and are held.
        unsafe { self.plugin.run(self.shape.as_ptr()) }
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.plugin.stages())
    }

    fn inspect(&mut self) -> Result<(), Damage> {
        self.plugin.count_memory();
        self.result = self.plugin.result()?;
        let damage = self.held.as_ref().and_then(|held| self.damage(held));
        damage.map_or(Ok(()), |damage| Err(damage.into()))
    }

    fn remarks(&self) -> Vec<String> {
        self.plugin.remarks()
    }

    fn output(&self) -> Option<Cow<'_, Vec<Digi>>> {
        let bits = mapped(self.result(), |&bits| Digi::from_bits(bits));
        Some(Cow::Owned(bits))
    }

    fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        let buffers = [Some(held.input), held.output, Some(held.scratch)];
        self.plugin.give(buffers.into_iter().flatten());
    }

    fn buffer_bytes(&self) -> u64 {
        let digis = size_of_val(self.input.digis()) as u64;
        let arrays = 1 + u64::from(self.buffers.has_output());
        arrays * digis + self.plugin.bytes()
    }
}
