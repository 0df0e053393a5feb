//! Formats of banks: their content, and versions.

use generators_common::named;

use crate::geometry::SENSORS;

/// Version from which on a bank has two sensors, and no count of words.
const VERSION_OF_PAIRS: u8 = 4;

/// Content of banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankKind {
    /// Super-pixels, of which clusters are still to be made.
    SuperPixel,
    /// Clusters that the FPGA of the readout has found.
    Retina,
}

named! { "kind of banks", BankKind { SuperPixel = "superpixel", Retina = "retina" } }

/// Content and version of the banks of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BankFormat {
    /// The content.
    pub kind: BankKind,
    /// The version, 2 to 4.
    pub version: u8,
}

impl BankFormat {
    /// True if a bank has two sensors, and no count of words.
    #[inline]
    pub fn has_sensor_pairs(self) -> bool {
        self.version >= VERSION_OF_PAIRS
    }

    /// Banks of a complete event.
    pub fn banks(self) -> usize {
        if self.has_sensor_pairs() { SENSORS / 2 } else { SENSORS }
    }
}
