//! Gathering in the host's memory by a plugin.

use std::borrow::Cow;
use std::ptr::{null, null_mut};

use generators::tpc::clusters::{Clusters, Layout};
use rayon::prelude::*;

use super::changed;
use super::shape::{Buffers, Shape};
use crate::algorithm::{Damage, Session};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, POISON};
use crate::plugin::Functions;
use crate::plugin::guarded::Guarded;
use crate::plugin::instance::NotReady;
use crate::plugin::on_host::{OnHost, overrun};
use crate::timing::Stages;
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::packed::Packed;

/// Bytes that are copied at a time when a fresh source is provided.
const PART: usize = 1 << 20;

pub(super) struct GatherOnHost<'a> {
    plugin: OnHost<'a>,
    shape: Shape,
    input: &'a Clusters,
    output_bytes: usize,
    held: Option<Held>,
}

/// What is held during a run.
struct Held {
    source: Guarded,
    output: Guarded,
    scratch: Guarded,
}

impl<'a> GatherOnHost<'a> {
    pub(super) fn prepare(
        functions: Functions,
        input: &'a Clusters,
        arena: &'a Arena,
        workers: usize,
    ) -> Result<Self, NotReady> {
        let shape = Shape::of(input);
        // SAFETY: the table is one of the task `gather`, and this is its input.
        let plugin = unsafe { OnHost::prepare(functions, shape.as_ptr(), arena, workers) }?;
        Ok(GatherOnHost {
            plugin,
            shape,
            input,
            output_bytes: Layout::new(&input.packed()).bytes(),
            held: None,
        })
    }

    /// The buffers of a run, taken unless they are there.
    fn take(&mut self) -> Result<Held, DeviceError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        Ok(Held {
            source: self.plugin.buffer(self.input.bytes().len())?,
            output: self.plugin.buffer(self.output_bytes)?,
            scratch: self.plugin.scratch()?,
        })
    }

    /// What the plugin did that its output does not show.
    fn damage(&self, held: &Held) -> Option<String> {
        let changed = || changed("its source", self.input.bytes(), held.source.bytes());
        overrun(held.all())
            .or_else(changed)
            .or_else(|| self.shape.changed(self.input))
    }
}

impl Held {
    fn all(&self) -> [(&'static str, &Guarded); 3] {
        [
            ("its output", &self.output),
            ("its source", &self.source),
            ("its scratch memory", &self.scratch),
        ]
    }

    /// All but the source, to be overwritten.
    fn poison(&mut self) {
        self.source.renew();
        for buffer in [&mut self.output, &mut self.scratch] {
            buffer.renew();
            buffer.fill(POISON);
        }
    }
}

/// By all threads of the team.
fn copy(to: &mut [u8], from: &[u8]) {
    let parts = to.par_chunks_mut(PART).zip(from.par_chunks(PART));
    parts.for_each(|(to, from)| to.copy_from_slice(from));
}

impl Session<TpcGather> for GatherOnHost<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut held = self.take()?;
        copy(held.source.bytes_mut(), self.input.bytes());
        self.shape.set(&Buffers {
            device_starts: [null(); 2],
            source: held.source.as_ptr(),
            output: held.output.as_ptr(),
            host_output: null_mut(),
        });
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
        let damage = self.held.as_ref().and_then(|held| self.damage(held));
        damage.map_or(Ok(()), |damage| Err(damage.into()))
    }

    fn remarks(&self) -> Vec<String> {
        self.plugin.remarks()
    }

    fn output(&self) -> Option<Cow<'_, Packed>> {
        let output = self.held.as_ref()?.output.bytes();
        Some(Cow::Owned(Packed::from_bytes(output)))
    }

    fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        self.plugin.give([held.source, held.output, held.scratch]);
    }

    fn buffer_bytes(&self) -> u64 {
        let starts = self.input.tracks().len() + self.input.rows().len();
        let buffers = self.input.bytes().len() + self.output_bytes + starts * size_of::<u32>();
        buffers as u64 + self.plugin.bytes()
    }
}
