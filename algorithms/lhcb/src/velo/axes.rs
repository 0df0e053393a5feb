//! Parameters of events, and of processing them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use generators_common::DataError;
use generators_lhcb::simulate::{EventShape, Preset, simulate};
use generators_lhcb::{BankKind, Events, Geometry, geometry, io};
use tasks::algorithm::Plan;
use tasks::axis::{Flag, Params, axes};

use super::model::search::SearchCuts;
use super::{Stage, VeloInput};

axes! {
    /// Parameters of events whose banks hold super-pixels or clusters of the readout.
    pub(super) AXES {
        PRESET: Preset = Flag::choice("preset", Preset::NAMES).or("minbias") =>
            "Collisions: minbias (any) or bsphiphi (one of each event makes a Bs that decays to phi phi)";
        EVENTS: u64 = Flag::count("events").or("1000").small(100.0) => "Events";
        BANKS: BankKind = Flag::choice("banks", BankKind::NAMES).or("superpixel") =>
            "Content of raw banks: superpixel, or retina for clusters that the readout has found; of files \
             that have both, the one that is read";
        ..OF_EVENTS;
        BATCH;
        GEOMETRY;
        ..CUTS;
    }
}
axes! {
    /// Parameters of events whose banks all have the content that a stage needs.
    pub(super) AXES_OF_ONE_KIND {
        PRESET;
        EVENTS;
        ..OF_EVENTS;
        BATCH;
        GEOMETRY;
    }
}
axes! {
    OF_EVENTS {
        INTERACTIONS: f64 = Flag::number("interactions").label("interactions per event") =>
            "Mean number of visible collisions of an event [default: that of the preset]";
        OCCUPANCY: f64 = Flag::number("occupancy").or("1") =>
            "Factor on the number of particles of each collision";
        BANK_VERSION: u8 = Flag::choice("bank-version", &["2", "3", "4"]) =>
            "Version of the banks, 4 for banks of two sensors [default: 2 for super-pixels, 3 for \
             clusters]";
        NOISE: f64 = Flag::number("noise").or("0").label("noise pixels per event") =>
            "Mean number of noise pixels of an event";
        GHOSTS: f64 = Flag::share("ghosts").or("0").label("ghost clusters") =>
            "Random clusters without particle, as a share of the real ones";
        WRONG_FLAGS: f64 = Flag::share("wrong-flags").or("0") =>
            "Share of the super-pixels whose mark as isolated is inverted";
        FIRST_EVENT: u64 = Flag::integer("first-event").or("0") =>
            "Number of the first event: an event depends on the seed and its number";
    }
}
axes! {
    /// Parameters of files whose events may have banks of both kinds.
    pub(super) READING_BOTH {
        BANKS;
        ..READING;
        ..CUTS;
    }
}
axes! {
    /// Cuts of the search for tracks. They have no default, so that runs of earlier versions have
    /// the same parameters.
    CUTS {
        PHI_TOLERANCE: f64 = Flag::number("phi-tolerance").unit("mrad").of_algorithm() =>
            "Half width of the window of angles around a track in mrad, 0 to 1570 [default: 45, as Allen]";
        MAX_SCATTER: f32 = Flag::number("max-scatter").unit("mm²").of_algorithm() =>
            "Limit of the square of the distance of a hit from the line that it continues, in mm² [default: 0.08, as Allen]";
    }
}
axes! {
    /// Parameters of processing events, also of those from files.
    pub(super) READING {
        BATCH: usize = Flag::count("batch").or("1000").label("events per batch") =>
            "Events that are processed together; all events are processed, whatever the batch";
        GEOMETRY: PathBuf = Flag::path("geometry") =>
            "Geometry of the VELO: a text file, or velo_geometry.bin [default: the nominal one]";
    }
}

/// Bytes of an event of the preset: banks, and for each hit those of the references, of the results of
/// two variants and of a copy that is checked.
const EVENT_BYTES: f64 = 700e3;
/// Bytes for each byte of a file.
pub(super) const MEMORY_FOR_BYTE: u64 = 60;

/// Parameters of a stage.
pub(super) fn of_stage(stage: Stage) -> &'static [tasks::axis::Axis] {
    match stage {
        Stage::Chain | Stage::Tracks => AXES,
        Stage::Clusters | Stage::Decode | Stage::Sort => AXES_OF_ONE_KIND,
    }
}

/// Parameters of files of a stage.
pub(super) fn of_files(stage: Stage) -> &'static [tasks::axis::Axis] {
    match stage {
        Stage::Chain | Stage::Tracks => READING_BOTH,
        Stage::Clusters | Stage::Decode | Stage::Sort => READING,
    }
}

