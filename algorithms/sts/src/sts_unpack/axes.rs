//! Parameters of raw data.

use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::{next_to, stem};
use generators_sts::io::{
    check_raw_file, is_raw_file, read_raw_data, read_readout, write_raw_timeslices, write_readout,
};
use generators_sts::physics::Simulation;
use generators_sts::raw::{Rules, generate};
use text::Untrusted;

use super::input::{DigiOrder, RawTimeslices};
use crate::file_selection::{self, TIMESLICE_AXES};
use crate::{sts_raw_shape, sts_scenario};
use tasks::algorithm::{InputFiles, Plan};
use tasks::axis::{Flag, Params, axes};

axes! {
    /// Parameters of simulated inputs.
    pub(super) AXES {
        sts_scenario::PRESET;
        /// A tenth is enough to compare by, and small enough to wait for.
        SCALE: f64 = sts_scenario::SCALE.or("0.1");
        ..sts_scenario::SIGNALS;
        ..sts_raw_shape::AXES;
        SEMANTICS: Rules = Flag::choice("semantics", Rules::NAMES).or("current") =>
            "Whose digis are right: those of the current code or of that of 2023";
        ORDER: DigiOrder = Flag::choice("order", DigiOrder::NAMES) =>
            "The order of digis: arrival (components, microslices, messages), or time within a \
             timeslice, as the experiment's unpacker leaves them [default: arrival]";
    }
}
axes! {
    /// Options of inputs from files.
    pub(super) READING {
        /// The tables of boards.
        pub(crate) SETUP: PathBuf = Flag::path("setup") =>
            "The tables of boards (.json) [default: NAME.setup.json next to NAME.tsa, NAME.ts.bin \
             or NAME.bin]";
        ..TIMESLICE_AXES;
        SEMANTICS;
        ORDER;
    }
}

/// Bytes for each digi: its message, twice while it is made, and a hit before; digis of the
/// reference, of a variant in its lists and in order, and a copy of them for the check.
const BYTES_FOR_DIGI: u64 = 2 * 5 + 32 + 4 * 8;

/// Bytes more for each digi if it is sorted: a scratch.
const BYTES_TO_SORT: u64 = 8;

/// Bytes for each microslice: its descriptor and its first and last messages, twice; its job, and
/// counts of the reference, of a variant and of the check.
const BYTES_FOR_MICROSLICE: u64 = 2 * (32 + 12) + 32 + 3 * 28;

/// Completes the parameters with defaults, and estimates the memory.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    SEMANTICS.value(&params)?;
    let order = order(&params)?;
    if order == DigiOrder::Arrival {
        // An explicit default gives the same data, and the same parameters, as none.
        params.remove(&[ORDER.axis()]);
    }
    let shape = sts_raw_shape::shape(&params)?;
    let estimate = Simulation::new(&shape.scenario, 1)?.estimate();
    let timeslices = u64::from(shape.scenario.timeslices);
    let overlap = f64::from(shape.overlap) / f64::from(shape.microslices());
    let digis = estimate.digis as f64 * (1.0 + overlap);
    let digis = (digis as u64).saturating_mul(timeslices);
    let sorting = if order == DigiOrder::Time { BYTES_TO_SORT } else { 0 };
    let microslices = u64::from(shape.microslices() + shape.overlap) * shape.boards() as u64;
    let memory_bytes = digis
        .saturating_mul(BYTES_FOR_DIGI + sorting)
        .saturating_add(microslices.saturating_mul(timeslices * BYTES_FOR_MICROSLICE))
        .saturating_add(estimate.memory_bytes);
    Ok(Plan { params, memory_bytes })
}

/// Raw data of simulated digis from complete parameters.
pub(super) fn generated(params: &Params, seed: u64) -> Result<RawTimeslices, DataError> {
    let (data, readout) = generate(&sts_raw_shape::shape(params)?, seed)?;
    let rules = SEMANTICS.value(params)?;
    Ok(RawTimeslices::new(data, readout, rules).in_order(order(params)?))
}

