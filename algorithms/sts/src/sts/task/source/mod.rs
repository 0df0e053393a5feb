//! Sources of timeslices: simulated particles, or files; digis, or raw data of them.

mod raw;
mod windows;

pub(super) use raw::{smaller as smaller_raw, timeslices as raw_timeslices};
pub(super) use windows::MAX_DIGI_WINDOW;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use generators_common::io::{FileName, sibling_path};
use generators_common::{DataError, named};
use generators_sts::io::{
    DigiOptions, ReadDigis, is_raw_file, read_digis_with, read_setup, write_digis, write_setup,
};
use generators_sts::physics::{Scenario, Simulation};

use super::Timeslices;
use crate::file_selection::{TIMESLICE_AXES, check_companions, refuse_for_digis};
use crate::sts::quality::Crossings;
use crate::sts::{ChainStage, Timeslice};
use crate::sts_sort::axes::{TIME_ORIGIN, of_file, refuse_for_raw_data};
use crate::{sts_raw_shape, sts_scenario};
use tasks::algorithm::{InputFiles, MemoryShares, Plan, ReadInput, Semantics};
use tasks::axis::{Axis, Flag, NO, Params, Switch, axes};

use windows::{DIGI_WINDOW, WINDOWS, Windows};

/// Input of the chain; for stages, unpacking is a task of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceKind {
    Digis,
    Raw,
}

named! { "from", SourceKind { Digis = "digis", Raw = "raw" } }

axes! {
    /// Parameters of simulated digis.
    OF_DIGIS {
        sts_scenario::PRESET;
        /// A tenth is enough to compare by, and small enough to wait for.
        SCALE: f64 = sts_scenario::SCALE.or("0.1");
        ..sts_scenario::SIGNALS;
        sts_scenario::ORDER;
        COMPAT: Switch = Flag::switch("compat").or(NO) =>
            "Find what the experiment's online reconstruction finds, flaws included, instead of \
             what is exact";
    }
}
axes! {
    /// Parameters of simulated inputs.
    AXES {
        ..OF_DIGIS;
        ..WINDOWS;
        FROM: SourceKind = Flag::choice("from", SourceKind::NAMES) =>
            "Input of the chain: digis, or raw data; stages get digis in the order of either \
             [default: digis, or what is in the input]";
        ..sts_raw_shape::AXES;
    }
}
axes! {
    /// Parameters of simulated inputs of stages that find clusters, and no hits.
    AXES_OF_CLUSTERS {
        ..OF_DIGIS;
        DIGI_WINDOW;
        FROM;
        ..sts_raw_shape::AXES;
    }
}
axes! {
    /// Parameters of simulated inputs of what comes before clusters.
    AXES_OF_PRESORT {
        ..OF_DIGIS;
        FROM;
        ..sts_raw_shape::AXES;
    }
}
axes! {
    /// Options of inputs from files.
    READING {
        ..READING_OF_PRESORT;
        ..WINDOWS;
    }
}
axes! {
    /// Options of inputs from files, for stages that find clusters, and no hits.
    READING_OF_CLUSTERS {
        ..READING_OF_PRESORT;
        DIGI_WINDOW;
    }
}
axes! {
    /// Options of inputs from files, for what comes before clusters.
    READING_OF_PRESORT {
        SETUP: PathBuf = Flag::path("setup") =>
            "The setup of the detector (.json) [default: beside the input, its name with \
             .setup.json, or setup.json]";
        ..TIMESLICE_AXES;
        COMPAT;
        FROM;
        TIME_ORIGIN;
    }
}

/// Parameters of simulated inputs of a stage, or of the whole chain.
pub(super) fn axes(stage: Option<ChainStage>) -> &'static [Axis] {
    match stage {
        Some(ChainStage::Presort) => AXES_OF_PRESORT,
        Some(ChainStage::Cluster | ChainStage::ClusterSort) => AXES_OF_CLUSTERS,
        _ => AXES,
    }
}

/// Options of inputs from files of a stage, or of the whole chain.
pub(super) fn file_axes(stage: Option<ChainStage>) -> &'static [Axis] {
    match stage {
        Some(ChainStage::Presort) => READING_OF_PRESORT,
        Some(ChainStage::Cluster | ChainStage::ClusterSort) => READING_OF_CLUSTERS,
        _ => READING,
    }
}

/// Bytes per digi: the stream and the digis by side; the outputs of the chain with the largest
/// memory, which are objects; the reference, and copies of both for the check.
const BYTES_FOR_DIGI: u64 = 400;
/// Bytes per digi for saved stage outputs: from 8 bytes (digis) to some 60 (objects) a variant.
/// Variants that get no memory run the earlier stages again.
pub(super) const KEPT_FOR_DIGI: u64 = 200;

/// Bytes for each digi by variants of a stage, or of the whole chain, which keep nothing.
fn bytes_for_digi(stage: Option<ChainStage>) -> u64 {
    BYTES_FOR_DIGI + stage.map_or(0, |_| KEPT_FOR_DIGI)
}

/// Bytes for each byte of a file: a digi has 7 bytes there. Messages of raw data have 4, but not all
/// of them are digis.
pub(super) fn memory_for_byte(stage: Option<ChainStage>) -> u64 {
    bytes_for_digi(stage) / 7
}

