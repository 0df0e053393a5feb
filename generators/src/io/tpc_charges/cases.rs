//! Reader of cases.

use super::open_case::OpenCase;
use super::record::Record;
use super::words::Words;
use crate::tpc::charges::ChargeCase;

/// The cases of a file as far as it has been read.
#[derive(Default)]
pub(super) struct Cases {
    closed: Vec<ChargeCase>,
    open: Option<OpenCase>,
}

impl Cases {
    /// Parses a line; an error comes with the number of the invalid line.
    pub(super) fn take(&mut self, number: u64, line: &str) -> Result<(), (u64, String)> {
        let mut words = Words::new(line);
        let is_end = self.record(number, &mut words).map_err(|problem| (number, problem))?;
        if let Some(case) = self.open.take_if(|_| is_end) {
            self.closed.push(case.close()?);
        }
        Ok(())
    }

    /// Parses a record; returns true if it is the last of its case.
    fn record(&mut self, line: u64, words: &mut Words) -> Result<bool, String> {
        let record = Record::from_word(words.word("record")?)?;
        match &mut self.open {
            Some(case) => case.take(line, record, words)?,
            None => self.open = Some(self.begin(record, words)?),
        }
        Ok(record == Record::End)
    }

    fn begin(&self, record: Record, words: &mut Words) -> Result<OpenCase, String> {
        if record != Record::Case {
            let location =
                if self.closed.is_empty() { "before any case" } else { "after an `end`" };
            let name = record.name();
            return Err(format!("`{name}` is {location}; start a case with `case NAME`"));
        }
        let name = words.word("name")?;
        words.end()?;
        Ok(OpenCase::new(name))
    }

    /// Returns all cases, if the last one is complete.
    pub(super) fn finish(self) -> Result<Vec<ChargeCase>, String> {
        match self.open {
            Some(case) => Err(case.unfinished()),
            None if self.closed.is_empty() => Err("it holds no case".to_owned()),
            None => Ok(self.closed),
        }
    }
}