fn banks(stage: Stage, params: &Params) -> Result<BankKind, DataError> {
    match stage {
        Stage::Clusters | Stage::Sort => Ok(BankKind::SuperPixel),
        Stage::Decode => Ok(BankKind::Retina),
        Stage::Tracks | Stage::Chain => BANKS.value(params),
    }
}

fn shape(stage: Stage, params: &Params) -> Result<EventShape, DataError> {
    let banks = banks(stage, params)?;
    let preset = PRESET.value(params)?;
    let shape = EventShape::for_preset(preset, banks, EVENTS.value(params)?);
    let shape = EventShape {
        first_event: FIRST_EVENT.value(params)?,
        interactions: INTERACTIONS.given(params)?.unwrap_or(shape.interactions),
        occupancy: OCCUPANCY.value(params)?,
        bank_version: BANK_VERSION.given(params)?.unwrap_or(shape.bank_version),
        noise: NOISE.value(params)?,
        ghosts: GHOSTS.value(params)?,
        wrong_flags: WRONG_FLAGS.value(params)?,
        ..shape
    };
    shape.validate()?;
    Ok(shape)
}

fn batch(params: &Params) -> Result<usize, DataError> {
    match BATCH.value(params)? {
        0 => Err(DataError::shape("--batch 0: batches have at least one event")),
        batch => Ok(batch),
    }
}

fn cuts(params: &Params) -> Result<SearchCuts, DataError> {
    let experiment = SearchCuts::EXPERIMENT;
    let phi_tolerance = match PHI_TOLERANCE.given(params)? {
        None => experiment.phi_tolerance,
        Some(mrad) => SearchCuts::phi_tolerance(mrad).ok_or_else(|| {
            let problem = format!("--phi-tolerance {mrad} is out of range; use 0 to 1570 mrad");
            DataError::Shape(problem)
        })?,
    };
    let max_scatter = MAX_SCATTER.given(params)?.unwrap_or(experiment.max_scatter);
    if !(max_scatter.is_finite() && max_scatter >= 0.0) {
        let problem = format!("--max-scatter {max_scatter} is out of range; use 0 or more mm²");
        return Err(DataError::Shape(problem));
    }
    Ok(SearchCuts { phi_tolerance, max_scatter })
}

/// Fills in defaults, and estimates the memory that is needed.
pub(super) fn plan(stage: Stage, mut params: Params) -> Result<Plan, DataError> {
    params.complete(of_stage(stage));
    let shape = shape(stage, &params)?;
    batch(&params)?;
    cuts(&params)?;
    let usual = shape.preset.settings().interactions;
    let load = (shape.interactions / usual).max(1.0) * shape.occupancy.max(1.0);
    let noise = shape.noise / 1000.0;
    let bytes = shape.events as f64 * EVENT_BYTES * (load * (1.0 + shape.ghosts) + noise);
    Ok(Plan { params, memory_bytes: bytes as u64 })
}

/// Events from complete parameters.
pub(super) fn generate(stage: Stage, params: &Params, seed: u64) -> Result<VeloInput, DataError> {
    input(simulate(&shape(stage, params)?, seed)?, params)
}

fn input(events: Events, params: &Params) -> Result<VeloInput, DataError> {
    let geometry = match GEOMETRY.given(params)? {
        Some(path) => geometry::read(&path)?,
        None => Geometry::nominal().clone(),
    };
    let input = VeloInput::new(events, Arc::new(geometry), batch(params)?);
    Ok(input.with_cuts(cuts(params)?))
}

/// Events of a file.
pub(super) fn read(
    stage: Stage,
    path: &Path,
    options: &Params,
) -> Result<(VeloInput, Params), DataError> {
    let reading = of_files(stage);
    let mut params = options.only(reading);
    params.complete(reading);
    // Before a large file is read.
    batch(&params)?;
    cuts(&params)?;
    let events = io::read_events(path, banks(stage, &params)?)?;
    check_kinds(stage, path, &events)?;
    let input = input(events, &params)?;
    params.set(EVENTS.name, input.events.len().to_string());
    Ok((input, params))
}

/// Checks that a stage can begin with the banks of all events.
fn check_kinds(stage: Stage, path: &Path, events: &Events) -> Result<(), DataError> {
    let needed = match stage {
        Stage::Clusters | Stage::Sort => BankKind::SuperPixel,
        Stage::Decode => BankKind::Retina,
        Stage::Tracks | Stage::Chain => return Ok(()),
    };
    let other = events.iter().position(|event| event.format.kind != needed);
    let Some(event) = other else { return Ok(()) };
    let found = events.event(event).format.kind;
    let name = stage.name();
    let problem = format!("its banks are of kind {found}; {name} takes {needed}, velo takes both");
    Err(DataError::format(path, format!("event {event}"), problem))
}
