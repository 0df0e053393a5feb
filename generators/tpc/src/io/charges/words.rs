//! The words of a line, with one blank between any two; the kinds of lines, and their order.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::Split;

use Record::*;
use text::Untrusted;

use generators_common::DataError;

/// The unread words of a line.
pub(super) struct Words<'a>(Split<'a, char>);

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Words(line.split(' '))
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<&'a str>, String> {
        match self.0.next() {
            Some("") => {
                Err("an empty line, or a blank too many; separate words by a single one".to_owned())
            }
            word => Ok(word),
        }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.next()?.ok_or_else(|| format!("the line ends before its {what}"))
    }

    /// Parses an integer of this range.
    pub(super) fn number<T: Integer>(
        &mut self,
        what: &str,
        range: RangeInclusive<T>,
    ) -> Result<T, String> {
        let word = self.word(what)?;
        number(what, word, &range)
    }

    /// Parses an integer of this range, or returns none at the end of the line.
    pub(super) fn next_number<T: Integer>(
        &mut self,
        what: &str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, String> {
        let word = self.next()?;
        word.map(|word| number(what, word, &range)).transpose()
    }

    /// Refuses further words.
    pub(super) fn end(&mut self) -> Result<(), String> {
        match self.next()? {
            None => Ok(()),
            Some(word) => Err(format!("{} is more than belongs into this line", word.quoted())),
        }
    }
}

/// Numbers of any width.
pub(super) trait Integer: Copy + Display + PartialOrd + TryFrom<u64> {}

impl<T: Copy + Display + PartialOrd + TryFrom<u64>> Integer for T {}

fn number<T: Integer>(what: &str, word: &str, range: &RangeInclusive<T>) -> Result<T, String> {
    let value = decimal(word).and_then(|value| T::try_from(value).ok());
    value.filter(|value| range.contains(value)).ok_or_else(|| {
        let first = range.start();
        let last = range.end();
        format!("{what} {} is not a whole number from {first} to {last}", word.quoted())
    })
}

/// Digits and nothing else: `parse` would accept a sign.
fn decimal(word: &str) -> Option<u64> {
    word.bytes().try_fold(0_u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Kinds of lines, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Record {
    Case,
    Sector,
    Frame,
    Fragment,
    Param,
    Noisy,
    /// Samples in consecutive time bins.
    Run,
    /// A sample with its labels.
    Labelled,
    Peak,
    Share,
    Cluster,
    End,
}

/// All records in order.
const ALL: [(Record, &str); 12] = [
    (Case, "case"),
    (Sector, "sector"),
    (Frame, "frame"),
    (Fragment, "fragment"),
    (Param, "param"),
    (Noisy, "noisy"),
    (Run, "r"),
    (Labelled, "d"),
    (Peak, "p"),
    (Share, "s"),
    (Cluster, "c"),
    (End, "end"),
];

impl Record {
    /// Parses the first word of a record.
    pub(super) fn from_word(word: &str) -> Result<Self, String> {
        let known = ALL.iter().find(|(_, name)| *name == word);
        known.map(|(record, _)| *record).ok_or_else(|| {
            DataError::unknown("record", word, &ALL.map(|(_, name)| name)).to_string()
        })
    }

    pub(super) fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    fn repeats(self) -> bool {
        matches!(self, Param | Noisy | Run | Labelled | Peak | Share | Cluster)
    }

    /// Checks that this record may follow `last`.
    pub(super) fn check_after(self, last: Record) -> Result<(), String> {
        match (last, self) {
            (Case, Sector) | (Sector, Frame) => Ok(()),
            (Case, _) => Err(must_follow(Case, Sector, self)),
            (Sector, _) => Err(must_follow(Sector, Frame, self)),
            (_, Case) => Err("a case starts, but the previous one has no `end`".to_owned()),
            (Run, Labelled) | (Labelled, Run) => {
                Err("`r` and `d` lines are in one case; either all samples have `d` lines, with \
                     their labels, or none"
                    .to_owned())
            }
            (last, next) if next > last || next == last && next.repeats() => Ok(()),
            (last, next) if next == last => Err(format!("a second `{}`", next.name())),
            (last, next) => Err(out_of_order(last, next)),
        }
    }
}

fn must_follow(last: Record, wanted: Record, found: Record) -> String {
    let [last, wanted, found] = [last, wanted, found].map(Record::name);
    format!("`{wanted}` must follow `{last}`, not `{found}`")
}

fn out_of_order(last: Record, next: Record) -> String {
    let order = ALL.map(|(_, name)| name).join(", ");
    format!("`{}` must stand before `{}`; the order is {order}", next.name(), last.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits() {
        assert_eq!(decimal("18446744073709551615"), Some(u64::MAX));
        for word in ["18446744073709551616", "+1", "-1", "1.0", "1e3", "١", "0x1", "1\r"] {
            assert_eq!(decimal(word), None, "{word}");
        }
    }

    #[test]
    fn words_have_single_blanks_between() {
        let mut words = Words::new("c 12 3");
        assert_eq!(words.word("letter"), Ok("c"));
        assert_eq!(words.number("number", 0..=12_u8), Ok(12));
        assert!(words.end().is_err_and(|problem| problem.starts_with("\"3\" is more than")));
        assert_eq!(words.next(), Ok(None));
        assert_eq!(
            words.number("number", 0..=9_u8),
            Err("the line ends before its number".to_owned())
        );
        for line in ["", " c", "c  12", "c "] {
            let mut words = Words::new(line);
            let word = words.next().and_then(|_| words.next());
            assert!(word.is_err_and(|problem| problem.contains("a blank too many")), "{line:?}");
        }
    }

    #[test]
    fn the_table_is_in_order() {
        for (index, (record, name)) in ALL.iter().enumerate() {
            assert_eq!(*record as usize, index);
            assert_eq!(Record::from_word(name), Ok(*record));
        }
    }
}
