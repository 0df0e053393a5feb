//! What can be varied about decoding.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use generators::DataError;
use generators::io::{PageSelection, index_of, read_pad_mapping, read_raw_pages};
use generators::random::mix;
use generators::tpc::PadMapping;
use generators::tpc::pages::RawPages;
use generators::tpc::simulate::TimeFrameGenerator;
use generators::tpc::time::MAX_TIME_BINS_IN_ORBIT;

use super::charge_map::{Gains, entries};
use super::fragments::MIN_FRAGMENT;
use super::header::FrameBounds;
use super::input::{Output, Settings, Sharing, Tables, TimeFrame, format_of};
use crate::algorithm::Plan;
use crate::axis::{Axis, Kind, Params};
use crate::shared_inputs::shared;
use crate::time_frame;

const OUTPUT: Axis = Axis {
    name: "output",
    help: "What pages are decoded to: digits, or charge-map (the cluster finder's input)",
    value_name: "NAME",
    default: Some("digits"),
    kind: Kind::Choice(Output::NAMES),
};
const PARALLEL: Axis = Axis {
    name: "parallel",
    help: "How threads share the work: sectors (each one's work is a thread's) or pages (one \
           pool)",
    value_name: "NAME",
    default: Some("sectors"),
    kind: Kind::Choice(Sharing::NAMES),
};
const FRAGMENT: Axis = Axis {
    name: "fragment",
    help: "Time bins of a fragment, 8 of overlap on either side included; for charge maps",
    value_name: "N",
    default: Some("4000"),
    kind: Kind::Count,
};
/// The index of a file of pages.
pub(crate) const INDEX: Axis = Axis {
    name: "index",
    help: "The index of a file of pages [default: its name with .index.csv]",
    value_name: "FILE",
    default: None,
    kind: Kind::Path,
};
/// The sector of a file of pages.
pub(crate) const SECTOR: Axis = Axis {
    name: "sector",
    help: "The sector of a file of pages; needed where its index has none [default: all]",
    value_name: "N",
    default: None,
    kind: Kind::Count,
};
/// The pad mapping of a file of pages.
pub(crate) const MAPPING: Axis = Axis {
    name: "mapping",
    help: "Pad mapping of a file of pages: a folder with TABLE-*.txt [default: a regular one]",
    value_name: "DIR",
    default: None,
    kind: Kind::Path,
};

pub(super) static AXES: &[Axis] = &[
    time_frame::PRESET,
    time_frame::ZS,
    time_frame::ORBITS,
    time_frame::SECTORS,
    time_frame::RATE,
    time_frame::OCCUPANCY,
    time_frame::NOISE,
    time_frame::NOISY_PADS,
    time_frame::HOT_PADS,
    time_frame::FIRST_ORBIT,
    time_frame::FRAMING,
    OUTPUT,
    FRAGMENT,
    PARALLEL,
];

/// What can be said about files of pages.
pub(super) static READING: &[Axis] = &[
    INDEX,
    SECTOR,
    MAPPING,
    time_frame::FIRST_ORBIT,
    OUTPUT,
    FRAGMENT,
    PARALLEL,
];

/// Fragments of more time bins would not fit the positions' 16 bits.
const MAX_FRAGMENT: u32 = 32_000;
/// Bytes for each sample: the digit or position that a variant makes, and that of the
/// reference and of a check.
const BYTES_FOR_SAMPLE: u64 = 3 * 8;

/// Fills in what was not given, and says how much memory that takes.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    time_frame::complete(&mut params);
    complete_settings(&mut params);
    let settings = settings(&params)?;
    let shape = time_frame::shape(&params)?;
    let generator = TimeFrameGenerator::new(&shape, &PadMapping::regular(), 1)?;
    let estimate = generator.estimate();
    let maps = match settings.output {
        Output::Digits => 0,
        Output::ChargeMap => {
            let time_bins = shape.orbits * MAX_TIME_BINS_IN_ORBIT as u32;
            let entries = entries(settings.fragment.min(time_bins));
            shape.sectors * size_of::<u16>() * entries
        }
    };
    let pages = estimate.pages * size_of::<generators::tpc::page::Page>() as u64;
    Ok(Plan {
        params,
        memory_bytes: pages + estimate.digits * BYTES_FOR_SAMPLE + maps as u64,
    })
}

fn complete_settings(params: &mut Params) {
    for axis in [OUTPUT, FRAGMENT, PARALLEL] {
        if let Some(default) = axis.default {
            params.set_default(axis.name, default);
        }
    }
}

