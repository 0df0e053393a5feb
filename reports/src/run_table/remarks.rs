//! Notes on variants, without repeats.
//!
//! On a noisy machine all points have similar notes with different numbers. Notes of many points
//! are printed once under all tables, with their count and the ranges of the numbers.

use std::collections::HashSet;
use std::fmt;

use text::{SENTENCE, Untrusted};

use crate::grouped::grouped;
use crate::record::{SummaryRow, YesNo};
use crate::units;

/// Number of points from which on similar notes are merged.
const MANY: usize = 3;

/// Prefix of the note of a variant that refused its input.
const REFUSED: &str = "not run: ";

/// True if a variant refused the input of a row.
pub fn is_refusal(row: &SummaryRow) -> bool {
    row.valid == YesNo::No && row.note.starts_with(REFUSED)
}

/// Note of a variant at a point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The variant, with stage and device if these are needed.
    label: String,
    kind: Kind,
    /// The remarks, one by one.
    remarks: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// It was measured.
    Measured,
    /// It refused the input, which is not an error.
    DoesNotApply,
    /// It was wrong, or failed.
    NotValid,
}

impl Note {
    /// Note of a labelled row, if it has one.
    pub fn from_row(row: &SummaryRow, label: String) -> Option<Note> {
        let is_said = |text: &&str| !text.is_empty();
        let split = |text: &str| -> Vec<String> {
            text.split("; ").filter(is_said).map(str::to_owned).collect()
        };
        let (kind, remarks) = match (row.valid, row.note.strip_prefix(REFUSED)) {
            (YesNo::Yes, _) if row.note.is_empty() => return None,
            (YesNo::Yes, _) => (Kind::Measured, split(&row.note)),
            // The first reason is the violated rule, the rest is where it was violated.
            (YesNo::No, Some(reason)) => {
                (Kind::DoesNotApply, split(reason).into_iter().take(1).collect())
            }
            (YesNo::No, None) => {
                let whole = Some(row.note.as_str()).filter(is_said);
                (Kind::NotValid, whole.map(str::to_owned).into_iter().collect())
            }
        };
        Some(Note { label, kind, remarks })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remarks = self.remarks.join("; ");
        let label = self.label.escaped();
        let remarks = remarks.escaped().at_most(SENTENCE);
        match self.kind {
            Kind::Measured => write!(f, "{label}: {remarks}"),
            Kind::DoesNotApply => write!(f, "{label}: does not apply here: {remarks}"),
            Kind::NotValid if self.remarks.is_empty() => write!(f, "{label}: not valid"),
            Kind::NotValid => write!(f, "{label}: not valid: {remarks}"),
        }
    }
}

/// Removes notes of many points from the lists of their blocks; returns them, each with its count.
pub fn gather(lists: &mut [&mut Vec<Note>]) -> Vec<String> {
    let notes = lists.iter().flat_map(|notes| notes.iter());
    let remarks = notes.flat_map(|note| {
        note.remarks.iter().filter_map(|text| Some((About::from_remark(note, text)?, text.clone())))
    });
    let mut merged = HashSet::new();
    let mut lines = Vec::new();
    for (about, remarks) in grouped(remarks, |(about, _)| about.clone()) {
        let texts: Vec<String> = remarks.into_iter().map(|(_, text)| text).collect();
        if let Some(line) = about.line(&texts) {
            lines.push(line);
            merged.insert(about);
        }
    }
    for notes in lists {
        for note in notes.iter_mut() {
            let remarks = std::mem::take(&mut note.remarks);
            let is_merged =
                |text: &str| About::from_remark(note, text).is_some_and(|it| merged.contains(&it));
            note.remarks = remarks.into_iter().filter(|text| !is_merged(text)).collect();
        }
        notes.retain(|note| note.kind == Kind::NotValid || !note.remarks.is_empty());
    }
    lines
}

/// Key by which remarks are merged.
#[derive(Clone, PartialEq, Eq, Hash)]
struct About {
    /// The variant that refused; remarks of measured variants are merged over variants.
    label: Option<String>,
    /// The remark without its numbers.
    words: Vec<String>,
}

impl About {
    /// Key for merging a remark; `None` for wrong outputs, which are reported with the variant.
    fn from_remark(note: &Note, text: &str) -> Option<Self> {
        let label = match note.kind {
            Kind::Measured => None,
            Kind::DoesNotApply => Some(note.label.clone()),
            Kind::NotValid => return None,
        };
        Some(About { label, words: parted(text).0 })
    }

    /// The line that replaces all of them, if they are many.
    fn line(&self, texts: &[String]) -> Option<String> {
        let count = texts.len();
        match &self.label {
            Some(label) if count > 1 => {
                let settings = units::counted(count, "setting");
                Some(format!("{label}: does not apply at {settings}: {}", texts[0]))
            }
            None if count >= MANY => {
                let points = units::counted(count, "point");
                Some(format!("{points}: {}", self.with_ranges(texts)))
            }
            _ => None,
        }
    }

