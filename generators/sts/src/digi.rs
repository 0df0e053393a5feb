//! The 8 bytes that a detector channel delivers for a hit, the address of its module in them, and
//! the digis of a timeslice by module side.

use std::fmt;

use bytemuck::{Pod, Zeroable};

use generators_common::partition::Partition;

const TIME_BITS: u32 = 31;
const TIME_MASK: u64 = (1 << TIME_BITS) - 1;
const ADDRESS_HIGH_BIT: u32 = 31;
const ADC_SHIFT: u32 = 32;
const ADC_MASK: u64 = 0x1f;
const CHANNEL_SHIFT: u32 = 37;
const CHANNEL_MASK: u64 = 0x7ff;
const ADDRESS_LOW_SHIFT: u32 = 48;

/// A digi: time, channel, charge and module, in 8 bytes.
///
/// Little endian, from the lowest bit: 31 bits of time in ns, the highest bit
/// of the address, 5 bits of charge in ADC units, 11 bits of channel, the
/// lower 16 bits of the address. (CBM's `CbmStsDigi`.)
///
/// There is deliberately no order between digis: they are sorted by
/// [`Digi::key`], which leaves out charge and address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Digi(u64);

impl Digi {
    /// Bits of [`Digi::key`]: 11 of the channel above 31 of the time.
    pub const KEY_BITS: u32 = 42;

    /// Packs a digi. Bits that don't fit a field are cut off.
    #[inline]
    pub fn new(address: Address, channel: u16, time_ns: u32, adc: u8) -> Self {
        Digi(
            u64::from(time_ns) & TIME_MASK
                | (u64::from(adc) & ADC_MASK) << ADC_SHIFT
                | (u64::from(channel) & CHANNEL_MASK) << CHANNEL_SHIFT
                | address_bits(address),
        )
    }

    /// The digi with these bits.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Digi(bits)
    }

    /// All bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Time in ns, 31 bits.
    #[inline]
    pub const fn time_ns(self) -> u32 {
        (self.0 & TIME_MASK) as u32
    }

    /// Channel on its module side, 11 bits.
    #[inline]
    pub const fn channel(self) -> u16 {
        (self.0 >> CHANNEL_SHIFT & CHANNEL_MASK) as u16
    }

    /// Charge in ADC units, 5 bits.
    #[inline]
    pub const fn adc(self) -> u8 {
        (self.0 >> ADC_SHIFT & ADC_MASK) as u8
    }

    /// The module.
    #[inline]
    pub const fn address(self) -> Address {
        let high = (self.0 >> ADDRESS_HIGH_BIT & 1) as u32;
        Address::from_packed(high << 16 | (self.0 >> ADDRESS_LOW_SHIFT) as u32)
    }

    /// The sort key: the channel, then the time.
    #[inline]
    pub const fn key(self) -> u64 {
        (self.0 >> CHANNEL_SHIFT & CHANNEL_MASK) << TIME_BITS | self.0 & TIME_MASK
    }

    /// Returns this charge and address with the key (channel and time) of another digi.
    #[inline]
    pub(crate) const fn with_key_of(self, other: Digi) -> Self {
        const KEY: u64 = CHANNEL_MASK << CHANNEL_SHIFT | TIME_MASK;
        Digi(self.0 & !KEY | other.0 & KEY)
    }

    /// Combines two digis of which each has zeros in the fields that the other one sets.
    #[inline]
    pub(crate) const fn joined(self, other: Digi) -> Self {
        Digi(self.0 | other.0)
    }

    /// Returns this digi in another channel, which must have at most 11 bits.
    #[inline]
    pub const fn with_channel(self, channel: u16) -> Self {
        let bits = (channel as u64 & CHANNEL_MASK) << CHANNEL_SHIFT;
        Digi(self.0 & !(CHANNEL_MASK << CHANNEL_SHIFT) | bits)
    }
}

/// The bits of an address where a digi has them.
#[inline]
const fn address_bits(address: Address) -> u64 {
    let packed = address.packed() as u64;
    (packed >> 16) << ADDRESS_HIGH_BIT | (packed & 0xffff) << ADDRESS_LOW_SHIFT
}

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

pub(crate) fn modules(segments: usize) -> usize {
    segments.div_ceil(2)
}

/// All digis of a timeslice in one flat array, segment after segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentedDigis {
    digis: Vec<Digi>,
    partition: Partition,
}

impl SegmentedDigis {
    /// Builds digis from the order of their segments.
    ///
    /// # Panics
    /// If the partition has another number of elements.
    pub fn new(digis: Vec<Digi>, partition: Partition) -> Self {
        assert_eq!(digis.len(), partition.elements(), "digis outside segments");
        SegmentedDigis { digis, partition }
    }

    /// Builds digis from one list per segment.
    pub fn from_segments<S: AsRef<[Digi]>>(segments: &[S]) -> Self {
        let lengths = segments.iter().map(|segment| segment.as_ref().len());
        let partition = Partition::from_lengths(lengths);
        let digis = segments.iter().flat_map(|segment| segment.as_ref());
        Self::new(digis.copied().collect(), partition)
    }

    /// The flat array.
    pub fn digis(&self) -> &[Digi] {
        &self.digis
    }

    /// Offsets of the segments in the flat array.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The digis of one segment.
    pub fn segment(&self, segment: usize) -> &[Digi] {
        &self.digis[self.partition.range(segment)]
    }

    /// The digis of all segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = &[Digi]> {
        self.partition.ranges().map(|range| &self.digis[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digi_has_eight_bytes() {
        assert_eq!(size_of::<Digi>(), 8);
    }

    #[test]
    fn fields_lie_where_the_format_has_them() {
        let address = Address::from_packed(0x1_8001);
        let digi = Digi::new(address, 0x5a5, 0x1234_5678, 0x15);
        assert_eq!(digi.bits() as u32, 0x1234_5678 | 1 << 31);
        assert_eq!((digi.bits() >> 32) as u16, 0x15 | 0x5a5 << 5);
        assert_eq!((digi.bits() >> 48) as u16, 0x8001);
    }

    #[test]
    fn fields_come_back() {
        let address = Address::from_packed(0x1_ffff);
        let digi = Digi::new(address, 2047, 0x7fff_ffff, 31);
        assert_eq!(digi.bits(), u64::MAX);
        assert_eq!(digi.address(), address);
        assert_eq!((digi.channel(), digi.adc()), (2047, 31));
        assert_eq!(digi.time_ns(), 0x7fff_ffff);
    }

    #[test]
    fn the_channel_comes_first_in_the_key() {
        let address = Address::from_packed(0);
        let early = Digi::new(address, 2, 1, 31);
        let late = Digi::new(address, 1, 1000, 0);
        assert!(late.key() < early.key());
        assert_eq!(early.key(), 2 << 31 | 1);
        assert!(Digi::from_bits(u64::MAX).key() < 1 << Digi::KEY_BITS);
    }

    #[test]
    fn the_key_alone_can_be_copied() {
        let front = Digi::new(Address::from_packed(7), 3, 50, 9);
        let other = Digi::new(Address::from_packed(8), 4, 60, 1);
        let copy = front.with_key_of(other);
        assert_eq!(copy.key(), other.key());
        assert_eq!((copy.adc(), copy.address()), (9, front.address()));
    }

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