fn settings(params: &Params) -> Result<Settings, DataError> {
    let text = |axis: &Axis| params.get(axis.name).unwrap_or_default();
    let fragment = text(&FRAGMENT).parse().unwrap_or(0);
    if !(MIN_FRAGMENT..=MAX_FRAGMENT).contains(&fragment) {
        return Err(DataError::Shape(format!(
            "--fragment {} makes no fragments; use {MIN_FRAGMENT} to {MAX_FRAGMENT} time bins",
            text(&FRAGMENT)
        )));
    }
    Ok(Settings {
        output: text(&OUTPUT).parse()?,
        sharing: text(&PARALLEL).parse()?,
        fragment,
    })
}

/// What is said of the pages themselves, whatever is made of them.
fn of_pages(params: &Params) -> Params {
    let mut of_pages = Params::default();
    for axis in time_frame::AXES {
        if let Some(value) = params.get(axis.name) {
            of_pages.set(axis.name, value);
        }
    }
    of_pages
}

/// A time frame from complete parameters; its pages are shared with others that only have
/// other settings.
pub(super) fn generate(params: &Params, seed: u64) -> Result<TimeFrame, DataError> {
    let shape = time_frame::shape(params)?;
    let settings = settings(params)?;
    let mapping = PadMapping::regular();
    let make = || Ok::<_, DataError>(TimeFrameGenerator::new(&shape, &mapping, seed)?.time_frame());
    let bytes = |pages: &RawPages| pages.bytes().len() as u64;
    let pages = shared(("pages", &of_pages(params), seed), bytes, make)?;
    let tables = Arc::new(Tables::new(mapping, Gains::spread(seed)));
    Ok(TimeFrame::sharing(
        pages,
        shape.format,
        shape.orbits,
        tables,
        settings,
    ))
}

/// A time frame from a file.
pub(super) fn read(path: &Path, options: &Params) -> Result<(TimeFrame, Params), DataError> {
    let mut options = options.clone();
    complete_settings(&mut options);
    let settings = settings(&options)?;
    let index = match options.get(INDEX.name) {
        Some(index) => PathBuf::from(index),
        None => index_of(path)?,
    };
    let pages = read_raw_pages(path, &index, selection(&options)?)?;
    let Some(format) = format_of(&pages) else {
        return Err(DataError::Format {
            path: path.to_owned(),
            place: "all pages".into(),
            problem: "none is a sound page of any format with data; is the sector right?".into(),
        });
    };
    let mapping = match options.get(MAPPING.name) {
        Some(folder) => read_pad_mapping(Path::new(folder))?,
        None => PadMapping::regular(),
    };
    let tables = Arc::new(Tables::new(mapping, Gains::unit()));
    let params = describe(path, &pages, format.name(), &options);
    let orbits = FrameBounds::MAX_ORBITS;
    Ok((
        TimeFrame::new(pages, format, orbits, tables, settings),
        params,
    ))
}

fn selection(options: &Params) -> Result<PageSelection, DataError> {
    Ok(PageSelection {
        sector: number(options, &SECTOR)?,
        first_orbit: number(options, &time_frame::FIRST_ORBIT)?,
    })
}

/// A number that fits its type, if it is given.
fn number<T: std::str::FromStr>(options: &Params, axis: &Axis) -> Result<Option<T>, DataError> {
    let parse = |text: &str| {
        let problem = || DataError::Shape(format!("--{} {text} is too large", axis.name));
        text.parse().map_err(|_| problem())
    };
    options.get(axis.name).map(parse).transpose()
}

/// What is known of pages from a file.
fn describe(path: &Path, pages: &RawPages, format: &str, options: &Params) -> Params {
    let mut params = Params::default();
    for axis in [OUTPUT, FRAGMENT, PARALLEL] {
        params.set(axis.name, options.get(axis.name).unwrap_or_default());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // These two separate the parameters in the records.
    params.set("input", name.replace([';', '='], "_"));
    // Files of the same name may differ: the content tells them apart.
    params.set("content", format!("{:016x}", content(pages)));
    params.set(time_frame::ZS.name, format);
    params
}

/// A hash of all pages.
fn content(pages: &RawPages) -> u64 {
    let words = pages.bytes().as_chunks::<8>().0.iter();
    words.fold(u64::from(pages.first_orbit()), |hash, word| {
        mix(hash ^ u64::from_le_bytes(*word))
    })
}