    /// The remark with the ranges of its numbers: `2 to 23 of 23 samples at a low clock`.
    fn with_ranges(&self, texts: &[String]) -> String {
        let numbers: Vec<Vec<&str>> = texts.iter().map(|text| parted(text).1).collect();
        let mut text = self.words[0].clone();
        for (i, word) in self.words[1..].iter().enumerate() {
            let mut column: Vec<&str> = numbers.iter().map(|numbers| numbers[i]).collect();
            let value = |text: &str| text.parse::<f64>().unwrap_or_default();
            column.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let low = column[0];
            let high = column[column.len() - 1];
            text += &if low == high || text.ends_with("up to ") {
                high.to_owned()
            } else {
                format!("{low} to {high}")
            };
            text += word;
        }
        text
    }
}

/// The words between the numbers of a text, and the numbers, one less than words.
fn parted(text: &str) -> (Vec<String>, Vec<&str>) {
    let mut words = Vec::new();
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
        let number = &rest[start..];
        let end = number.find(|c| !is_of_number(c)).unwrap_or(number.len());
        words.push(rest[..start].to_owned());
        numbers.push(number[..end].trim_end_matches('.'));
        rest = &number[number[..end].trim_end_matches('.').len()..];
    }
    words.push(rest.to_owned());
    (words, numbers)
}

#[cfg(test)]
mod tests {
    use super::super::block::Block;
    use super::super::block::tests::{blocks, row, wrong};
    use super::*;

    fn noisy(variant: &str, threads: usize, note: &str) -> SummaryRow {
        SummaryRow { threads, note: note.into(), ..row(variant, 1.0) }
    }

    fn gathered(blocks: &mut [Block]) -> Vec<String> {
        gather(&mut blocks.iter_mut().map(|block| &mut block.notes).collect::<Vec<_>>())
    }

    fn left(blocks: &[Block]) -> Vec<String> {
        let notes = blocks.iter().flat_map(|block| &block.notes);
        notes.map(Note::to_string).collect()
    }

    #[test]
    fn remarks_of_many_points_are_merged_with_ranges() {
        let rows = [
            noisy("a", 1, "3 of 23 samples at a low clock: heat?; drift"),
            noisy("b", 1, "23 of 23 samples at a low clock: heat?"),
            noisy("a", 2, "4 of 4 samples at a low clock: heat?"),
        ];
        let mut blocks = blocks(&rows);
        let expected = "3 points: 3 to 23 of 4 to 23 samples at a low clock: heat?";
        assert_eq!(gathered(&mut blocks), [expected]);
        assert_eq!(left(&blocks), ["a: drift"]);
        let outliers = [2, 3, 4].map(|n| noisy("a", n, &format!("{n} outliers (up to 1.{n} ×)")));
        let mut blocks = super::super::block::tests::blocks(&outliers);
        let expected = "3 points: 2 to 4 outliers (up to 1.4 ×)";
        assert_eq!(gathered(&mut blocks), [expected]);
    }

    #[test]
    fn remarks_of_few_points_stay_in_their_table() {
        let rows = [noisy("a", 1, "drift"), noisy("b", 1, "drift")];
        let mut blocks = blocks(&rows);
        assert!(gathered(&mut blocks).is_empty());
        assert_eq!(left(&blocks), ["a: drift", "b: drift"]);
    }

    #[test]
    fn a_variant_that_refuses_its_input_is_one_quiet_line() {
        let refused = |threads, channel: &str| SummaryRow {
            threads,
            ..wrong("concat", &format!("not run: digis must be in order; {channel}"))
        };
        let mut blocks = blocks(&[refused(1, "channel 7"), refused(2, "channel 9")]);
        let expected = "concat: does not apply at 2 settings: digis must be in order";
        assert_eq!(gathered(&mut blocks), [expected]);
        assert!(left(&blocks).is_empty());
        let mut one = super::super::block::tests::blocks(&[refused(1, "channel 7")]);
        assert!(gathered(&mut one).is_empty());
        let expected = "concat: does not apply here: digis must be in order";
        assert_eq!(left(&one), [expected]);
    }

    #[test]
    fn wrong_outputs_are_reported_at_each_point() {
        let mut blocks =
            blocks(&[wrong("a", "x"), wrong("b", "x"), wrong("c", "x"), wrong("d", "")]);
        assert!(gathered(&mut blocks).is_empty());
        assert_eq!(left(&blocks).len(), 4);
        assert_eq!(left(&blocks)[3], "d: not valid");
    }
}
