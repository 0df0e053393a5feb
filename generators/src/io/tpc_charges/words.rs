//! The words of a line, with one blank between any two.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::Split;

use text::Untrusted;

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
}
