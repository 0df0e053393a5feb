//! A GPU decoder with its buffers, ready to run on one time frame.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use generators::tpc::Digit;
use rayon::prelude::*;

use super::parts::Part;
use super::resident::{Buffers, Resident};
use super::tables::DeviceTables;
use super::target::{Charges, Target};
use super::{Way, judgement, placing, validation};
use crate::algorithm::{Prepared, Stages};
use crate::all_cores::{fill, mapped};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu, POISON, PinnedBuffer, QUEUES};
use crate::tpc_decode::charge_map::{Position, present};
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};

pub(super) struct PreparedCudaDecode<'a> {
    way: Way,
    frame: &'a TimeFrame,
    arena: &'a Arena,
    parts: Vec<Part>,
    held: Option<Held>,
    /// What was held last, in bytes.
    held_bytes: u64,
    /// The positions and charges of the last run, once they were asked for.
    charges: Decoded,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Held {
    tables: DeviceTables,
    parts: Vec<HeldPart>,
}

/// What is held for a part of the pages.
struct HeldPart {
    buffers: Buffers,
    target: Target,
    /// Digits on the host. Charges stay on the device, where clusters are found.
    digits: PinnedBuffer<u64>,
}

impl<'a> PreparedCudaDecode<'a> {
    pub(super) fn new(
        way: Way,
        (frame, arena): (&'a TimeFrame, &'a Arena),
        parts: Vec<Part>,
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaDecode {
            way,
            frame,
            arena,
            parts,
            held: None,
            held_bytes: 0,
            charges: Decoded::default(),
            gpu,
        }
    }

    fn hold(&mut self) -> Result<&mut Held, DeviceError> {
        let held = match self.held.take() {
            Some(held) => held,
            None => Held::new(&self.gpu, (self.frame, self.arena), &self.parts, self.way)?,
        };
        self.held_bytes = held.bytes();
        Ok(self.held.insert(held))
    }

    fn held_parts(&self) -> impl Iterator<Item = (&Part, &HeldPart)> {
        let held = self.held.iter().flat_map(|held| &held.parts);
        self.parts.iter().zip(held)
    }

    /// Positions and charges, copied to the host, which no run does.
    fn fetch(&self) -> Result<Decoded, DeviceError> {
        let mut all = Decoded::default();
        for (part, held) in self.held_parts() {
            if let Target::Charges(charges) = &held.target {
                let samples = held.buffers.samples();
                all.positions
                    .extend(positions(&self.gpu, charges, samples)?);
                all.charges.extend(present_in(&self.gpu, charges, part)?);
            }
        }
        Ok(all)
    }
}