fn order(params: &Params) -> Result<DigiOrder, DataError> {
    Ok(ORDER.given(params)?.unwrap_or_default())
}

/// Reads raw data and the tables of their boards.
pub(super) fn read(
    files: &InputFiles,
    options: &Params,
) -> Result<(RawTimeslices, Params), DataError> {
    let mut options = options.clone();
    options.complete(READING);
    let rules = SEMANTICS.value(&options)?;
    let path = files.first();
    if !is_raw_file(path)? {
        check_raw_file(path)?;
    }
    let setup = SETUP.given(&options)?.map_or_else(|| setup_to_read(path), Ok)?;
    let readout = read_readout(&setup)?;
    if rules == Rules::Of2023 && readout.boards_2023().is_none() {
        let setup = setup.escaped();
        let problem = format!("{setup}: there is no elinks2023; use --semantics current");
        return Err(DataError::Shape(problem));
    }
    let order = order(&options)?;
    let (data, remarks) = read_raw_data(&files.paths(), &file_selection::timeslices(&options)?)?;
    let input = RawTimeslices::new(data, readout, rules).in_order(order).with_remarks(remarks);
    let mut params = Params::for_file(path, input.content());
    params.set(SEMANTICS.name, rules.name());
    if order == DigiOrder::Time {
        params.set(ORDER.name, order.name());
    }
    Ok((input, params))
}

/// Writes the tables of boards, and next to them the raw data.
pub(super) fn write(input: &RawTimeslices, path: &Path) -> Result<(), DataError> {
    write_tables(input, path)?;
    write_raw_timeslices(path, input.data())
}

/// Writes the tables of boards next to a file of raw data.
pub(crate) fn write_tables(input: &RawTimeslices, path: &Path) -> Result<(), DataError> {
    write_readout(&setup_beside(path), input.readout())
}

/// The tables next to raw data that are read.
pub(crate) fn setup_to_read(path: &Path) -> Result<PathBuf, DataError> {
    file_selection::check_companions(path)?;
    Ok(setup_beside(path))
}

/// `NAME.setup.json` next to `NAME.ts.bin.gz`, `NAME.tsa` or `NAME_%n.tsa`.
pub(crate) fn setup_beside(path: &Path) -> PathBuf {
    next_to(path, &[run_name(path), b".setup.json"])
}

/// `NAME` of `NAME.ts.bin.gz`, `NAME.tsa` or `NAME_%n.tsa`.
pub(crate) fn run_name(path: &Path) -> &[u8] {
    let stem = stem(path);
    let name = stem.strip_suffix(b".ts").unwrap_or(stem);
    let numbered = [b"_%n", b".%n"].iter().find_map(|number| name.strip_suffix(*number));
    numbered.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_next_to_raw_data() {
        for name in
            ["d/a.ts.bin.gz", "d/a.ts.bin", "d/a.bin", "d/a.bin.gz", "d/a.tsa", "d/a_%n.tsa"]
        {
            assert_eq!(setup_beside(Path::new(name)), Path::new("d/a.setup.json"));
        }
    }

    #[test]
    fn defaults_are_valid_and_invalid_values_are_refused() {
        let planned = |given: &[(&'static str, &str)]| {
            plan(given.iter().copied().collect()).map_err(|error| error.to_string())
        };
        assert!(planned(&[]).expect("sensible").memory_bytes > 100 << 20);
        let mcbm = planned(&[("preset", "mcbm-2024"), ("scale", "0.001")]).expect("sensible");
        assert_eq!(sts_raw_shape::shape(&mcbm.params).expect("sensible").microslices(), 2);
        assert!(planned(&[("microslice", "0")]).expect_err("none").contains("too short"));
        assert!(planned(&[("semantics", "2022")]).expect_err("none").contains("current, 2023"));
    }

    #[test]
    fn walks_and_end_words_are_the_default() {
        let given = [("walk", "none"), ("scale", "0.001")];
        let params = plan(given.into_iter().collect()).expect("sensible").params;
        let shape = sts_raw_shape::shape(&params).expect("sensible");
        assert!(!shape.with_walk && shape.with_end);
    }
}