/// Memory of the whole chain by a variant, relative to these figures, as measured with a
/// millisecond of gold on gold (`bench throughput`, by the memory of the process at its end).
/// Unknown variants count as much as objects.
pub(super) fn memory_shares(variant: &str) -> MemoryShares {
    match variant {
        "per-side" | "time-sweep" => MemoryShares { input: 0.25, buffers: 0.28 },
        "online" | "online-serial-zero" => MemoryShares { input: 0.25, buffers: 0.47 },
        _ => MemoryShares { input: 0.3, buffers: 0.55 },
    }
}

/// Completes the parameters with defaults, and estimates the memory.
pub(super) fn plan(mut params: Params, stage: Option<ChainStage>) -> Result<Plan, DataError> {
    Windows::from_params(&params)?;
    let from = FROM.given(&params)?.unwrap_or(SourceKind::Digis);
    // An explicit default gives the same data, and the same parameters, as none.
    params.remove(&[FROM.axis()]);
    if from == SourceKind::Raw {
        return raw::plan(params, stage);
    }
    if let Some(axis) = sts_raw_shape::AXES.iter().find(|axis| params.get(axis.name).is_some()) {
        let problem = format!("--{} is about raw data; add --from raw", axis.name);
        return Err(DataError::Shape(problem));
    }
    params.complete(OF_DIGIS);
    let scenario = sts_scenario::scenario(&params)?;
    let estimate = Simulation::new(&scenario, 1)?.estimate();
    let digis = estimate.digis.saturating_mul(scenario.timeslices.into());
    Ok(Plan {
        params,
        memory_bytes: estimate.memory_bytes + digis.saturating_mul(bytes_for_digi(stage)),
    })
}

/// Simulates all timeslices of a scenario.
pub(super) fn simulated(params: &Params, seed: u64) -> Result<Timeslices, DataError> {
    if FROM.given(params)? == Some(SourceKind::Raw) {
        return raw::simulated(params, seed);
    }
    timeslices(&sts_scenario::scenario(params)?, seed, params)
}

/// Timeslices of the given scenario, with windows and semantics from parameters.
fn timeslices(scenario: &Scenario, seed: u64, params: &Params) -> Result<Timeslices, DataError> {
    let online = online(params)?;
    let simulation = Simulation::new(scenario, seed)?;
    let setup = Windows::from_params(params)?.apply(simulation.setup().clone())?;
    let setup = Arc::new(setup);
    let timeslice = |index| {
        let simulated = simulation.timeslice(index);
        let crossings = Crossings::new(&simulated.truth, simulated.digis.partition());
        let timeslice = Timeslice::new(simulated.digis, Arc::clone(&setup), online);
        timeslice.with_crossings(crossings)
    };
    Ok(Timeslices((0..scenario.timeslices).map(timeslice).collect()))
}

/// Reads digis and the setup of their detector, or raw data and the tables of their boards.
pub(super) fn read(
    files: &InputFiles,
    options: &Params,
) -> Result<ReadInput<Timeslices>, DataError> {
    let path = files.first();
    // Before a large file is read.
    let windows = Windows::from_params(options)?;
    let is_raw = is_raw_file(path)?;
    match FROM.given(options)? {
        Some(SourceKind::Digis) if is_raw => {
            let path = FileName(path);
            return Err(DataError::Shape(format!("{path} has raw data; leave out --from digis")));
        }
        Some(SourceKind::Raw) if !is_raw => {
            let path = FileName(path);
            return Err(DataError::Shape(format!("{path} has no raw data; leave out --from raw")));
        }
        _ if is_raw => {
            refuse_for_raw_data(path, options)?;
            let (input, params) = raw::read(files, options, windows)?;
            return Ok(ReadInput { input, params, notes: Vec::new() });
        }
        _ => {}
    }
    let path = files.only()?;
    refuse_for_digis(path, options, TIMESLICE_AXES)?;
    let setup = read_setup(&SETUP.given(options)?.map_or_else(|| setup_beside(path), Ok)?)?;
    let reading = DigiOptions { time_origin: TIME_ORIGIN.given(options)?, setup: Some(&setup) };
    let ReadDigis { digis, notes } = read_digis_with(path, reading)?;
    let mut params = of_file(path, &digis);
    params.set(COMPAT.name, options.get(COMPAT.name).unwrap_or(NO));
    params.extend(options.only(WINDOWS).iter());
    let timeslice = Timeslice::new(digis, Arc::new(windows.apply(setup)?), online(options)?);
    Ok(ReadInput { input: Timeslices(vec![timeslice]), params, notes })
}

/// Writes the digis of the first timeslice, and next to them the setup of their detector; or all
/// raw data, and next to them the tables of their boards and the setup.
pub(super) fn write(input: &Timeslices, path: &Path) -> Result<(), DataError> {
    if input.0.first().is_some_and(|timeslice| timeslice.raw().is_some()) {
        return raw::write(input, path);
    }
    for timeslice in input.0.iter().take(1) {
        write_setup(&sibling_path(path, "setup.json"), timeslice.setup())?;
        write_digis(path, timeslice.digis())?;
    }
    Ok(())
}

/// The setup of this file, or else the one common to all files in its directory.
fn setup_beside(path: &Path) -> Result<PathBuf, DataError> {
    check_companions(path)?;
    let own_setup = sibling_path(path, "setup.json");
    if own_setup.exists() {
        return Ok(own_setup);
    }
    Ok(path.with_file_name("setup.json"))
}

fn online(params: &Params) -> Result<Semantics, DataError> {
    Ok(match COMPAT.given(params)? {
        Some(Switch(true)) => Semantics::Published,
        _ => Semantics::Exact,
    })
}
