//! Converts digits of a line to positions and staged ADC values, sixteen at a time.
//!
//! A plain loop over arrays, which the compiler vectorizes for the permitted instruction sets. Only
//! scattered stores are done one by one.

use generators_tpc::Digit;

use super::staging::{ENTRIES, Staging};
use crate::tpc_decode::charge_map::{PAD_MARGIN, Position, ROW_PITCH, TILE, TILE_PADS};

/// Digits that are converted at once.
const CHUNK: usize = 16;

/// The time bins of a line of tiles, or those of them that the fragment has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The first one.
    pub(super) first: u32,
    /// Time bin after the last one.
    pub(super) end: u32,
    /// The time of the first one in the map.
    pub(super) time: u32,
}

/// Converts the first of some digits, none of which is before the line and whose time bins ascend,
/// up to the first one after its end; returns their number.
pub(super) type StageSamples = fn(Line, &[Digit], &mut [Position], &mut Staging) -> usize;

/// All implementations that this machine supports, the fastest last.
pub(super) fn all() -> Vec<StageSamples> {
    #[cfg(target_arch = "x86_64")]
    let wide = [avx2::if_available(), avx512::if_available()];
    #[cfg(not(target_arch = "x86_64"))]
    let wide: [Option<StageSamples>; 0] = [];
    let plain: StageSamples = put;
    [plain].into_iter().chain(wide.into_iter().flatten()).collect()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Digit, Line, Position, StageSamples, Staging};
    use tasks::device::cpu_features::with_instructions;

    with_instructions! {
        /// Eight at a time, if this machine has AVX2.
        ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
        StageSamples: fn wide(
            line: Line, digits: &[Digit], positions: &mut [Position], staging: &mut Staging
        ) -> usize {
            super::put(line, digits, positions, staging)
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Digit, Line, Position, StageSamples, Staging};
    use tasks::device::cpu_features::with_instructions;

    with_instructions! {
        /// Sixteen at a time, if this machine has AVX-512.
        ["avx512f", "avx512bw", "avx512dq", "avx512vl", "bmi1", "bmi2", "lzcnt", "popcnt"]
        StageSamples: fn wide(
            line: Line, digits: &[Digit], positions: &mut [Position], staging: &mut Staging
        ) -> usize {
            super::put(line, digits, positions, staging)
        }
    }
}

#[inline(always)]
fn put(line: Line, digits: &[Digit], positions: &mut [Position], staging: &mut Staging) -> usize {
    let first_column = staging.first_column() as u32;
    let is_in = |digit: &Digit| digit.time_bin() < line.end;
    let mut next = 0;
    loop {
        let digits = &digits[next..];
        let positions = &mut positions[next..];
        let chunks = (digits.first_chunk::<CHUNK>(), positions.first_chunk_mut::<CHUNK>());
        match chunks {
            (Some(digits), Some(positions)) if is_in(&digits[CHUNK - 1]) => {
                put_chunk(line, digits, positions, staging, first_column);
            }
            _ => break,
        }
        next += CHUNK;
    }
    let rest = digits[next..].iter().take_while(|digit| is_in(digit)).count();
    let end = next + rest;
    // Some earlier digits are converted again, which has no effect.
    let last = end.checked_sub(CHUNK).filter(|_| rest > 0);
    let last = last.and_then(|first| {
        let positions = positions[first..].first_chunk_mut::<CHUNK>();
        digits[first..].first_chunk::<CHUNK>().zip(positions)
    });
    match last {
        Some((digits, positions)) => put_chunk(line, digits, positions, staging, first_column),
        None => {
            for (digit, position) in digits[next..end].iter().zip(&mut positions[next..end]) {
                let position = std::array::from_mut(position);
                put_chunk(line, &[*digit], position, staging, first_column);
            }
        }
    }
    end
}

#[inline(always)]
fn put_chunk<const N: usize>(
    line: Line,
    digits: &[Digit; N],
    positions: &mut [Position; N],
    staging: &mut Staging,
    first_column: u32,
) {
    const PITCH: u32 = ROW_PITCH as u32;
    const MARGIN: u32 = PAD_MARGIN as u32;
    const PADS: u32 = TILE_PADS as u32;
    // An entry, and the ADC value below it.
    let mut values = [0_u32; N];
    for i in 0..N {
        let digit = digits[i];
        let time = digit.time_bin().wrapping_sub(line.first);
        let column = u32::from(digit.row()) * PITCH + u32::from(digit.pad()) + MARGIN;
        positions[i] = Position { column: column as i16, time: (line.time + time) as i16 };
        let own = column.wrapping_sub(first_column);
        let entry = own / PADS * TILE as u32 + time * PADS + own % PADS;
        values[i] = entry << 16 | u32::from(digit.adc());
    }
    let staged = staging.entries();
    for value in values {
        staged[(value >> 16) as usize % ENTRIES] = value as u16;
    }
}

#[cfg(test)]
mod tests {
    use generators_tpc::geometry::{Region, pads_in_row};
    use generators_tpc::{PadId, ZsFormat};

    use super::*;
    use crate::tpc_decode::charge_map::{Gains, TILES_IN_ROW, tiles_of_row};

    /// Digits of a region in the two time bins before the end of a line and the one after it.
    fn digits(region: Region, count: usize) -> Vec<Digit> {
        let digit = |number: usize| {
            let row = region.rows().start + number % region.rows().len();
            let pad = PadId::new(row as u8, (number * 7 % pads_in_row(row)) as u8);
            Digit::new(3, pad, 1001 + (3 * number / count) as u32, (number * 37 % 4096) as u16)
        };
        (0..count).map(digit).collect()
    }

    #[test]
    fn all_levels_stage_each_digit_of_the_line() {
        for (region, count) in Region::all().flat_map(|region| (0..70).map(move |n| (region, n))) {
            for put in all() {
                let digits = digits(region, count);
                let mut positions = vec![Position::OUTSIDE; count];
                let mut staging = Staging::new();
                staging.turn_to(region, 3, &Gains::unit(), ZsFormat::Link);
                let line = Line { first: 1000, end: 1003, time: 8 };
                let done = put(line, &digits, &mut positions, &mut staging);
                let in_line = digits.iter().filter(|digit| digit.time_bin() < 1003);
                assert_eq!(done, in_line.clone().count());
                let mut expected = vec![0; ENTRIES];
                let first = (2 * TILES_IN_ROW + tiles_of_row(region.rows().start).start) * TILE;
                for (digit, position) in in_line.zip(&positions) {
                    assert_eq!(*position, Position::new(digit.pad_id(), digit.time_bin() - 996));
                    expected[position.index() - first] = digit.adc();
                }
                assert_eq!(staging.entries()[..], expected);
                assert!(positions[done..].iter().all(|position| *position == Position::OUTSIDE));
            }
        }
    }
}
