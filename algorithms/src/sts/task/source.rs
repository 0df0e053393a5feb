//! Where timeslices come from: generated digis, or files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use generators::DataError;
use generators::io::{read_digis_of, read_setup, write_digis, write_setup};
use generators::sts::generate;
use generators::sts::setup::Setup;

use crate::algorithm::{Plan, Semantics};
use crate::axis::{Axis, Kind, Params, YES};
use crate::sts::Timeslice;
use crate::sts_sort::axes as digi_axes;

const COMPAT: Axis = Axis {
    name: "compat",
    help: "Find what the experiment's online reconstruction finds, flaws included, instead of \
           what is exact",
    value_name: "YES|NO",
    default: Some("no"),
    kind: Kind::Switch,
};
const SETUP: Axis = Axis {
    name: "setup",
    help: "The setup of the detector (.json) [default: setup.json beside the input, or its name \
           with .setup.json]",
    value_name: "FILE",
    default: None,
    kind: Kind::Path,
};

/// What can be varied.
pub(super) static AXES: &[Axis] = &[
    Axis {
        default: Some("1792"),
        ..digi_axes::SEGMENTS
    },
    Axis {
        help: "Digis in all module sides together [default: 2M, or what the rates give]",
        ..digi_axes::DIGIS
    },
    Axis {
        default: Some("time"),
        ..digi_axes::ORDER
    },
    digi_axes::SKEW,
    digi_axes::DUPLICATES,
    digi_axes::TIMESLICE,
    digi_axes::RATE,
    digi_axes::NOISE,
    COMPAT,
];

/// What can be said about files.
pub(super) static READING: &[Axis] = &[SETUP, COMPAT];

const DEFAULT_DIGIS: &str = "2000000";
const DEFAULT_TIMESLICE_NS: &str = "1000000";
const DEFAULT_ORDER: &str = "time";

/// Bytes for each digi: the stream and the digis by side; what the hungriest chain
/// makes of them, which is objects; the reference, and copies of both for the check.
const BYTES_FOR_DIGI: u64 = 600;

/// Fills in what was not given, and says how much memory that takes.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.set_default("order", DEFAULT_ORDER);
    params.set_default("compat", COMPAT.default.unwrap_or_default());
    let with_rates = params.get("rate").is_some() || params.get("noise").is_some();
    if !with_rates {
        params.set_default("digis", DEFAULT_DIGIS);
        params.set_default("timeslice", DEFAULT_TIMESLICE_NS);
    }
    digi_axes::complete(&mut params)?;
    let shape = digi_axes::shape(&params)?;
    shape.validate()?;
    Ok(Plan {
        params,
        memory_bytes: shape.digis.saturating_mul(BYTES_FOR_DIGI),
    })
}

/// Generates digis that no particle made, in modules side by side.
pub(super) fn generated(params: &Params, seed: u64) -> Result<Timeslice, DataError> {
    let shape = digi_axes::shape(params)?;
    let setup = Setup::regular(shape.segments.div_ceil(2))
        .map_err(|error| DataError::Shape(error.to_string()))?;
    let digis = generate(&shape, seed)?;
    Ok(Timeslice::new(digis, Arc::new(setup), online(params)))
}

/// Reads digis and the setup of their detector.
pub(super) fn read(path: &Path, options: &Params) -> Result<(Timeslice, Params), DataError> {
    let given = options.get("setup").map(PathBuf::from);
    let setup = read_setup(&given.unwrap_or_else(|| setup_beside(path)))?;
    let digis = read_digis_of(path, &setup)?;
    let mut params = digi_axes::of_file(path, &digis);
    params.set("compat", options.get("compat").unwrap_or("no"));
    Ok((
        Timeslice::new(digis, Arc::new(setup), online(options)),
        params,
    ))
}

/// Writes digis, and beside them the setup of their detector.
pub(super) fn write(input: &Timeslice, path: &Path) -> Result<(), DataError> {
    write_digis(path, input.digis())?;
    write_setup(&own_setup(path), input.setup())
}

/// The setup of this very file, or else that of all files beside it.
fn setup_beside(path: &Path) -> PathBuf {
    let own = own_setup(path);
    if own.exists() {
        return own;
    }
    path.with_file_name("setup.json")
}

/// `digis.csv` and `digis.bin.gz` have `digis.setup.json`.
fn own_setup(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    path.with_file_name(format!("{stem}.setup.json"))
}

fn online(params: &Params) -> Semantics {
    match params.get("compat") {
        Some(YES) => Semantics::Published,
        _ => Semantics::Exact,
    }
}