impl Held {
    fn new(
        gpu: &Arc<Gpu>,
        (frame, arena): (&TimeFrame, &Arena),
        parts: &[Part],
        way: Way,
    ) -> Result<Self, DeviceError> {
        let tables = DeviceTables::new(gpu, &frame.tables)?;
        let parts = parts
            .iter()
            .map(|part| HeldPart::new(gpu, (frame, arena), part, way));
        Ok(Held {
            tables,
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    /// Bytes on the device.
    fn bytes(&self) -> u64 {
        let parts = self.parts.iter();
        let in_parts = parts.map(|part| part.buffers.bytes() + part.target.bytes());
        self.tables.bytes() + in_parts.sum::<u64>()
    }
}

impl HeldPart {
    fn new(
        gpu: &Arc<Gpu>,
        (frame, arena): (&TimeFrame, &Arena),
        part: &Part,
        way: Way,
    ) -> Result<Self, DeviceError> {
        let target = Target::new(gpu, frame, part)?;
        let digits = match &target {
            Target::Digits(digits) => digits.len(),
            Target::Charges(_) => 0,
        };
        Ok(HeldPart {
            buffers: Buffers::new(gpu, (frame, arena), part, way.index)?,
            target,
            digits: gpu.pinned(digits)?,
        })
    }

    /// Starts all copies and kernels.
    fn start(
        &mut self,
        gpu: &Gpu,
        (frame, part): (&TimeFrame, &Part),
        tables: &DeviceTables,
        way: Way,
    ) -> Result<(), DeviceError> {
        let resident = Resident {
            frame,
            part,
            tables,
            buffers: &self.buffers,
        };
        self.buffers.upload(gpu)?;
        validation::validate(gpu, &resident)?;
        placing::place(gpu, &resident)?;
        for fragment in 0..part.fragments.len() {
            self.target.clear(gpu)?;
            (way.decode)(gpu, &resident, &self.target, fragment)?;
        }
        self.buffers.download(gpu)?;
        match &self.target {
            Target::Digits(digits) => gpu.download(&mut self.digits, digits),
            Target::Charges(_) => Ok(()),
        }
    }

    fn poison(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        fill(&mut self.digits, u64::from_ne_bytes([POISON; 8]));
        self.buffers.poison(gpu, POISON)?;
        self.target.poison(gpu, POISON)
    }

    fn digits(&self) -> impl ParallelIterator<Item = Digit> {
        let samples = self.buffers.samples().min(self.digits.len());
        let bits = self.digits[..samples].par_iter();
        bits.map(|&bits| Digit::from_bits(bits))
    }
}

fn positions(gpu: &Gpu, charges: &Charges, samples: usize) -> Result<Vec<Position>, DeviceError> {
    let samples = samples.min(charges.positions.len());
    let words = gpu.fetched(&charges.positions, 0..samples)?;
    let position = |word: &u32| Position {
        column: *word as i16,
        time: (*word >> 16) as i16,
    };
    Ok(mapped(&words, position))
}

/// The entries of the maps of a part that are not 0.
fn present_in(
    gpu: &Gpu,
    charges: &Charges,
    part: &Part,
) -> Result<Vec<Vec<(u32, u16)>>, DeviceError> {
    if part.fragments.is_empty() {
        // Nobody has cleared them.
        return Ok(vec![Vec::new(); part.sectors.len()]);
    }
    let of_sector = |sector: usize| {
        // One at a time: together they may take more memory than all else.
        let map = gpu.fetched(
            &charges.maps,
            sector * part.entries..(sector + 1) * part.entries,
        )?;
        Ok(present(&map))
    };
    (0..part.sectors.len()).map(of_sector).collect()
}

impl Prepared<TpcDecode> for PreparedCudaDecode<'_> {
    /// Runs do not change the pages, so they are provided once.
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.hold().map(drop)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.charges = Decoded::default();
        for part in self.held.iter_mut().flat_map(|held| &mut held.parts) {
            part.poison(&self.gpu)?;
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let (frame, way) = (self.frame, self.way);
        self.hold()?;
        let Some(Held { tables, parts }) = &mut self.held else {
            return Ok(());
        };
        let parts = self.parts.iter().zip(parts);
        for ((part, held), number) in parts.zip(0_u32..) {
            if !part.pages.is_empty() {
                let start = || held.start(&gpu, (frame, part), tables, way);
                gpu.in_queue(number % QUEUES, start)?;
            }
        }
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.charges = self.fetch()?;
        Ok(())
    }

    /// Positions and charges as [`Prepared::inspect`] has found them.
    fn output(&self) -> Cow<'_, Decoded> {
        let damaged = self.held_parts().flat_map(|(part, held)| {
            judgement::damaged(self.frame, part.pages.start, held.buffers.verdicts())
        });
        let mut digits = Vec::new();
        for (_, held) in self.held_parts() {
            digits.par_extend(held.digits());
        }
        Cow::Owned(Decoded {
            digits,
            damaged: damaged.collect(),
            ..self.charges.clone()
        })
    }

    fn release(&mut self) {
        for part in self.held.take().into_iter().flat_map(|held| held.parts) {
            part.buffers.give(self.arena);
        }
        self.charges = Decoded::default();
    }

    fn buffer_bytes(&self) -> u64 {
        self.held_bytes
    }
}
