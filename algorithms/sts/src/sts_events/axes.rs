//! Parameters of event building.

use std::path::Path;

use generators_common::DataError;
use generators_sts::io::{DigiOptions, ReadDigis, is_raw_file, read_digis_with};
use generators_sts::physics::Simulation;
use text::Untrusted;

use super::event::{Event, MAX_COPIES, max_copies};
use super::input::{self, DigiStream, too_many};
use super::rules::{RULES, rules};
use crate::file_selection::refuse_for_digis;
use crate::sts_sort::axes::{TIME_ORIGIN, refuse_for_raw_data};
use crate::{sts_scenario, sts_sort};
use tasks::algorithm::{InputFiles, Plan};
use tasks::axis::{Params, axes};

axes! {
    pub(super) AXES {
        sts_scenario::PRESET;
        /// A tenth is enough to compare by, and small enough to wait for.
        SCALE: f64 = sts_scenario::SCALE.or("0.1") =>
            "Part of the first timeslice of the preset, up to 1: a shorter one";
        ..sts_scenario::SIGNALS;
        ..RULES;
    }
}
axes! {
    /// Options of inputs from files.
    pub(super) READING {
        ..input::READING;
        TIME_ORIGIN;
        ..RULES;
    }
}

/// Bytes per digi: the digis during generation and by time, a copy for a GPU and the flags for each
/// there, and its collision.
const BYTES_FOR_DIGI: u64 = 2 * 16 + 2 * 8 + 3 * 4 + 4;
/// Bytes for each digi of an event: the reference, a variant's, and a copy of that to compare.
const BYTES_FOR_COPY: u64 = 3 * 8;

/// Bytes for each byte of a file, if each digi is in one event: a digi has 7 bytes there, and a
/// message of raw data 4, of which not all are digis.
pub(super) const MEMORY_FOR_BYTE: u64 = (BYTES_FOR_DIGI + BYTES_FOR_COPY) / 6;

/// Completes the parameters with defaults, and estimates the memory.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    let rules = rules(&params)?;
    let scenario = sts_scenario::one_timeslice(&params)?;
    let estimate = Simulation::new(&scenario, 1)?.estimate();
    let digis = estimate.digis;
    let copies = max_copies(estimate.digis, &rules);
    if copies > MAX_COPIES {
        return Err(too_many(digis, &rules));
    }
    let events = digis / u64::from(rules.min_digis.max(1)) * 3 * size_of::<Event>() as u64;
    let memory_bytes = digis * BYTES_FOR_DIGI + copies * BYTES_FOR_COPY + events;
    Ok(Plan { params, memory_bytes: memory_bytes.saturating_add(estimate.memory_bytes) })
}

/// Simulates a timeslice.
pub(super) fn generate(params: &Params, seed: u64) -> Result<DigiStream, DataError> {
    let simulation = Simulation::new(&sts_scenario::one_timeslice(params)?, seed)?;
    DigiStream::of_simulation(&simulation.timeslice(0), rules(params)?)
}

/// Reads the digis of a timeslice, of any order, or its raw data.
pub(super) fn read(
    files: &InputFiles,
    options: &Params,
) -> Result<(DigiStream, Params), DataError> {
    let mut rules_given = options.clone();
    rules_given.complete(RULES);
    if is_raw_file(files.first())? {
        refuse_for_raw_data(files.first(), options)?;
        let (input, mut params) = input::read(files, options, rules(&rules_given)?)?;
        params.extend(rules_given.only(RULES).iter());
        return Ok((input, params));
    }
    let path = files.only()?;
    refuse_for_digis(path, options, input::READING)?;
    let options = DigiOptions { setup: None, time_origin: TIME_ORIGIN.given(options)? };
    let ReadDigis { digis, notes } = read_digis_with(path, options)?;
    let mut params = sts_sort::axes::of_file(path, &digis);
    params.remove(&[sts_sort::SEGMENTS.axis()]);
    params.extend(rules_given.only(RULES).iter());
    let stream = DigiStream::of_sides(&digis, rules(&params)?)?.with_source_notes(notes);
    Ok((stream, params))
}

/// Digis by time are no longer by side, as files have them.
pub(super) fn write(_: &DigiStream, path: &Path) -> Result<(), DataError> {
    Err(DataError::Shape(format!(
        "{}: digis in order of time can't be written; use bench generate sts-physics for digis by \
         module side, which bench events reads",
        path.escaped()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(given: &[(&'static str, &str)]) -> Result<Plan, String> {
        plan(given.iter().copied().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_valid_and_invalid_values_are_refused() {
        assert!(planned(&[]).expect("sensible").memory_bytes > 10 << 20);
        let refused = |name, value| planned(&[(name, value)]).expect_err("senseless");
        assert!(refused("window", "2147483648").contains("--window 2147483648ns"));
        assert!(refused("min-digis", "4294967296").contains("--min-digis 4294967296"));
        assert!(refused("scale", "2").contains("more than a timeslice"));
        let everywhere = [("dead-time", "0"), ("before", "1000000000")];
        assert!(planned(&everywhere).expect_err("too many").contains("longer --dead-time"));
    }
}
