//! The input of the cluster finder: charges in tiles, and their positions.
//!
//! A map has an entry of 16 bits for each pad and time bin of a fragment of a sector. Tiles of 8
//! pads and 4 time bins are contiguous, so that a cluster, which is a few pads wide and a few time
//! bins long, lies in few cache lines. All rows are side by side, with margins between them and at
//! the ends.

mod tiles;

use std::ops::Range;

use generators_common::random::mix;
use generators_tpc::charges::Charge;
use generators_tpc::geometry::{PADS_IN_SECTOR, ROWS, SECTORS, first_pad_of_row, pads_in_row};
use generators_tpc::{Digit, PadId, ZsFormat};

use parallel::{self, par_concat};
pub(super) use tiles::{MapShape, Tile};

/// Columns from the start of a row to that of the next one.
pub(super) const ROW_PITCH: usize = 152;
/// Columns before the first row.
pub(super) const PAD_MARGIN: usize = 8;
/// Time bins before a fragment and after it.
pub(crate) const TIME_MARGIN: u32 = 4;
/// Pads of a tile.
pub(crate) const TILE_PADS: usize = 8;
/// Time bins of a tile.
pub(crate) const TILE_TIMES: usize = 4;
/// Entries of a tile: one cache line.
pub(crate) const TILE: usize = TILE_PADS * TILE_TIMES;
/// Pads of all rows with their margins.
pub(crate) const COLUMNS: usize = ROWS * ROW_PITCH + PAD_MARGIN;
/// Tiles side by side.
pub(crate) const TILES_IN_ROW: usize = COLUMNS / TILE_PADS;
/// Bits of the fraction of a charge in a map.
pub(crate) const CHARGE_SCALE: f32 = 16.0;
/// The largest charge; the two bits above it mark peaks and splits later on.
pub(super) const MAX_CHARGE: f32 = 16_383.0;

/// Entries of a map for `time_bins` time bins.
pub(crate) fn entries(time_bins: u32) -> usize {
    let times = (time_bins + 2 * TIME_MARGIN) as usize;
    times.div_ceil(TILE_TIMES) * TILES_IN_ROW * TILE
}

/// Entries that a thread searches at a time.
const PIECE: usize = 1 << 18;

/// The entries of a map that are not 0: their indices and values.
pub(super) fn present(map: &[u16]) -> Vec<(u32, u16)> {
    let pieces = map.chunks(PIECE).enumerate();
    let pieces = parallel::map(pieces, |(number, piece)| {
        let first = (number * PIECE) as u32;
        let entries = piece.iter().zip(first..);
        let present = entries.filter(|(charge, _)| **charge > 0);
        present.map(|(charge, index)| (index, *charge)).collect::<Vec<_>>()
    });
    par_concat(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Position of a charge: the column of its pad, and its time bin from the start of the map. A
/// sample outside the fragment has a negative time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Position {
    /// 152 times the row, plus the pad, plus 8.
    pub column: i16,
    /// The time bin in the fragment, plus 4.
    pub time: i16,
}

impl Position {
    /// Position of a sample outside the fragment.
    pub const OUTSIDE: Position = Position { column: 0, time: -1 };

    /// Position of a pad and a time bin of the fragment.
    #[inline(always)]
    pub(crate) fn new(pad: PadId, local_time: u32) -> Self {
        Position { column: column(pad) as i16, time: (local_time + TIME_MARGIN) as i16 }
    }

    /// Index of the entry in the map.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        entry(self.column as usize, self.time as usize)
    }
}

/// The entry of a pad and a time bin, counted from the first of the map.
#[inline(always)]
pub(crate) fn entry_of(pad: PadId, time_bin: u32) -> usize {
    entry(column(pad), (time_bin + TIME_MARGIN) as usize)
}

/// The entry of a column and a line of the map.
#[inline(always)]
pub(crate) fn entry(column: usize, line: usize) -> usize {
    let tile = line / TILE_TIMES * TILES_IN_ROW + column / TILE_PADS;
    tile * TILE + line % TILE_TIMES * TILE_PADS + column % TILE_PADS
}

/// The column of a pad among all rows side by side.
#[inline(always)]
pub(crate) fn column(pad: PadId) -> usize {
    usize::from(pad.row()) * ROW_PITCH + usize::from(pad.pad()) + PAD_MARGIN
}

/// The pad of a column, which must not be in a margin.
#[inline(always)]
pub(crate) fn pad_of_column(column: usize) -> PadId {
    PadId::new((column / ROW_PITCH) as u8, (column % ROW_PITCH - PAD_MARGIN) as u8)
}

