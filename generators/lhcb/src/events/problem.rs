//! Problems of banks that make an event invalid.

use crate::format::{BankFormat, BankKind};
use crate::geometry::{COLUMNS, SENSORS};
use crate::words::{ClusterWord, SUPER_COLUMNS, SuperPixel, sensor_of};

use super::BankWords;

/// Oldest and newest version of banks.
const VERSIONS: std::ops::RangeInclusive<u8> = 2..=4;

/// Event that is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventProblem {
    /// A version that is not known.
    #[error("the banks are of version {0}; versions 2 to 4 are known")]
    Version(u8),
    /// An invalid bank.
    #[error("bank {source_id}: {problem}")]
    Bank {
        /// The sensor, or the pair of sensors.
        source_id: u16,
        /// The problem.
        problem: BankProblem,
    },
    /// More words than indices of 32 bits.
    #[error("there are more than 2^32 words: divide the events over several inputs")]
    TooManyWords,
}

/// Bank that is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BankProblem {
    /// A sensor that does not exist.
    #[error("there is no sensor {0}: they are 0 to 207")]
    Sensor(u16),
    /// Two banks of a source.
    #[error("there are two banks of this source")]
    Duplicate,
    /// More words than a bank can have.
    #[error("{0} words: a bank has at most 16381")]
    TooLong(usize),
    /// More words counted than there are.
    #[error("it counts {count} words, but has {words}")]
    Count {
        /// Words by the count.
        count: u32,
        /// Words in the body after the count.
        words: usize,
    },
    /// A column that does not exist.
    #[error("word {word}: column {column} of {columns}")]
    Column {
        /// Index of the word.
        word: usize,
        /// The column.
        column: u16,
        /// Number of columns.
        columns: usize,
    },
}

/// Words of a body, of which a file has the length in bytes as 16 bits, eight of the header included.
const MAX_WORDS: usize = (u16::MAX as usize - 8) / 4;

/// Checks the banks of an event, in order of their sources.
pub(super) fn check(format: BankFormat, banks: &[BankWords<'_>]) -> Result<(), EventProblem> {
    if !VERSIONS.contains(&format.version) {
        return Err(EventProblem::Version(format.version));
    }
    let mut has_bank = [false; SENSORS];
    for bank in banks {
        let of_bank = |problem| EventProblem::Bank { source_id: bank.source, problem };
        let sensor = sensor_of(format, bank.source, false);
        let Some(has_bank) = has_bank.get_mut(usize::from(sensor)) else {
            return Err(of_bank(BankProblem::Sensor(sensor)));
        };
        if std::mem::replace(has_bank, true) {
            return Err(of_bank(BankProblem::Duplicate));
        }
        if bank.words.len() > MAX_WORDS {
            return Err(of_bank(BankProblem::TooLong(bank.words.len())));
        }
        check_words(format, bank.words).map_err(of_bank)?;
    }
    Ok(())
}

fn check_words(format: BankFormat, body: &[u32]) -> Result<(), BankProblem> {
    let words = match body.split_first() {
        _ if format.has_sensor_pairs() => body,
        None => body,
        Some((&count, words)) => {
            words.get(..count as usize).ok_or(BankProblem::Count { count, words: words.len() })?
        }
    };
    match format.kind {
        BankKind::SuperPixel => {
            check_columns(words, SUPER_COLUMNS as usize, |word| SuperPixel::decode(word).column)
        }
        BankKind::Retina => check_columns(words, COLUMNS, |word| {
            ClusterWord::decode(word, format.version).map_or(0, |cluster| cluster.column)
        }),
    }
}

fn check_columns(
    words: &[u32],
    columns: usize,
    column: impl Fn(u32) -> u16,
) -> Result<(), BankProblem> {
    for (word, &content) in words.iter().enumerate() {
        let column = column(content);
        if usize::from(column) >= columns {
            return Err(BankProblem::Column { word, column, columns });
        }
    }
    Ok(())
}
