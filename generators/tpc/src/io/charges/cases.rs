//! Reader of cases.

use text::Untrusted;

use super::MAX_LABELS;
use super::words::{Record, Words};
use crate::PadId;
use crate::charges::{
    Charge, ChargeCase, DEFAULT_FRAGMENT, FRAGMENT_LENGTHS, Labels, MAX_CHARGE, MAX_TIME_BINS,
};
use crate::geometry::{MAX_PADS_IN_ROW, ROWS, SECTORS, pads_in_row};

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
                skip(record, words, case.time_bins)?;
            }
            // `end` has no words, and a case does not start within another one.
            Record::Case | Record::End => {}
        }
        words.end()
    }

    fn param(&mut self, words: &mut Words) -> Result<(), String> {
        let name = super::set_param(&mut self.case.settings, words)?;
        if self.params.contains(&name) {
            return Err(format!("param {name} has a value already; remove one of the lines"));
        }
        self.params.push(name);
        Ok(())
    }

    fn noisy(&mut self, words: &mut Words) -> Result<(), String> {
        let pad = pad(words)?;
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
        let pad = pad(words)?;
        let time = time(words, self.case.time_bins)?;
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
            let time = within(time, self.case.time_bins)?;
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
    pad(words)?;
    time(words, frame)?;
    words.number("mark of kept peaks", 0..=1_u8)?;
    Ok(())
}

/// `ROW PAD TIME CHARGE FLAGS`
fn share(words: &mut Words, frame: u32) -> Result<(), String> {
    pad(words)?;
    time(words, frame)?;
    words.number("charge", 0..=MAX_CHARGE)?;
    words.number("flags", 0..=3_u8)?;
    Ok(())
}

/// `ROW PAD TIME SIGMAPAD SIGMATIME QMAX QTOT FLAGS LABEL…`
fn cluster(words: &mut Words) -> Result<(), String> {
    row(words)?;
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
