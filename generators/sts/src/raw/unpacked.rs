//! Results of unpacking raw data, and the version of the experiment's code that defines the right
//! ones.

use bytemuck::{Pod, Zeroable};
use generators_common::named;

use crate::Digi;

/// Digis in the order of timeslices, components, microslices and messages, and counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Counters of each timeslice.
    pub timeslices: Vec<TimesliceCounts>,
    /// Counters of each microslice of accepted components.
    pub microslices: Vec<MicrosliceCounts>,
    /// All digis.
    pub digis: Vec<Digi>,
}

/// Counters of a microslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct MicrosliceCounts {
    /// Digis.
    pub digis: u32,
    /// Messages after the first two that are neither hits nor numbers of epochs.
    pub other: u32,
    /// Hits of e-links that there are not.
    pub elink: u32,
    /// 1 if the first two messages are not the expected ones.
    pub first: u32,
    /// 1 if its size is not a multiple of a message, or below two of them.
    pub size: u32,
    /// Hits whose times exceed the range of digis.
    pub overflow: u32,
    /// Hits that the experiment's code leaves undefined: dropped here. By the current rules
    /// `overflow` counts them too.
    pub undefined: u32,
}

/// Counters of a timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct TimesliceCounts {
    /// Components that were unpacked.
    pub components: u64,
    /// Their microslices.
    pub microslices: u64,
    /// Bytes of these components: descriptors, contents and gaps.
    pub bytes_in: u64,
    /// Bytes of digis.
    pub bytes_out: u64,
    /// Microslices of a version that is not unpacked.
    pub bad_version: u64,
    /// Components and microslices of boards that are not known.
    pub bad_equipment: u64,
}

impl TimesliceCounts {
    /// Digis of the timeslice.
    pub fn digis(&self) -> usize {
        (self.bytes_out / size_of::<Digi>() as u64) as usize
    }
}

impl MicrosliceCounts {
    /// All counts in the order of files; `undefined` is in none.
    pub fn in_files(&self) -> [u32; 6] {
        [self.digis, self.other, self.elink, self.first, self.size, self.overflow]
    }
}

/// The code whose digis and counters are the right ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// The online chain as of January 2026.
    #[default]
    Current,
    /// The code of September 2023, with a fresh unpacker for each microslice.
    Of2023,
}

named! { "semantics", Rules { Current = "current", Of2023 = "2023" } }

impl Rules {
    /// The year that files of digis have.
    pub const fn year(self) -> u32 {
        match self {
            Rules::Current => 2026,
            Rules::Of2023 => 2023,
        }
    }

    /// Index of a channel in its module, 0 to 2047, from the ASIC's number in the module (the first
    /// eight are on the front) and the channel's in the ASIC.
    ///
    /// On the back, channels run in the opposite direction. The current code takes the second of
    /// two layers of strips into account, too: odd channels are moved by two, the last one of ASIC
    /// 8 to the end of the module.
    pub const fn channel(self, asic: u8, channel: u8) -> u16 {
        const FIRST_OF_BACK: u8 = 8;
        let asic = asic as u16;
        let channel = channel as u16;
        let first = 128 * asic;
        if asic < FIRST_OF_BACK as u16 {
            return first + channel;
        }
        match self {
            Rules::Of2023 => 2047 - channel - 128 * (asic - FIRST_OF_BACK as u16),
            Rules::Current if asic == FIRST_OF_BACK as u16 && channel == 127 => 2046,
            Rules::Current => first + 127 - channel - 2 * (channel & 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_channel_of_a_module_is_read_once() {
        for rules in Rules::ALL {
            let of_asic = |asic| (0..128).map(move |channel| rules.channel(asic, channel));
            let side =
                |asics: std::ops::Range<u8>| asics.flat_map(of_asic).collect::<BTreeSet<_>>();
            assert!(side(0..8).into_iter().eq(0..1024));
            assert!(side(8..16).into_iter().eq(1024..2048));
        }
        assert_eq!(Rules::Current.channel(8, 0), 1151);
        assert_eq!(Rules::Current.channel(8, 1), 1148);
        assert_eq!(Rules::Of2023.channel(8, 0), 2047);
    }
}
