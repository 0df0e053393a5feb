//! Raw data of simulated digis, and damage at random: bits and words of messages, fields of
//! descriptors.

use generators_common::DataError;
use generators_common::random::{Stream, below, hash, mix, stream, uniform};
use rand::Rng;

use super::cabling::{WalkOfAsic, boards};
use super::encode::{Encoded, Encoder, EpochOrder, Format};
use super::{
    Cabling, Component, DESCRIPTOR_BYTES, Descriptor, MESSAGE_BYTES, Message, RawData,
    RawTimeslice, Readout, block_of,
};
use crate::physics::{Scenario, Simulation};

/// Start of the first timeslice, in ns of Unix time, in November 2023.
const START_NS: u64 = 1_700_000_000_000_000_000;
/// Time offset that the experiment subtracts.
const TIME_OFFSET_NS: i32 = -970;
/// ADC values that have corrections.
const WALKS: u64 = 31;
/// Maximum absolute value of generated corrections, in thousandths of ns.
const MAX_WALK: u64 = 9_000;
const CHANNELS_OF_FEB: u16 = 1024;
/// More microslices in a component are a mistake.
const MAX_MICROSLICES: u64 = 1 << 24;

/// Parameters of raw data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawShape {
    /// The simulated scenario.
    pub scenario: Scenario,
    /// The length of a microslice in ns.
    pub microslice_ns: u64,
    /// Microslices of the next timeslice at the end of each component.
    pub overlap: u32,
    /// The order of hits in an epoch.
    pub order: EpochOrder,
    /// True if microslices end with an end message.
    pub with_end: bool,
    /// The share of masked channels.
    pub masked: f64,
    /// True if times are corrected by charge.
    pub with_walk: bool,
    /// The share of damaged messages.
    pub damage: f64,
}

impl RawShape {
    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        self.scenario.validate()?;
        let timeslice_ns = self.scenario.timeslice_ns;
        if self.microslice_ns == 0 || timeslice_ns / self.microslice_ns >= MAX_MICROSLICES {
            let shortest = timeslice_ns / MAX_MICROSLICES + 1;
            let problem = format!(
                "microslices of {} ns are too short; use {shortest} ns or more with this timeslice",
                self.microslice_ns
            );
            return Err(DataError::shape(problem));
        }
        if self.overlap > self.microslices() {
            return Err(DataError::shape(format!(
                "{} microslices of overlap are more than a timeslice has; use {} at most",
                self.overlap,
                self.microslices()
            )));
        }
        for (what, share) in [("masked channels", self.masked), ("damage", self.damage)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(DataError::shape(format!("a share of {what} of {share}; use 0 to 1")));
            }
        }
        Ok(())
    }

    /// Microslices of a component without overlap.
    pub fn microslices(&self) -> u32 {
        self.scenario.timeslice_ns.div_ceil(self.microslice_ns) as u32
    }

    /// Components of a timeslice.
    pub fn boards(&self) -> usize {
        boards(self.scenario.detector.modules())
    }
}

/// Generates raw data and the tables of its boards. Shape and seed determine the bytes for any
/// number of threads on any machine.
///
/// # Errors
/// If the shape is invalid, or there are too many messages.
pub fn generate(shape: &RawShape, seed: u64) -> Result<(RawData, Readout), DataError> {
    shape.validate()?;
    let simulation = Simulation::new(&shape.scenario, seed)?;
    let readout = readout(shape, seed)?;
    let slices = Slices { shape, simulation, encoder: Encoder::new(&readout), seed };
    let mut data = RawData::default();
    let mut next = slices.encode(0);
    for index in 0..shape.scenario.timeslices {
        let own = next;
        next = if shape.overlap > 0 || index + 1 < shape.scenario.timeslices {
            slices.encode(index + 1)
        } else {
            Vec::new()
        };
        slices.push(&mut data, index, &own, &next)?;
    }
    if shape.damage > 0.0 {
        data = damaged(&data, shape.damage, seed);
    }
    Ok((data, readout))
}

struct Slices<'s> {
    shape: &'s RawShape,
    simulation: Simulation,
    encoder: Encoder,
    seed: u64,
}

impl Slices<'_> {
    fn start_ns(&self, number: u32) -> u64 {
        START_NS + u64::from(number) * self.shape.scenario.timeslice_ns
    }

    fn encode(&self, number: u32) -> Vec<Vec<Encoded>> {
        let RawShape { microslice_ns, order, with_end, .. } = *self.shape;
        let format = Format { microslice_ns, order, with_end, seed: self.seed };
        let digis = self.simulation.timeslice(number).digis;
        self.encoder.encode(&digis, self.start_ns(number), self.shape.microslices(), &format)
    }

    fn push(
        &self,
        data: &mut RawData,
        number: u32,
        own: &[Vec<Encoded>],
        next: &[Vec<Encoded>],
    ) -> Result<(), DataError> {
        data.push_timeslice(RawTimeslice {
            index: number.into(),
            start_ns: self.start_ns(number),
            core_microslices: self.shape.microslices(),
        });
        let overlap = self.shape.overlap as usize;
        for (board, (number, own)) in self.encoder.boards().iter().zip(own.iter().enumerate()) {
            let of_next = next.get(number).map_or(&[][..], |next| &next[..overlap]);
            let microslices = own.iter().chain(of_next).map(|it| it.of_board(*board));
            let (microslices, block) = block_of(microslices);
            data.push_component(microslices, &block)
                .map_err(|problem| DataError::shape(format!("a component: {problem}")))?;
        }
        Ok(())
    }
}

