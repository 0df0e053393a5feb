//! Digis of raw data, which are unpacked before anything is measured.

use generators::DataError;
use text::Untrusted;

use super::input::DigiStream;
use super::rules::EventRules;
use crate::algorithm::{Algorithm, InputFiles};
use crate::axis::{Params, axes};
use crate::file_selection::{SKIP, TAKE, TIMESLICES};
use crate::sts_unpack::{SETUP, StsUnpack};

axes! {
    /// Options of raw data.
    pub(super) READING {
        SETUP;
        TIMESLICES;
        SKIP;
        TAKE => "Read at most N timeslices of raw data; events are built of one";
    }
}

/// Reads the raw data of a timeslice, and unpacks them by the reference of `bench unpack`.
pub(super) fn read(
    files: &InputFiles,
    options: &Params,
    rules: EventRules,
) -> Result<(DigiStream, Params), DataError> {
    let (raw, params) = StsUnpack.read(files, &options.only(READING))?;
    let timeslices = raw.data().len();
    if timeslices > 1 {
        return Err(DataError::Shape(format!(
            "{}: {timeslices} timeslices; events are built of one: select it with --take 1, and \
             --skip or --timeslices",
            files.first().escaped()
        )));
    }
    let notes = StsUnpack.notes(&raw);
    let digis = raw.into_expected().digis;
    if digis.is_empty() {
        let problem = format!("its raw data have no digis: {}", notes.join("; "));
        return Err(DataError::incomplete(files.first(), problem));
    }
    let stream = DigiStream::new(digis, rules)?.with_source_notes(notes);
    Ok((stream, params))
}
