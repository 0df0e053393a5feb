//! The trigger word in the last dense link page of a heartbeat frame.

/// Entries of a word.
pub const TRIGGER_ENTRIES: usize = 8;
/// Bytes of a word.
pub const TRIGGER_WORD_BYTES: usize = 2 * TRIGGER_ENTRIES;

const CROSSING_BITS: u32 = 12;
const CROSSING_MASK: u16 = (1 << CROSSING_BITS) - 1;
const KIND_MASK: u16 = 7;
const VALID: u16 = 1 << 15;

/// Kind of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// Physics.
    Physics = 1,
    /// A pre-pulse.
    PrePulse = 2,
    /// The laser.
    Laser = 4,
}

/// An entry: 12 bits of bunch crossing, 3 of kind, and a valid bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerEntry(pub u16);

impl TriggerEntry {
    /// A trigger at a crossing of the orbit.
    pub const fn new(crossing: u16, kind: TriggerKind) -> Self {
        TriggerEntry(crossing & CROSSING_MASK | (kind as u16) << CROSSING_BITS | VALID)
    }

    /// The bunch crossing in the orbit.
    pub const fn crossing(self) -> u16 {
        self.0 & CROSSING_MASK
    }

    /// Kind of the trigger, if it is a known one.
    pub const fn kind(self) -> Option<TriggerKind> {
        match self.0 >> CROSSING_BITS & KIND_MASK {
            1 => Some(TriggerKind::Physics),
            2 => Some(TriggerKind::PrePulse),
            4 => Some(TriggerKind::Laser),
            _ => None,
        }
    }

    /// True if the valid bit is set.
    pub const fn is_valid(self) -> bool {
        self.0 & VALID != 0
    }
}

/// The triggers of a heartbeat frame; all zero if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerWord(pub [TriggerEntry; TRIGGER_ENTRIES]);

impl TriggerWord {
    /// The word in these bytes.
    pub fn from_bytes(bytes: &[u8; TRIGGER_WORD_BYTES]) -> Self {
        let entry = |i| TriggerEntry(u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
        TriggerWord(std::array::from_fn(entry))
    }

    /// The bytes of this word.
    pub fn to_bytes(&self) -> [u8; TRIGGER_WORD_BYTES] {
        std::array::from_fn(|i| self.0[i / 2].0.to_le_bytes()[i % 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_come_back() {
        let mut word = TriggerWord::default();
        word.0[1] = TriggerEntry::new(3563, TriggerKind::Laser);
        let bytes = word.to_bytes();
        assert_eq!(bytes[..4], [0, 0, 0xeb, 0xcd]);
        let read = TriggerWord::from_bytes(&bytes);
        assert_eq!(read, word);
        assert_eq!(read.0[1].kind(), Some(TriggerKind::Laser));
        assert_eq!((read.0[1].crossing(), read.0[1].is_valid()), (3563, true));
        assert!(!read.0[0].is_valid());
    }
}
