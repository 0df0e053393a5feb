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
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, POISON, PinnedBuffer, QUEUES};
use crate::tpc_decode::charge_map::Position;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};

pub(super) struct PreparedCudaDecode<'a> {
    way: Way,
    frame: &'a TimeFrame,
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
    pub(super) fn new(way: Way, frame: &'a TimeFrame, parts: Vec<Part>, gpu: Arc<Gpu>) -> Self {
        PreparedCudaDecode {
            way,
            frame,
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
            None => Held::new(&self.gpu, self.frame, &self.parts, self.way)?,
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
    fn new(gpu: &Gpu, frame: &TimeFrame, parts: &[Part], way: Way) -> Result<Self, DeviceError> {
        let tables = DeviceTables::new(gpu, &frame.tables)?;
        let parts = parts
            .iter()
            .map(|part| HeldPart::new(gpu, frame, part, way));
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
    fn new(gpu: &Gpu, frame: &TimeFrame, part: &Part, way: Way) -> Result<Self, DeviceError> {
        let target = Target::new(gpu, frame, part)?;
        let digits = match &target {
            Target::Digits(digits) => digits.len(),
            Target::Charges(_) => 0,
        };
        Ok(HeldPart {
            buffers: Buffers::new(gpu, frame, part, way.index)?,
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
        self.digits.fill(u64::from_ne_bytes([POISON; 8]));
        self.buffers.poison(gpu, POISON)?;
        self.target.poison(gpu, POISON)
    }

    fn digits(&self) -> impl Iterator<Item = Digit> {
        let samples = self.buffers.samples().min(self.digits.len());
        let bits = self.digits[..samples].iter();
        bits.map(|&bits| Digit::from_bits(bits))
    }
}

/// The first elements of a buffer.
fn downloaded<T: bytemuck::Pod>(
    gpu: &Gpu,
    buffer: &DeviceBuffer<T>,
    length: usize,
) -> Result<Vec<T>, DeviceError> {
    let mut elements = vec![T::zeroed(); length];
    gpu.download(&mut elements, buffer)?;
    gpu.finish()?;
    Ok(elements)
}

fn positions(gpu: &Gpu, charges: &Charges, samples: usize) -> Result<Vec<Position>, DeviceError> {
    let samples = samples.min(charges.positions.len());
    let words = downloaded(gpu, &charges.positions, samples)?;
    let position = |word: &u32| Position {
        column: *word as i16,
        time: (*word >> 16) as i16,
    };
    Ok(words.iter().map(position).collect())
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
    let maps = downloaded(gpu, &charges.maps, charges.maps.len())?;
    Ok(maps.par_chunks(part.entries).map(present).collect())
}

fn present(map: &[u16]) -> Vec<(u32, u16)> {
    let entries = map.iter().zip(0_u32..).filter(|(charge, _)| **charge > 0);
    entries.map(|(charge, index)| (index, *charge)).collect()
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
        Cow::Owned(Decoded {
            digits: self
                .held_parts()
                .flat_map(|(_, held)| held.digits())
                .collect(),
            damaged: damaged.collect(),
            ..self.charges.clone()
        })
    }

    fn release(&mut self) {
        self.held = None;
        self.charges = Decoded::default();
    }

    fn buffer_bytes(&self) -> u64 {
        self.held_bytes
    }
}