/// The tiles of a row of pads in each row of tiles: each row of pads starts with a new tile.
pub(crate) fn tiles_of_row(row: usize) -> Range<usize> {
    let first = column(PadId::new(row as u8, 0)) / TILE_PADS;
    first..first + pads_in_row(row).div_ceil(TILE_PADS)
}

/// Correction factors of all pads for charges.
pub struct Gains {
    /// Factors by column, one sector after the other.
    factors: Vec<f32>,
}

impl Gains {
    /// No correction.
    pub fn unit() -> Self {
        Gains::from_steps(|_, _| UNIT_STEP)
    }

    /// Gains that differ from pad to pad by up to a fifth, like those of a real chamber, from a
    /// seed.
    pub fn spread(seed: u64) -> Self {
        Gains::from_steps(|sector, pad| {
            let random = mix(seed ^ mix((sector * PADS_IN_SECTOR + pad) as u64));
            UNIT_STEP - SPREAD + (random % (2 * u64::from(SPREAD) + 1)) as u16
        })
    }

    /// Gains are stored with 16 bits between the smallest and the largest.
    fn from_steps(step: impl Fn(usize, usize) -> u16) -> Self {
        let mut factors = vec![0.0; SECTORS * COLUMNS];
        for sector in 0..SECTORS {
            for row in 0..ROWS {
                for pad in 0..pads_in_row(row) {
                    let step = step(sector, first_pad_of_row(row) + pad);
                    let column = column(PadId::new(row as u8, pad as u8));
                    factors[sector * COLUMNS + column] =
                        MIN_GAIN + (MAX_GAIN - MIN_GAIN) * f32::from(step) / GAIN_STEPS;
                }
            }
        }
        Gains { factors }
    }

    /// The factors of all sectors, one after the other.
    pub(crate) fn factors(&self) -> &[f32] {
        &self.factors
    }

    /// Gains of these factors, those of all sectors one after the other; `None` if there are more or
    /// fewer.
    pub(crate) fn from_factors(factors: Vec<f32>) -> Option<Self> {
        (factors.len() == SECTORS * COLUMNS).then_some(Gains { factors })
    }

    /// The factors of a sector, by column.
    #[inline(always)]
    pub(super) fn of_sector(&self, sector: u8) -> &[f32; COLUMNS] {
        match self.factors[usize::from(sector) * COLUMNS..].first_chunk() {
            Some(factors) => factors,
            None => unreachable!("there are factors for each sector"),
        }
    }
}

const MIN_GAIN: f32 = 0.0;
const MAX_GAIN: f32 = 2.0;
const GAIN_STEPS: f32 = 65_534.0;
/// The encoding of a gain of 1.
const UNIT_STEP: u16 = 32_767;
/// A fifth of the unit step.
const SPREAD: u16 = 6_553;

/// Charges of a map for one ADC value: whole units in one format, quarters in all others.
pub(super) fn scale_of(format: ZsFormat) -> f32 {
    let unit = match format {
        ZsFormat::Row10 => 1.0,
        _ => 0.25,
    };
    unit * CHARGE_SCALE
}

/// Conversion of digits of a format to entries of a map.
#[derive(Clone, Copy)]
pub(crate) struct Converter<'a> {
    gains: &'a [f32; COLUMNS],
    scale: f32,
}

impl<'a> Converter<'a> {
    /// Converter for digits of a sector.
    pub(crate) fn new(gains: &'a Gains, sector: u8, format: ZsFormat) -> Self {
        Converter { gains: gains.of_sector(sector), scale: scale_of(format) }
    }

    /// Correction factor of a pad.
    #[inline(always)]
    pub(crate) fn gain(&self, pad: PadId) -> f32 {
        self.gains[column(pad)]
    }

    /// Converts a digit to a sample of the cluster finder.
    #[inline(always)]
    pub(crate) fn sample(&self, digit: Digit) -> Charge {
        Charge { time: digit.time_bin(), pad: digit.pad_id(), charge: self.charge(digit) }
    }

