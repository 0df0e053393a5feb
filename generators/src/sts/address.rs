//! Addresses of modules and module sides.

use std::fmt;

/// The 17-bit packed address of a module: bits 4 to 20 of CBM's full address.
///
/// From the lowest bit: 6 bits unit, 5 bits ladder, 1 bit half ladder, 5 bits
/// module on the half ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address(u32);

impl Address {
    const BITS: u32 = 17;
    /// Number of addresses.
    pub const COUNT: usize = 1 << Self::BITS;
    /// System number of the STS, in the bits of a full address below the packed ones.
    const SYSTEM: u32 = 2;
    /// Version of the address scheme, in the highest bits of a full address.
    const VERSION: u32 = 1 << 28;

    /// The address with these 17 bits; higher bits are cut off.
    #[inline]
    pub const fn from_packed(packed: u32) -> Self {
        Address(packed & ((1 << Self::BITS) - 1))
    }

    /// The 17 bits.
    #[inline]
    pub const fn packed(self) -> u32 {
        self.0
    }

    /// The 17 bits of a full address that digis store.
    #[inline]
    pub const fn of_full(full: u32) -> Self {
        Self::from_packed(full >> 4)
    }

    /// The full address of 32 bits.
    pub const fn full(self) -> u32 {
        Self::VERSION | self.0 << 4 | Self::SYSTEM
    }

    /// The address of a module by its number: modules fill a half ladder, half
    /// ladders a ladder, ladders a unit. Each of the 2^17 numbers has its own.
    pub const fn of_module(module: usize) -> Self {
        let position = (module & 0x1f) as u32;
        let half_ladder = (module >> 5 & 1) as u32;
        let ladder = (module >> 6 & 0x1f) as u32;
        let unit = (module >> 11 & 0x3f) as u32;
        Address(position << 12 | half_ladder << 11 | ladder << 6 | unit)
    }

    /// Index of the module with this address: by unit, ladder, half ladder and position.
    pub const fn module(self) -> usize {
        let unit = self.0 & 0x3f;
        let ladder = self.0 >> 6 & 0x1f;
        let half_ladder = self.0 >> 11 & 1;
        let position = self.0 >> 12 & 0x1f;
        (unit << 11 | ladder << 6 | half_ladder << 5 | position) as usize
    }
}

/// One side of a module, whose digis form a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleSide {
    /// The module's number.
    pub module: usize,
    /// True for the back (p) side.
    pub back: bool,
}

impl ModuleSide {
    /// The module side of a segment: fronts of all modules, then backs.
    pub fn of_segment(segment: usize, segments: usize) -> Self {
        let modules = modules(segments);
        ModuleSide { module: segment % modules, back: segment >= modules }
    }

    /// The segment of a module side in a detector with `modules` modules.
    pub fn segment(self, modules: usize) -> usize {
        self.module + if self.back { modules } else { 0 }
    }
}

impl fmt::Display for ModuleSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.back { "back" } else { "front" };
        write!(f, "{side} of module {}", self.module)
    }
}

/// Number of modules with `segments` segments.
pub(crate) fn modules(segments: usize) -> usize {
    segments.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_has_an_address_of_its_own() {
        for module in 0..1 << 17 {
            assert_eq!(Address::of_module(module).module(), module);
        }
    }

    #[test]
    fn full_addresses_hold_the_packed_bits() {
        assert_eq!(Address::from_packed(0).full(), 0x1000_0002);
        assert_eq!(Address::from_packed(0x1_ffff).full(), 0x101f_fff2);
        assert_eq!(Address::of_full(0x101f_fff2).packed(), 0x1_ffff);
    }

    #[test]
    fn segments_and_module_sides_convert_into_each_other() {
        for segments in [1, 2, 3, 24, 1792] {
            for segment in 0..segments {
                let side = ModuleSide::of_segment(segment, segments);
                assert_eq!(side.segment(modules(segments)), segment);
            }
        }
        let back = ModuleSide::of_segment(12, 24);
        assert_eq!(back.to_string(), "back of module 0");
    }
}
