//! A case as far as it has been read.

use text::Untrusted;

use super::position::{self, MAX_SAMPLES, first_duplicate};
use super::record::Record;
use super::words::Words;
use super::{MAX_LABELS, params, results};
use crate::tpc::PadId;
use crate::tpc::charges::{
    Charge, ChargeCase, DEFAULT_FRAGMENT, FRAGMENT_LENGTHS, Labels, MAX_CHARGE, MAX_TIME_BINS,
};
use crate::tpc::geometry::SECTORS;

/// A case without its end.
pub(super) struct OpenCase {
    case: ChargeCase,
    last: Record,
    /// Names of the settings that were set.
    params: Vec<&'static str>,
    /// The first sample of each line with samples, and the line number.
    lines: Vec<(usize, u64)>,
    /// The labels of the current line.
    labels: Vec<u64>,
}

impl OpenCase {
    pub(super) fn new(name: &str) -> Self {
        OpenCase {
            case: ChargeCase {
                name: name.to_owned(),
                fragment: DEFAULT_FRAGMENT,
                ..ChargeCase::default()
            },
            last: Record::Case,
            params: Vec::new(),
            lines: Vec::new(),
            labels: Vec::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.case.name
    }

    /// Parses a line of the case, after its first one.
    pub(super) fn take(
        &mut self,
        line: u64,
        record: Record,
        words: &mut Words,
    ) -> Result<(), String> {
        record.check_after(self.last)?;
        self.last = record;
        let case = &mut self.case;
        match record {
            Record::Sector => case.sector = words.number("sector", 0..=SECTORS as u8 - 1)?,
            Record::Frame => case.time_bins = words.number("frame", 1..=MAX_TIME_BINS)?,
            Record::Fragment => case.fragment = words.number("fragment", FRAGMENT_LENGTHS)?,
            Record::Param => self.param(words)?,
            Record::Noisy => self.noisy(words)?,
            Record::Run | Record::Labelled => self.samples(line, record, words)?,
            Record::Peak | Record::Share | Record::Cluster => {
                results::skip(record, words, case.time_bins)?;
            }
            // `end` has no words, and a case does not start within another one.
            Record::Case | Record::End => {}
        }
        words.end()
    }

    fn param(&mut self, words: &mut Words) -> Result<(), String> {
        let name = params::set(&mut self.case.settings, words)?;
        if self.params.contains(&name) {
            return Err(format!("param {name} has a value already; remove one of the lines"));
        }
        self.params.push(name);
        Ok(())
    }

    fn noisy(&mut self, words: &mut Words) -> Result<(), String> {
        let pad = position::pad(words)?;
        match self.case.noisy.binary_search(&pad) {
            Err(at) => self.case.noisy.insert(at, pad),
            Ok(_) => {
                let row = pad.row();
                let pad = pad.pad();
                let problem = format!("row {row} pad {pad} is noisy already; remove the line");
                return Err(problem);
            }
        }
        Ok(())
    }

    fn samples(&mut self, line: u64, record: Record, words: &mut Words) -> Result<(), String> {
        self.lines.push((self.case.charges.len(), line));
        let pad = position::pad(words)?;
        let time = position::time(words, self.case.time_bins)?;
        match record {
            Record::Labelled => self.labelled(pad, time, words)?,
            _ => self.run(pad, time, words)?,
        }
        if self.case.charges.len() <= MAX_SAMPLES {
            return Ok(());
        }
        Err(format!("the case has more than {MAX_SAMPLES} samples; split it by rows"))
    }

    /// Charges of a pad in consecutive time bins from one on: at least one.
    fn run(&mut self, pad: PadId, first: u32, words: &mut Words) -> Result<(), String> {
        let charge = words.number("charge", 0..=MAX_CHARGE)?;
        self.case.charges.push(Charge { time: first, pad, charge });
        for time in first + 1.. {
            let Some(charge) = words.next_number("charge", 0..=MAX_CHARGE)? else {
                break;
            };
            let time = position::within(time, self.case.time_bins)?;
            self.case.charges.push(Charge { time, pad, charge });
        }
        Ok(())
    }

    /// A charge and its labels, maybe none.
    fn labelled(&mut self, pad: PadId, time: u32, words: &mut Words) -> Result<(), String> {
        let charge = words.number("charge", 0..=MAX_CHARGE)?;
        self.case.charges.push(Charge { time, pad, charge });
        self.labels.clear();
        while let Some(label) = words.next_number("label", 0..=u64::MAX)? {
            self.labels.push(label);
        }
        if self.labels.len() > MAX_LABELS {
            let count = self.labels.len();
            return Err(format!("{count} labels are more than the {MAX_LABELS} of a sample"));
        }
        let labels = self.case.labels.get_or_insert_default();
        check_room(labels, self.labels.len())?;
        labels.push(&self.labels);
        Ok(())
    }

    /// Returns the case if it is complete and no position has two samples. The error names a line.
    pub(super) fn close(self) -> Result<ChargeCase, (u64, String)> {
        let Some(samples) = first_duplicate(&self.case.charges) else {
            return Ok(self.case);
        };
        let [first, second] = samples.map(|sample| self.line_of(sample));
        let Charge { time, pad, .. } = self.case.charges[samples[1]];
        let row = pad.row();
        let pad = pad.pad();
        let problem = format!(
            "row {row} pad {pad} time bin {time} has a charge already, in line {first}; remove one"
        );
        Err((second, problem))
    }

    fn line_of(&self, sample: usize) -> u64 {
        let end = self.lines.partition_point(|(first, _)| *first <= sample);
        self.lines[end - 1].1
    }

    pub(super) fn unfinished(&self) -> String {
        let name = self.name().quoted();
        format!("the `end` of case {name} is missing; is the file cut off?")
    }
}

/// Labels are numbered in 32 bits.
fn check_room(labels: &Labels, more: usize) -> Result<(), String> {
    let max = u32::MAX as usize;
    if labels.all().len() <= max - more {
        return Ok(());
    }
    Err(format!("the case has more than {max} labels; split it by rows"))
}
