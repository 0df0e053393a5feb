//! Damage at random: bits and words of messages, fields of descriptors.

use rand::Rng;

use super::{Component, DESCRIPTOR_BYTES, Descriptor, MESSAGE_BYTES, Message, RawData};
use crate::random::draw::uniform;
use crate::random::{Stream, below, stream};

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
