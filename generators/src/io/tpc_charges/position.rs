//! Pads and time bins, and which of them occurs twice.

use super::words::Words;
use crate::tpc::PadId;
use crate::tpc::charges::{Charge, MAX_TIME_BINS};
use crate::tpc::geometry::{MAX_PADS_IN_ROW, ROWS, pads_in_row};

/// Maximum number of samples of a case: a position and the index of a sample fit into 64 bits.
pub(super) const MAX_SAMPLES: usize = 1 << SAMPLE_BITS;
const SAMPLE_BITS: u32 = 28;
const TIME_BITS: u32 = MAX_TIME_BINS.ilog2();

pub(super) fn row(words: &mut Words) -> Result<u8, String> {
    words.number("row", 0..=ROWS as u8 - 1)
}

pub(super) fn pad(words: &mut Words) -> Result<PadId, String> {
    let row = row(words)?;
    let pad = words.number("pad", 0..=MAX_PADS_IN_ROW as u8 - 1)?;
    let last = pads_in_row(usize::from(row)) - 1;
    if usize::from(pad) <= last {
        return Ok(PadId::new(row, pad));
    }
    Err(format!("there is no pad {pad} in row {row}, which has pads 0 to {last}"))
}

/// Parses a time bin below `frame`.
pub(super) fn time(words: &mut Words, frame: u32) -> Result<u32, String> {
    let time = words.number("time bin", 0..=MAX_TIME_BINS - 1)?;
    within(time, frame)
}

pub(super) fn within(time: u32, frame: u32) -> Result<u32, String> {
    if time < frame {
        return Ok(time);
    }
    let last = frame - 1;
    Err(format!("time bin {time} is outside the frame, which has time bins 0 to {last}"))
}

/// Returns the first sample at the position of an earlier one, after that earlier one.
pub(super) fn first_duplicate(charges: &[Charge]) -> Option<[usize; 2]> {
    let keys = charges.iter().zip(0..).map(|(charge, sample)| key(charge) | sample);
    let mut keys: Vec<u64> = keys.collect();
    keys.sort_unstable();
    let same = |pair: &&[u64]| pair[0] >> SAMPLE_BITS == pair[1] >> SAMPLE_BITS;
    let sample = |key: u64| (key % MAX_SAMPLES as u64) as usize;
    let first_duplicate =
        keys.windows(2).filter(same).map(|pair| [sample(pair[0]), sample(pair[1])]);
    first_duplicate.min_by_key(|[_, second]| *second)
}

/// The position of a sample, shifted above the bits of its index.
fn key(charge: &Charge) -> u64 {
    let pad = u64::from(charge.pad.bits()) << TIME_BITS;
    (pad | u64::from(charge.time)) << SAMPLE_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_duplicate_position_is_found() {
        let charges = |keys: &[(u8, u8, u32)]| -> Vec<Charge> {
            let charge = |&(row, pad, time)| Charge { time, pad: PadId::new(row, pad), charge: 1 };
            keys.iter().map(charge).collect()
        };
        let last = (151, 137, MAX_TIME_BINS - 1);
        assert_eq!(first_duplicate(&charges(&[(0, 1, 0), (1, 0, 0), (0, 0, 1), last])), None);
        let keys = [last, (5, 5, 5), (0, 0, 0), (5, 5, 5), last, (5, 5, 5)];
        assert_eq!(first_duplicate(&charges(&keys)), Some([1, 3]));
        assert_eq!(first_duplicate(&[]), None);
    }
}
