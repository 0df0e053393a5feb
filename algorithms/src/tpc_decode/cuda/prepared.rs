//! A GPU decoder with its buffers, ready to run on one time frame.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use generators::tpc::Digit;
use rayon::prelude::*;

use super::promise::Promised;
use super::resident::{Buffers, Resident, entries_of_map};
use super::target::{Charges, Target};
use super::{Decode, Index, judgement, placing, validation};
use crate::algorithm::{Prepared, Stages};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use crate::tpc_decode::charge_map::Position;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};

/// What every byte of a poisoned buffer is.
const POISON: u8 = 0xa5;

pub(super) struct PreparedCudaDecode<'a> {
    index: Index,
    decode: Decode,
    frame: &'a TimeFrame,
    promised: Promised,
    held: Option<Held>,
    /// The charges of the last run, once they were asked for.
    charges: Decoded,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Held {
    buffers: Buffers,
    target: Target,
    /// Digits on the host. Charges stay on the device, where clusters are found.
    digits: PinnedBuffer<u64>,
}

impl<'a> PreparedCudaDecode<'a> {
    pub(super) fn new(
        index: Index,
        decode: Decode,
        frame: &'a TimeFrame,
        promised: Promised,
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaDecode {
            index,
            decode,
            frame,
            promised,
            held: None,
            charges: Decoded::default(),
            gpu,
        }
    }

    fn held(&mut self) -> Result<&mut Held, DeviceError> {
        let held = match self.held.take() {
            Some(held) => held,
            None => Held::new(&self.gpu, self.frame, &self.promised, self.index)?,
        };
        Ok(self.held.insert(held))
    }

    /// Copies positions and charges to the host, which no run does.
    fn fetch(&mut self) -> Result<(), DeviceError> {
        let Some(held) = &self.held else {
            return Ok(());
        };
        if let Target::Charges(charges) = &held.target {
            let entries = entries_of_map(self.frame, &self.promised);
            let maps = match self.promised.fragments.is_empty() {
                // Nobody has cleared them.
                true => vec![0; charges.maps.len()],
                false => downloaded(&self.gpu, &charges.maps, charges.maps.len())?,
            };
            self.charges = Decoded {
                positions: positions(&self.gpu, charges, held.buffers.samples())?,
                charges: maps.par_chunks(entries).map(present).collect(),
                ..Decoded::default()
            };
        }
        Ok(())
    }
}

impl Held {
    fn new(
        gpu: &Gpu,
        frame: &TimeFrame,
        promised: &Promised,
        index: Index,
    ) -> Result<Self, DeviceError> {
        let target = Target::new(gpu, frame, promised)?;
        let digits = match &target {
            Target::Digits(digits) => digits.len(),
            Target::Charges(_) => 0,
        };
        Ok(Held {
            buffers: Buffers::new(gpu, frame, promised, index)?,
            target,
            digits: gpu.pinned(digits)?,
        })
    }

    fn run(
        &mut self,
        gpu: &Gpu,
        decode: Decode,
        frame: &TimeFrame,
        promised: &Promised,
    ) -> Result<(), DeviceError> {
        let resident = Resident {
            frame,
            promised,
            buffers: &self.buffers,
        };
        self.buffers.upload(gpu)?;
        validation::validate(gpu, &resident)?;
        placing::place(gpu, &resident)?;
        for fragment in 0..promised.fragments.len() {
            self.target.clear(gpu)?;
            decode(gpu, &resident, &self.target, fragment)?;
        }
        self.buffers.download(gpu)?;
        if let Target::Digits(digits) = &self.target {
            gpu.download(&mut self.digits, digits)?;
        }
        gpu.finish()
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
    let words = downloaded(
        gpu,
        &charges.positions,
        samples.min(charges.positions.len()),
    )?;
    let position = |word: &u32| Position {
        column: *word as i16,
        time: (*word >> 16) as i16,
    };
    Ok(words.iter().map(position).collect())
}

/// The entries of a map that are not 0.
fn present(map: &[u16]) -> Vec<(u32, u16)> {
    let entries = map.iter().zip(0_u32..).filter(|(charge, _)| **charge > 0);
    entries.map(|(charge, index)| (index, *charge)).collect()
}

impl Prepared<TpcDecode> for PreparedCudaDecode<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.held().map(drop)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.charges = Decoded::default();
        if let Some(held) = &mut self.held {
            held.digits.fill(u64::from_ne_bytes([POISON; 8]));
            held.buffers.poison(&self.gpu, POISON)?;
            held.target.poison(&self.gpu, POISON)?;
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let (frame, decode) = (self.frame, self.decode);
        self.held()?;
        match &mut self.held {
            Some(held) if !frame.pages.pages().is_empty() => {
                held.run(&gpu, decode, frame, &self.promised)
            }
            _ => Ok(()),
        }
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn inspect(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.fetch()?)
    }

    /// Positions and charges as [`Prepared::inspect`] has found them.
    fn output(&self) -> Cow<'_, Decoded> {
        let Some(held) = &self.held else {
            return Cow::Borrowed(&self.charges);
        };
        let samples = held.buffers.samples().min(held.digits.len());
        let digits = held.digits[..samples].par_iter();
        Cow::Owned(Decoded {
            digits: digits.map(|&bits| Digit::from_bits(bits)).collect(),
            damaged: judgement::damaged(self.frame, held.buffers.verdicts()),
            ..self.charges.clone()
        })
    }

    fn release(&mut self) {
        self.held = None;
        self.charges = Decoded::default();
    }

    fn buffer_bytes(&self) -> u64 {
        let held = self.held.iter();
        held.map(|held| held.buffers.bytes() + held.target.bytes())
            .sum()
    }
}
