//! Helpers of these tests.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use algorithms_tpc::tpc_decode::{Gains, Output, Settings, Tables, TimeFrame, WorkDistribution};
use flate2::read::GzDecoder;
use generators_common::random::{below, hash};
use generators_tpc::mapping::LinkChannel;
use generators_tpc::pages::RawPages;
use generators_tpc::time::time_bins_of;
use generators_tpc::{Digit, PadId, PadMapping, Region, ZsFormat};

use crate::experiments::fixtures;

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

/// A channel with the number of its endpoint and its pad.
pub struct Wire {
    pub channel: LinkChannel,
    pub endpoint: usize,
    pub pad: PadId,
}

/// Wires of all channels of three regions:
/// `region,endpoint,fec_in_partition,raw_fec_channel,row,pad`.
pub fn wires() -> Vec<Wire> {
    let file = File::open(fixtures("tpc-pages").join("wiring.csv.gz")).expect("a fixture");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    text.lines().skip(1).map(wire).collect()
}

fn wire(line: &str) -> Wire {
    let fields: Vec<usize> =
        line.split(',').map(|field| field.parse().expect("a number")).collect();
    let [region, endpoint, fec, channel, row, pad] = fields[..] else {
        panic!("six columns: {line}");
    };
    let region = Region::new(region).expect("a region");
    Wire {
        channel: LinkChannel { region, fec: fec as u8, channel: channel as u8 },
        endpoint,
        pad: PadId::new(row as u8, pad as u8),
    }
}

/// A mapping with these wires; the regular one elsewhere.
pub fn mapping() -> PadMapping {
    let regular = PadMapping::regular();
    let wires: HashMap<_, _> = wires().iter().map(|wire| (wire.channel, wire.pad)).collect();
    let pad = |channel| wires.get(&channel).copied().or_else(|| regular.pad(channel));
    PadMapping::new(|channel| pad(channel).expect("a channel")).expect("one to one")
}

/// All digits of pages of `orbits` orbits, sorted, by the reference that decoders are checked with.
pub fn decoded(
    format: ZsFormat,
    pages: &RawPages,
    orbits: u32,
    mapping: &PadMapping,
) -> Vec<Digit> {
    let settings =
        Settings { output: Output::Digits, sharing: WorkDistribution::Pages, fragment: 4000 };
    let tables = Arc::new(Tables::new(mapping.clone(), Gains::unit()));
    let decoded = TimeFrame::new(pages.clone(), format, orbits, tables, settings).digits();
    assert!(decoded.damaged.is_empty(), "{}", decoded.damaged[0]);
    let mut digits = decoded.digits;
    digits.sort_unstable();
    let unique = digits.windows(2).all(|pair| pair[0].cell_bits() < pair[1].cell_bits());
    assert!(unique, "a pad has two values in a time bin");
    digits
}
