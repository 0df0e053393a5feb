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
use crate::device::gpu::{DeviceError, Gpu, Lent, POISON, PinnedBuffer, Pristine, QUEUES};
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
    /// What the last run has found, once it was asked for.
    found: Decoded,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Held {
    tables: Lent<DeviceTables>,
    /// All pages, page-locked. A run does not change them.
    pages: Pristine<u8>,
    /// Digits on the host, those of one part behind those of another. Charges stay on the
    /// device, where clusters are found.
    digits: PinnedBuffer<u64>,
    parts: Vec<HeldPart>,
}

/// What is held for a part of the pages.
struct HeldPart {
    buffers: Buffers,
    target: Target,
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
            found: Decoded::default(),
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

    /// All that was found; positions and charges are copied to the host, which no run does.
    fn found_in(&self, held: &Held) -> Result<Decoded, DeviceError> {
        let mut all = Decoded::default();
        let mut digits = &held.digits[..];
        for (part, held) in self.parts.iter().zip(&held.parts) {
            let (own, others) = digits.split_at(held.target.digits());
            digits = others;
            let (samples, verdicts) = (held.buffers.samples(), held.buffers.verdicts());
            let own = own[..samples.min(own.len())].par_iter();
            all.digits
                .par_extend(own.map(|&bits| Digit::from_bits(bits)));
            let damaged = judgement::damaged(self.frame, part.pages.start, verdicts);
            all.damaged.extend(damaged);
            if let Target::Charges(charges) = &held.target {
                let positions = positions(&self.gpu, charges, samples)?;
                all.positions.par_extend(positions);
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
        let tables = &frame.tables;
        let pages = frame.pages.bytes();
        let parts = parts
            .iter()
            .map(|part| HeldPart::new(gpu, frame, part, way));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let digits = parts.iter().map(|part| part.target.digits());
        Ok(Held {
            tables: Lent::of(tables, arena, gpu, |gpu| DeviceTables::new(gpu, tables))?,
            pages: Pristine::take(arena, gpu, pages, 0..pages.len())?,
            digits: gpu.pinned(digits.sum())?,
            parts,
        })
    }

    /// Starts all copies and kernels, those of parts side by side.
    fn start(
        &mut self,
        gpu: &Gpu,
        (frame, parts): (&TimeFrame, &[Part]),
        way: Way,
    ) -> Result<(), DeviceError> {
        let (tables, mut digits) = (&self.tables, &mut self.digits[..]);
        for ((part, held), number) in parts.iter().zip(&mut self.parts).zip(0_u32..) {
            let (own, others) = digits.split_at_mut(held.target.digits());
            digits = others;
            if !part.pages.is_empty() {
                let host = (&self.pages[part.bytes()], own);
                let start = || held.start(gpu, (frame, part, tables), host, way);
                gpu.in_queue(number % QUEUES, start)?;
            }
        }
        Ok(())
    }

    /// Leaves pages and tables to the next candidate; all else is freed.
    fn give(self, arena: &Arena) {
        self.tables.give(arena);
        self.pages.give(arena);
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
        Ok(HeldPart {
            buffers: Buffers::new(gpu, frame, part, way.index)?,
            target: Target::new(gpu, frame, part)?,
        })
    }

    /// Starts all copies and kernels, from pages to digits.
    fn start(
        &mut self,
        gpu: &Gpu,
        (frame, part, tables): (&TimeFrame, &Part, &DeviceTables),
        (pages, digits): (&[u8], &mut [u64]),
        way: Way,
    ) -> Result<(), DeviceError> {
        let resident = Resident {
            frame,
            part,
            tables,
            buffers: &self.buffers,
        };
        self.buffers.upload(gpu, pages)?;
        validation::validate(gpu, &resident)?;
        placing::place(gpu, &resident)?;
        for fragment in 0..part.fragments.len() {
            self.target.clear(gpu)?;
            (way.decode)(gpu, &resident, &self.target, fragment)?;
        }
        self.buffers.download(gpu)?;
        match &self.target {
            Target::Digits(decoded) => gpu.download(digits, decoded),
            Target::Charges(_) => Ok(()),
        }
    }

    fn poison(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.buffers.poison(gpu, POISON)?;
        self.target.poison(gpu, POISON)
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
        self.found = Decoded::default();
        if let Some(held) = &mut self.held {
            fill(&mut held.digits, u64::from_ne_bytes([POISON; 8]));
            for part in &mut held.parts {
                part.poison(&self.gpu)?;
            }
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let (frame, way) = (self.frame, self.way);
        self.hold()?;
        if let Some(held) = &mut self.held {
            held.start(&gpu, (frame, &self.parts), way)?;
        }
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(held) = &self.held {
            self.found = self.found_in(held)?;
        }
        Ok(())
    }

    /// What [`Prepared::inspect`] has found.
    fn output(&self) -> Cow<'_, Decoded> {
        Cow::Borrowed(&self.found)
    }

    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            held.give(self.arena);
        }
        self.found = Decoded::default();
    }

    fn buffer_bytes(&self) -> u64 {
        self.held_bytes
    }
}