/// Boards side by side, some channels masked, a correction for each ASIC and charge.
fn readout(shape: &RawShape, seed: u64) -> Result<Readout, DataError> {
    let mut cabling = Cabling::regular(shape.scenario.detector.modules());
    cabling.time_offset_ns = TIME_OFFSET_NS;
    let threshold = (shape.masked * u32::MAX as f64) as u64;
    for feb in 0..cabling.febs() {
        let is_masked = |channel: &u16| {
            let random = hash(seed, [feb as u64, (*channel).into()]) >> 32;
            threshold > 0 && random <= threshold
        };
        cabling.masked.extend((0..CHANNELS_OF_FEB).filter(is_masked).map(|channel| (feb, channel)));
    }
    let mut walk_tables = Vec::new();
    if shape.with_walk {
        for module in &cabling.modules {
            for asic in 0..super::ASICS {
                cabling.walk.push(WalkOfAsic(module.address, asic, walk_tables.len()));
                let name = mix(u64::from(module.address) << 8 | u64::from(asic));
                walk_tables.push((0..WALKS).map(|adc| walk(hash(seed, [name, adc]))).collect());
            }
        }
    }
    cabling.readout(walk_tables).map_err(|problem| DataError::shape(problem.to_string()))
}

/// A correction in ns, with three decimals.
fn walk(random: u64) -> f64 {
    let thousandths = (random % (2 * MAX_WALK + 1)) as i64 - MAX_WALK as i64;
    thousandths as f64 / 1000.0
}

/// Name of the streams of damage.
const DAMAGE: u64 = 0x6461_6d61_6765;
/// Factor by which a descriptor is damaged more often than a message.
const OF_DESCRIPTORS: f64 = 5.0;

/// Returns the raw data with damage in `share` of all messages, and in five times that share of
/// descriptors. No damaged descriptor points out of its block.
pub fn damaged(data: &RawData, share: f64, seed: u64) -> RawData {
    let mut damaged = RawData::default();
    let mut number = 0;
    for (timeslice, components) in data.timeslices() {
        damaged.push_timeslice(timeslice);
        for component in components {
            let stream = stream(seed, [DAMAGE, number]);
            let block = Damage { share, stream }.block(&component);
            let pushed = damaged.push_component(component.microslices() as u64, &block);
            pushed.expect("contents have become shorter at most");
            number += 1;
        }
    }
    damaged
}

struct Damage {
    share: f64,
    stream: Stream,
}

impl Damage {
    fn block(&mut self, component: &Component<'_>) -> Vec<u8> {
        let mut block = component.block().to_vec();
        let (descriptors, contents) =
            block.split_at_mut(component.microslices() * DESCRIPTOR_BYTES);
        for (index, descriptor) in descriptors.as_chunks_mut().0.iter_mut().enumerate() {
            if uniform(&mut self.stream) < OF_DESCRIPTORS * self.share {
                let changed = self.descriptor(Descriptor::from_bytes(descriptor), index == 0);
                *descriptor = changed.to_bytes();
            }
        }
        for word in contents.as_chunks_mut::<MESSAGE_BYTES>().0 {
            if uniform(&mut self.stream) < self.share {
                *word = self.message(u32::from_le_bytes(*word)).to_le_bytes();
            }
        }
        block
    }

    fn message(&mut self, message: u32) -> u32 {
        let random = self.stream.next_u32();
        match self.below(6) {
            0..3 => message ^ 1 << self.below(32),
            3 => random,
            4 => Message::ts_msb(random).bits(),
            _ => 0,
        }
    }

    fn descriptor(&mut self, mut descriptor: Descriptor, is_first: bool) -> Descriptor {
        let size = descriptor.size;
        match self.below(8) {
            0 => descriptor.equipment ^= 1 << self.below(16),
            1 => descriptor.version ^= 1 << self.below(8),
            2 => descriptor.system ^= 1 << self.below(8),
            3 => descriptor.index ^= 1 << self.below(64),
            4 => descriptor.flags ^= 1 << self.below(16),
            5 => descriptor.size -= self.below(u64::from(size) + 1) as u32,
            6 => descriptor.size -= self.below(u64::from(size).min(9) + 1) as u32,
            // Contents may start at any byte. Offsets are relative to the first one, which is
            // unchanged.
            _ if is_first => {}
            _ => {
                let less = self.below(u64::from(size) + 1);
                descriptor.size -= less as u32;
                descriptor.offset = descriptor.offset.wrapping_add(less);
            }
        }
        descriptor
    }

    fn below(&mut self, limit: u64) -> u64 {
        below(self.stream.next_u32(), limit)
    }
}
