//! Clusters that other programs found in the charges: their form is checked, and no more.

use super::position;
use super::record::Record;
use super::words::Words;
use crate::tpc::charges::MAX_CHARGE;

/// Times of clusters have 24 bits.
const MAX_TIME: u32 = (1 << 24) - 1;

/// Passes over the line of a result.
pub(super) fn skip(record: Record, words: &mut Words, frame: u32) -> Result<(), String> {
    match record {
        Record::Peak => peak(words, frame),
        Record::Share => share(words, frame),
        _ => cluster(words),
    }
}

/// `ROW PAD TIME KEPT`
fn peak(words: &mut Words, frame: u32) -> Result<(), String> {
    position::pad(words)?;
    position::time(words, frame)?;
    words.number("mark of kept peaks", 0..=1_u8)?;
    Ok(())
}

/// `ROW PAD TIME CHARGE FLAGS`
fn share(words: &mut Words, frame: u32) -> Result<(), String> {
    position::pad(words)?;
    position::time(words, frame)?;
    words.number("charge", 0..=MAX_CHARGE)?;
    words.number("flags", 0..=3_u8)?;
    Ok(())
}

/// `ROW PAD TIME SIGMAPAD SIGMATIME QMAX QTOT FLAGS LABEL…`
fn cluster(words: &mut Words) -> Result<(), String> {
    position::row(words)?;
    words.number("pad", 0..=u16::MAX)?;
    words.number("time", 0..=MAX_TIME)?;
    words.number("width in pads", 0..=u8::MAX)?;
    words.number("width in time", 0..=u8::MAX)?;
    words.number("charge of the peak", 0..=u16::MAX)?;
    words.number("charge", 0..=u16::MAX)?;
    words.number("flags", 0..=u8::MAX)?;
    while words.next_number("label", 0..=u64::MAX)?.is_some() {}
    Ok(())
}
