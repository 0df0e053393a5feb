//! Cases as text.

use std::io::{self, Write};

use text::Untrusted;

use super::{MAX_LABELS, params};
use crate::DataError;
use crate::tpc::charges::{Charge, ChargeCase, DEFAULT_FRAGMENT, Labels};

/// Maximum number of samples written to a line: far below the longest line that is read.
const LONGEST_RUN: usize = 1 << 14;

/// Refuses what could not be read back.
pub(super) fn check(case: &ChargeCase) -> Result<(), DataError> {
    let name = case.name.quoted();
    if case.name.is_empty() || case.name.contains([' ', '\n']) {
        return Err(DataError::shape(format!("case {name}: a name is one word, without blanks")));
    }
    let Some(labels) = &case.labels else {
        return Ok(());
    };
    let samples = case.charges.len();
    let labelled = labels.first().len();
    if samples != labelled {
        let problem = format!("case {name}: {samples} samples, but labels of {labelled}");
        return Err(DataError::shape(problem));
    }
    if (0..samples).all(|sample| labels.list(sample).len() <= MAX_LABELS) {
        return Ok(());
    }
    Err(DataError::shape(format!("case {name}: a sample has more than {MAX_LABELS} labels")))
}

pub(super) fn write(sink: &mut impl Write, case: &ChargeCase) -> io::Result<()> {
    writeln!(sink, "case {}", case.name)?;
    writeln!(sink, "sector {}", case.sector)?;
    writeln!(sink, "frame {}", case.time_bins)?;
    if case.fragment != DEFAULT_FRAGMENT {
        writeln!(sink, "fragment {}", case.fragment)?;
    }
    for (name, value) in params::changed(case.settings) {
        writeln!(sink, "param {name} {value}")?;
    }
    for pad in &case.noisy {
        writeln!(sink, "noisy {} {}", pad.row(), pad.pad())?;
    }
    match &case.labels {
        None => write_runs(sink, &case.charges)?,
        Some(labels) => write_labelled(sink, &case.charges, labels)?,
    }
    writeln!(sink, "end")
}

fn write_runs(sink: &mut impl Write, charges: &[Charge]) -> io::Result<()> {
    let runs = charges.chunk_by(is_next).flat_map(|run| run.chunks(LONGEST_RUN));
    for run in runs {
        write!(sink, "r {} {} {}", run[0].pad.row(), run[0].pad.pad(), run[0].time)?;
        for sample in run {
            write!(sink, " {}", sample.charge)?;
        }
        writeln!(sink)?;
    }
    Ok(())
}

fn is_next(sample: &Charge, next: &Charge) -> bool {
    sample.pad == next.pad && sample.time.checked_add(1) == Some(next.time)
}

fn write_labelled(sink: &mut impl Write, charges: &[Charge], labels: &Labels) -> io::Result<()> {
    for (index, Charge { time, pad, charge }) in charges.iter().enumerate() {
        write!(sink, "d {} {} {time} {charge}", pad.row(), pad.pad())?;
        for label in labels.list(index) {
            write!(sink, " {label}")?;
        }
        writeln!(sink)?;
    }
    Ok(())
}
