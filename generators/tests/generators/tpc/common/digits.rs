//! Digits that are hard to encode.

use generators::random::{below, hash};
use generators::tpc::mapping::LinkChannel;
use generators::tpc::time::time_bins_of;
use generators::tpc::{Digit, PadId, PadMapping, Region, ZsFormat};

/// The time bins that the digits may be in.
pub const ORBITS: u32 = 3;

/// Selection of the pads with a digit in a time bin.
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// This share of all, at random, in every time bin.
    Share(f64),
    /// All pads in one of this many time bins: gaps and full blocks.
    FlashEvery(u32),
    /// The share differs from time bin to time bin.
    Ragged,
}

/// Digits of some regions of a sector.
pub fn digits(format: ZsFormat, sector: u8, regions: &[usize], fill: Fill) -> Vec<Digit> {
    let mapping = PadMapping::regular();
    let mut digits = Vec::new();
    for bin in 0..time_bins_of(ORBITS - 1).end {
        for region in regions.iter().filter_map(|number| Region::new(*number)) {
            for index in 0..region.pads().len() {
                let bits = hash(7, [region.number() as u64, index as u64, bin.into()]);
                if f64::from(bits as u32) < share(fill, bin) * 4_294_967_296.0 {
                    let pad = mapping.pad(LinkChannel::from_index(region, index));
                    let adc = adc(format, bin, (bits >> 32) as u32);
                    digits.push(Digit::new(sector, pad.unwrap_or(PadId::new(0, 0)), bin, adc));
                }
            }
        }
    }
    digits
}

fn share(fill: Fill, bin: u32) -> f64 {
    match fill {
        Fill::Share(share) => share,
        Fill::FlashEvery(bins) if bin.is_multiple_of(bins) => 1.0,
        Fill::FlashEvery(_) => 0.0,
        Fill::Ragged => f64::from(hash(8, [bin.into()]) as u8) / 400.0,
    }
}

/// All values of the format, only small ones in every second time bin; zero is a valid one.
fn adc(format: ZsFormat, bin: u32, bits: u32) -> u16 {
    let end = if bin.is_multiple_of(2) { 1024 } else { u64::from(format.max_adc()) + 1 };
    below(bits, end) as u16
}

/// The digits of the golden pages, with 12-bit values: sparse ones in two regions, and some full
/// time bins of one region.
pub fn golden() -> Vec<Digit> {
    let format = ZsFormat::Row12;
    let sparse = digits(format, GOLDEN_SECTOR, &[1, 8], Fill::Share(0.0005));
    let mut full = digits(format, GOLDEN_SECTOR, &[8], Fill::FlashEvery(1));
    full.retain(|digit| (600..608).contains(&digit.time_bin()));
    let mut golden = [sparse, full].concat();
    golden.sort_unstable();
    golden.dedup();
    golden
}

/// Their sector.
pub const GOLDEN_SECTOR: u8 = 21;

/// Converts the values of digits to another format.
pub fn in_format(format: ZsFormat, digits: &[Digit]) -> Vec<Digit> {
    let rescaled = |digit: &Digit| digit.with_adc(format.adc_of_quarters(digit.adc()));
    digits.iter().map(rescaled).collect()
}