    /// The entry for a digit: its charge with 4 fractional bits, truncated.
    #[inline(always)]
    pub(crate) fn charge(&self, digit: Digit) -> u16 {
        let gain = self.gain(digit.pad_id());
        (f32::from(digit.adc()) * self.scale * gain).min(MAX_CHARGE) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_a_thousand_time_bins_has_the_known_size() {
        assert_eq!((COLUMNS, TILES_IN_ROW), (23_112, 2889));
        assert_eq!(entries(1000) * 2, 252 * 2889 * 64);
    }

    #[test]
    fn rows_of_pads_have_tiles_of_their_own() {
        let mut free = 0;
        for row in 0..ROWS {
            let tiles = tiles_of_row(row);
            let last = pads_in_row(row) - 1;
            assert!(tiles.start >= free && tiles.end <= TILES_IN_ROW);
            let columns = [0, last].map(|pad| column(PadId::new(row as u8, pad as u8)));
            assert_eq!(columns.map(|column| column % TILE_PADS)[0], 0, "row {row}");
            assert_eq!(columns[1] / TILE_PADS, tiles.end - 1, "row {row}");
            free = tiles.end;
        }
    }

    #[test]
    fn neighbours_share_a_tile() {
        let index = |pad, time| Position::new(PadId::new(0, pad), time).index();
        assert_eq!(index(0, 0), (2889 + 1) * 32);
        assert_eq!(index(1, 0), index(0, 0) + 1);
        assert_eq!(index(0, 1), index(0, 0) + 8);
        assert_eq!(index(8, 0), index(0, 0) + 32);
        assert_eq!(index(0, 4), index(0, 0) + 2889 * 32);
    }

    #[test]
    fn charges_are_cut_off_and_saturate() {
        let gains = Gains::unit();
        let convert = |format, adc| {
            let digit = Digit::new(3, PadId::new(10, 20), 0, adc);
            Converter::new(&gains, 3, format).charge(digit)
        };
        assert_eq!(convert(ZsFormat::DenseLink, 4095), 16_380);
        assert_eq!(convert(ZsFormat::Row10, 1023), 16_368);
        let gains = Gains::from_steps(|_, _| 65_534);
        let double = Converter::new(&gains, 0, ZsFormat::Link);
        let digit = |adc| Digit::new(0, PadId::new(0, 0), 0, adc);
        assert_eq!(double.charge(digit(2048)), 16_383);
        assert_eq!(double.charge(digit(3)), 24);
    }

    /// A charge that the experiment has packed: in quarters of an ADC unit, with a gain in its
    /// stored format, and that gain as a factor.
    struct Packed {
        quarters: u16,
        step: u16,
        gain: f32,
        charge: u16,
    }

    impl Packed {
        /// Parses `BITS_OF_ADC,STEP,BITS_OF_GAIN,CHARGE`. Values between quarters do not occur in
        /// pages.
        fn parse(line: &str) -> Option<Self> {
            let fields: Vec<_> = line.split(',').collect();
            let bits = |field| f32::from_bits(u32::from_str_radix(field, 16).expect("bits"));
            let number = |field: &str| field.parse().expect("a number");
            let quarters = bits(fields[0]) / 0.25;
            let in_page = (0.0..4096.0).contains(&quarters) && quarters.fract() == 0.0;
            in_page.then(|| Packed {
                quarters: quarters as u16,
                step: number(fields[1]),
                gain: bits(fields[2]),
                charge: number(fields[3]),
            })
        }
    }

    fn pads() -> impl Iterator<Item = PadId> {
        let of_row = |row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8));
        (0..ROWS).flat_map(of_row)
    }

    #[test]
    fn charges_are_those_of_the_experiment() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/tpc-clusters/packing.csv");
        let table = std::fs::read_to_string(file).expect("a fixture");
        let packed: Vec<_> = table.lines().skip(1).filter_map(Packed::parse).collect();
        assert!(packed.len() > 300);
        // Each of them has its own pad.
        let step = |_, pad: usize| packed.get(pad).map_or(UNIT_STEP, |packed| packed.step);
        let gains = Gains::from_steps(step);
        for (packed, pad) in packed.iter().zip(pads()) {
            let charge =
                |format, adc| Converter::new(&gains, 1, format).charge(Digit::new(1, pad, 0, adc));
            assert_eq!(gains.of_sector(1)[column(pad)], packed.gain, "{}", packed.step);
            assert_eq!(charge(ZsFormat::Link, packed.quarters), packed.charge);
            if packed.quarters.is_multiple_of(4) {
                assert_eq!(charge(ZsFormat::Row10, packed.quarters / 4), packed.charge);
            }
            // The experiment multiplies by the gain first: powers of two cause no rounding.
            for quarters in 0..1 << 12 {
                let corrected = f32::from(quarters) * 0.25 * packed.gain * 16.0;
                let expected = corrected.min(MAX_CHARGE) as u16;
                assert_eq!(charge(ZsFormat::Link, quarters), expected);
            }
        }
    }

    #[test]
    fn gains_spread_around_one() {
        let gains = Gains::spread(1);
        let factors = gains.factors.iter().filter(|factor| **factor > 0.0);
        let factors: Vec<_> = factors.copied().collect();
        assert_eq!(factors.len(), SECTORS * PADS_IN_SECTOR);
        assert!(factors.iter().all(|factor| (0.79..1.21).contains(factor)));
        let mean = factors.iter().map(|f| f64::from(*f)).sum::<f64>() / factors.len() as f64;
        assert!((mean - 1.0).abs() < 1e-3, "{mean}");
    }
}
