//! Digis of a timeslice in order of time, generated or unpacked from raw data, and the rules for
//! its events.

use std::sync::OnceLock;

use generators_common::DataError;
use generators_sts::physics::Simulated;
use generators_sts::{Digi, SegmentedDigis};
use rayon::slice::ParallelSliceMut;
use text::Untrusted;

use super::collisions::Collisions;
use super::event::{Events, MAX_COPIES, max_copies};
use super::reference;
use super::rules::EventRules;
use crate::file_selection::{SKIP, TAKE, TIMESLICES};
use crate::sts::data::{read_out, read_out_with};
use crate::sts_unpack::{SETUP, StsUnpack};
use tasks::algorithm::shrink::without_parts;
use tasks::algorithm::{Algorithm, InputFiles};
use tasks::axis::{Params, axes};

/// The digis of a timeslice in order of time, and by which rules events are built of them.
#[derive(Debug)]
pub struct DigiStream {
    digis: Vec<Digi>,
    rules: EventRules,
    right: OnceLock<Events>,
    source_notes: Vec<String>,
    /// The collision of each digi, if that is known.
    collisions: Option<Collisions>,
}

impl DigiStream {
    /// Digis sorted stably by time, as `bench unpack --order time` writes them.
    ///
    /// # Errors
    /// If events may have more digis than 32 bits can count.
    pub fn new(mut digis: Vec<Digi>, rules: EventRules) -> Result<Self, DataError> {
        if max_copies(digis.len() as u64, &rules) > MAX_COPIES {
            return Err(too_many(digis.len() as u64, &rules));
        }
        digis.par_sort_by_key(|digi| digi.time_ns());
        let right = OnceLock::new();
        Ok(DigiStream { digis, rules, right, source_notes: Vec::new(), collisions: None })
    }

    /// The digis of all module sides.
    ///
    /// # Errors
    /// As [`DigiStream::new`].
    pub fn of_sides(digis: &SegmentedDigis, rules: EventRules) -> Result<Self, DataError> {
        DigiStream::new(read_out(digis), rules)
    }

    /// The digis of a simulated timeslice, with the collisions that they come from.
    ///
    /// # Errors
    /// As [`DigiStream::new`].
    pub(super) fn of_simulation(
        simulated: &Simulated,
        rules: EventRules,
    ) -> Result<Self, DataError> {
        let with_collision = |digi, index| (digi, Collisions::of_digi(&simulated.truth, index));
        let mut digis = read_out_with(&simulated.digis, with_collision);
        digis.par_sort_by_key(|(digi, _)| digi.time_ns());
        let (digis, collisions) = digis.into_iter().unzip();
        Ok(DigiStream::new(digis, rules)?.with_collisions(Collisions::new(collisions)))
    }

    /// The input with the origin of its digis, in their order.
    pub(super) fn with_collisions(self, collisions: Collisions) -> Self {
        DigiStream { collisions: Some(collisions), ..self }
    }

    /// The collisions of all digis, if they are known.
    pub(super) fn collisions(&self) -> Option<&Collisions> {
        self.collisions.as_ref()
    }

    /// The input with notes on how its digis were read.
    pub(super) fn with_source_notes(self, source_notes: Vec<String>) -> Self {
        DigiStream { source_notes, ..self }
    }

    /// Notes on how the digis were read.
    pub(super) fn source_notes(&self) -> &[String] {
        &self.source_notes
    }

    /// All digis in order of time.
    pub fn digis(&self) -> &[Digi] {
        &self.digis
    }

    /// The rules for events.
    pub fn rules(&self) -> &EventRules {
        &self.rules
    }

    /// The right events. Their number determines the capacities of variants.
    pub(super) fn expected(&self) -> &Events {
        self.right.get_or_init(|| reference::build(&self.digis, &self.rules))
    }

    /// The right events, if nothing else is needed.
    pub(super) fn into_expected(self) -> Events {
        self.expected();
        self.right.into_inner().unwrap_or_default()
    }

    /// Inputs without some of the digis, with the same rules.
    pub(super) fn shrink(&self) -> impl Iterator<Item = DigiStream> + '_ {
        without_parts(self.digis.len(), |gone| {
            let digis = [&self.digis[..gone.start], &self.digis[gone.end..]].concat();
            let right = OnceLock::new();
            let rules = self.rules;
            Some(DigiStream { digis, rules, right, source_notes: Vec::new(), collisions: None })
        })
    }
}

/// Error for more copies than can be counted, with the remedies.
pub(super) fn too_many(digis: u64, rules: &EventRules) -> DataError {
    let each = rules.max_events_of_digi();
    DataError::Shape(format!(
        "each of {digis} digis may be in {each} events, and more than {MAX_COPIES} digis in events \
         can't be counted; use a longer --dead-time, or shorter --before and --after"
    ))
}

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
