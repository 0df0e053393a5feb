//! Timeslices of raw data: simulated digis are encoded first, and files are read unchanged.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use generators_common::DataError;
use generators_common::io::{is_standard_input, next_to};
use generators_sts::io::{
    Remarks, read_raw_data, read_readout, read_setup, write_raw_timeslices, write_readout,
    write_setup,
};
use generators_sts::physics::Simulation;
use generators_sts::raw::{RawData, Readout, Rules, generate};
use generators_sts::setup::Setup;
use text::Untrusted;

use super::{COMPAT, FROM, OF_DIGIS, SETUP, SourceKind, WINDOWS, Windows, bytes_for_digi, online};
use crate::sts::task::Timeslices;
use crate::sts::{ChainStage, Timeslice};
use crate::sts_unpack::RawTimeslices;
use crate::sts_unpack::axes::{run_name, setup_beside, setup_to_read};
use crate::sts_unpack::shrink::shrink;
use crate::{file_selection, sts_raw_shape, sts_scenario};
use tasks::algorithm::{InputFiles, Plan, Semantics};
use tasks::axis::{NO, Params};

/// Bytes per digi in addition to those of a stream of digis: messages, twice during generation, the
/// hit they are made of, and the unpacked digi.
const BYTES_FOR_MESSAGE: u64 = 2 * 5 + 32 + 3 * 8;

/// Completes the parameters with defaults, and estimates the memory. Digis are in order of the
/// messages.
pub(super) fn plan(mut params: Params, stage: Option<ChainStage>) -> Result<Plan, DataError> {
    let order = sts_scenario::ORDER.axis();
    if params.get(order.name).is_some() {
        let problem = "--order is about digis; raw data have --epoch-order";
        return Err(DataError::Shape(problem.to_owned()));
    }
    params.complete(OF_DIGIS);
    params.remove(&[order]);
    params.complete(sts_raw_shape::AXES);
    params.set(FROM.name, SourceKind::Raw.name());
    let shape = sts_raw_shape::shape(&params)?;
    let estimate = Simulation::new(&shape.scenario, 1)?.estimate();
    let overlap = f64::from(shape.overlap) / f64::from(shape.microslices());
    let digis = (estimate.digis as f64 * (1.0 + overlap)) as u64;
    let digis = digis.saturating_mul(shape.scenario.timeslices.into());
    let bytes_for_digi = bytes_for_digi(stage) + BYTES_FOR_MESSAGE;
    let memory_bytes = estimate.memory_bytes + digis.saturating_mul(bytes_for_digi);
    Ok(Plan { params, memory_bytes })
}

/// Simulates all timeslices of a scenario, and encodes them.
pub(super) fn simulated(params: &Params, seed: u64) -> Result<Timeslices, DataError> {
    let shape = sts_raw_shape::shape(params)?;
    let setup = Simulation::new(&shape.scenario, seed)?.setup().clone();
    let setup = Windows::from_params(params)?.apply(setup)?;
    let (data, readout) = generate(&shape, seed)?;
    Ok(timeslices(&data, &readout, Remarks::default(), Arc::new(setup), online(params)?))
}

/// Splits raw data into timeslices, of which the first has the remarks about their files. Module
/// addresses follow from module indices.
pub(in crate::sts::task) fn timeslices(
    data: &RawData,
    readout: &Readout,
    remarks: Remarks,
    setup: Arc<Setup>,
    online: Semantics,
) -> Timeslices {
    let mut remarks = Some(remarks);
    let timeslice = |data| {
        let raw = RawTimeslices::new(data, readout.clone(), Rules::Current);
        let raw = raw.with_remarks(remarks.take().unwrap_or_default());
        Timeslice::of_raw(raw, Arc::clone(&setup), online)
    };
    Timeslices(data.each().map(timeslice).collect())
}

/// Smaller raw data of a timeslice that has some.
pub(in crate::sts::task) fn smaller(
    timeslice: &Timeslice,
) -> Box<dyn Iterator<Item = Timeslices> + '_> {
    let Some(raw) = timeslice.raw() else { return Box::new(iter::empty()) };
    let setup = timeslice.shared_setup();
    let online = timeslice.online();
    let smaller = shrink(raw.data());
    Box::new(smaller.map(move |data| {
        timeslices(&data, raw.readout(), Remarks::default(), Arc::clone(&setup), online)
    }))
}

/// Reads raw data and the tables of their boards. Modules are indexed in the order of their
/// positions; the detector is that of the file next to the data, or a regular one.
pub(super) fn read(
    files: &InputFiles,
    options: &Params,
    windows: Windows,
) -> Result<(Timeslices, Params), DataError> {
    let path = files.first();
    let tables = SETUP.given(options)?.map_or_else(|| setup_to_read(path), Ok)?;
    let (readout, modules) = read_readout(&tables)?.numbered();
    let detector = detector_beside(path);
    let setup = if !is_standard_input(path) && detector.exists() {
        read_setup(&detector)?
    } else {
        Setup::regular(modules.max(1)).map_err(|problem| DataError::Shape(problem.to_string()))?
    };
    if setup.modules().len() < modules {
        let found = setup.modules().len();
        let detector = detector.escaped();
        return Err(DataError::Shape(format!(
            "{detector} has {found} modules, but boards read {modules}; give the detector of these \
             boards, or none"
        )));
    }
    let (data, remarks) = read_raw_data(&files.paths(), &file_selection::timeslices(options)?)?;
    let whole = RawTimeslices::new(data, readout, Rules::Current);
    let mut params = Params::for_file(path, whole.content());
    params.set(COMPAT.name, options.get(COMPAT.name).unwrap_or(NO));
    params.extend(options.only(WINDOWS).iter());
    let setup = Arc::new(windows.apply(setup)?);
    Ok((timeslices(whole.data(), whole.readout(), remarks, setup, online(options)?), params))
}

/// Writes all raw data, and next to them the tables of their boards and the detector's setup.
pub(super) fn write(input: &Timeslices, path: &Path) -> Result<(), DataError> {
    let Some((first, raw)) = input.0.first().and_then(|first| Some((first, first.raw()?))) else {
        return Ok(());
    };
    write_readout(&setup_beside(path), raw.readout())?;
    write_setup(&detector_beside(path), first.setup())?;
    write_raw_timeslices(path, &joined(input))
}

/// The raw data of all timeslices, as far as there are any.
fn joined(input: &Timeslices) -> RawData {
    let mut all = RawData::default();
    for raw in input.0.iter().filter_map(Timeslice::raw) {
        all.append(raw.data());
    }
    all
}

/// `NAME.detector.json` next to `NAME.ts.bin.gz`.
fn detector_beside(path: &Path) -> PathBuf {
    next_to(path, &[run_name(path), b".detector.json"])
}
