//! Digits as a file.

use std::path::Path;

use generators::DataError;
use generators::io::{Table, write_table};

use super::{Decoded, TimeFrame};

/// Writes digits by row, pad and time bin, then by ADC value, so that the order does not depend on
/// the variant; returns their number.
///
/// # Errors
/// If they are of several sectors, for which the table has no column, or the file can't be written.
pub(super) fn write(frame: &TimeFrame, decoded: &Decoded, path: &Path) -> Result<usize, DataError> {
    let sectors = frame.sector_numbers().len();
    if sectors > 1 {
        return Err(DataError::Shape(format!(
            "pages of {sectors} sectors; a list of digits is of one: choose it with --sector"
        )));
    }
    let mut digits = decoded.digits.clone();
    digits.sort_unstable_by_key(|digit| (digit.pad_id(), digit.time_bin(), digit.adc()));
    let table = Table::new()
        .with("row", digits.iter().map(|digit| digit.row()))
        .with("pad", digits.iter().map(|digit| digit.pad()))
        .with("time_bin", digits.iter().map(|digit| digit.time_bin()))
        .with("adc", digits.iter().map(|digit| digit.adc()));
    write_table(path, &table)?;
    Ok(table.rows())
}
