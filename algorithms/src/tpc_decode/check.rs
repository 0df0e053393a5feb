//! What counts as decoded right.

use generators::tpc::Digit;

use super::Decoded;
use super::charge_map::Position;
use super::damage::DamagedPage;

/// How an output is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// More or fewer samples than in the pages.
    #[error("{found} samples instead of {expected}")]
    Count {
        /// Samples of the reference.
        expected: usize,
        /// Samples of the output.
        found: usize,
    },
    /// Not the digit of the reference.
    #[error("digit {index}: {found:?} instead of {expected:?}")]
    Digit {
        /// The digit's number.
        index: usize,
        /// The reference's.
        expected: Digit,
        /// The output's.
        found: Digit,
    },
    /// Not the position of the reference.
    #[error("position {index}: {found:?} instead of {expected:?}")]
    Position {
        /// The position's number, over all fragments.
        index: usize,
        /// The reference's.
        expected: Position,
        /// The output's.
        found: Position,
    },
    /// A charge in the map that should be another one.
    #[error("sector {sector} of the input: the charges of its map are not right")]
    Charges {
        /// The sector, counted as they come.
        sector: usize,
    },
    /// A page that should have been rejected, or not, or for another reason.
    #[error("damaged page {number}: {} instead of {}", words(.found), words(.expected))]
    Damage {
        /// Its number among the damaged pages.
        number: usize,
        /// The reference's.
        expected: Option<Box<DamagedPage>>,
        /// The output's.
        found: Option<Box<DamagedPage>>,
    },
}

fn words(damaged: &Option<Box<DamagedPage>>) -> String {
    let words = |page: &DamagedPage| page.to_string();
    damaged.as_deref().map_or("none".to_owned(), words)
}

/// The same as the reference; the samples in any order, unless the order is to be
/// that of the pages.
pub(super) fn same(
    reference: &Decoded,
    output: &Decoded,
    in_order_of_pages: bool,
) -> Result<(), Mismatch> {
    same_damage(&reference.damaged, &output.damaged)?;
    if in_order_of_pages {
        same_digits(&reference.digits, &output.digits)?;
        same_positions(&reference.positions, &output.positions)?;
    } else {
        same_digits(&sorted(&reference.digits), &sorted(&output.digits))?;
        same_positions(&sorted(&reference.positions), &sorted(&output.positions))?;
    }
    let pairs = reference.charges.iter().zip(&output.charges);
    let wrong = pairs
        .enumerate()
        .find(|(_, (expected, found))| expected != found);
    match wrong {
        Some((sector, _)) => Err(Mismatch::Charges { sector }),
        None => same_length(reference.charges.len(), output.charges.len()),
    }
}

fn sorted<T: Copy + Ord>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

fn same_length(expected: usize, found: usize) -> Result<(), Mismatch> {
    if expected == found {
        Ok(())
    } else {
        Err(Mismatch::Count { expected, found })
    }
}

fn same_damage(expected: &[DamagedPage], found: &[DamagedPage]) -> Result<(), Mismatch> {
    let differs = |&number: &usize| expected.get(number) != found.get(number);
    match (0..expected.len().max(found.len())).find(differs) {
        None => Ok(()),
        Some(number) => Err(Mismatch::Damage {
            number,
            expected: expected.get(number).copied().map(Box::new),
            found: found.get(number).copied().map(Box::new),
        }),
    }
}

fn same_digits(expected: &[Digit], found: &[Digit]) -> Result<(), Mismatch> {
    same_length(expected.len(), found.len())?;
    let differs = |&index: &usize| expected[index] != found[index];
    match (0..found.len()).find(differs) {
        None => Ok(()),
        Some(index) => Err(Mismatch::Digit {
            index,
            expected: expected[index],
            found: found[index],
        }),
    }
}

fn same_positions(expected: &[Position], found: &[Position]) -> Result<(), Mismatch> {
    same_length(expected.len(), found.len())?;
    let differs = |&index: &usize| expected[index] != found[index];
    match (0..found.len()).find(differs) {
        None => Ok(()),
        Some(index) => Err(Mismatch::Position {
            index,
            expected: expected[index],
            found: found[index],
        }),
    }
}
