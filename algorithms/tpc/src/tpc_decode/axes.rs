//! Parameters of decoding.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use generators_common::DataError;
use generators_common::random::mix;
use generators_tpc::PadMapping;
use generators_tpc::io::{
    PageRemarks, PageSelection, headers_alone, index_of, read_pad_mapping, read_raw_pages,
    read_tpc_file,
};
use generators_tpc::page::{Page, Rdh};
use generators_tpc::pages::RawPages;
use generators_tpc::simulate::TimeFrameGenerator;
use generators_tpc::time::MAX_TIME_BINS_IN_ORBIT;

use super::charge_map::{Gains, entries};
use super::fragments::checked_length;
use super::header::FrameBounds;
use super::input::{Output, Settings, Tables, TimeFrame, WorkDistribution, format_of};
use crate::file_selection::{TIMEFRAME_AXES, timeframes};
use crate::time_frame;
use tasks::algorithm::Plan;
use tasks::axis::{Flag, Params, axes};
use tasks::shared_inputs::{InputKey, shared};

axes! {
    /// Output settings and distribution of the work.
    pub(crate) SETTINGS {
        OUTPUT: Output = Flag::choice("output", Output::NAMES).or("digits") =>
            "What pages are decoded to: digits, or charge-map (the cluster finder's input)";
        FRAGMENT: u32 = Flag::integer("fragment").unit("time bins").or("4000") =>
            "Time bins of a fragment, 8 of overlap on either side included; for charge maps";
        PARALLEL: WorkDistribution =
            Flag::choice("parallel", WorkDistribution::NAMES).or("sectors") =>
            "How threads share the work: sectors (each one's work is a thread's) or pages (one \
             pool)";
    }
}
axes! {
    pub(super) AXES {
        ..time_frame::AXES;
        ..SETTINGS;
    }
}
axes! {
    /// Options of files of pages.
    pub(crate) OF_PAGES {
        /// The index of a file of pages.
        INDEX: PathBuf = Flag::path("index") =>
            "The index of a file of pages [default: its name with .index.csv]";
        /// The sector of a file of pages.
        SECTOR: u8 = Flag::integer("sector") =>
            "The sector of a file of pages; needed where its index has none [default: all]";
        /// The pad mapping of a file of pages.
        MAPPING: PathBuf = Flag::path("mapping").called("DIR") =>
            "Pad mapping of a file of pages: a folder with TABLE-*.txt [default: a regular one]";
        time_frame::FIRST_ORBIT;
        ..TIMEFRAME_AXES;
    }
}
axes! {
    /// Parameters of files of pages.
    pub(super) READING {
        ..OF_PAGES;
        ..SETTINGS;
    }
}

/// Bytes for each sample: the digit or position of a variant, and of the reference and of a check.
const BYTES_FOR_SAMPLE: u64 = 3 * 8;

/// Bytes of pages for a sample, headers included.
pub(crate) const BYTES_OF_SAMPLE: u64 = 2;
/// Bytes for each byte of a page: the pages while they are collected, in order, and a plugin's copy;
/// and their samples.
pub(crate) const MEMORY_FOR_BYTE: u64 = 3 + BYTES_FOR_SAMPLE / BYTES_OF_SAMPLE;

/// Fills in defaults, and estimates the memory that is needed and the number of samples.
pub(crate) fn plan(mut params: Params) -> Result<(Plan, u64), DataError> {
    params.complete(AXES);
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
    // Plugins get a copy of the pages.
    let pages = 2 * estimate.pages * size_of::<Page>() as u64;
    let memory_bytes = pages + estimate.digits * BYTES_FOR_SAMPLE + maps as u64;
    Ok((Plan { params, memory_bytes }, estimate.digits))
}

fn settings(params: &Params) -> Result<Settings, DataError> {
    let fragment = checked_length(FRAGMENT.value(params)?)?;
    Ok(Settings { output: OUTPUT.value(params)?, sharing: PARALLEL.value(params)?, fragment })
}

/// Settings of decoding by default.
pub(crate) fn default_settings() -> Settings {
    let mut params = Params::default();
    params.complete(SETTINGS);
    settings(&params).expect("defaults are valid")
}

/// A time frame from complete parameters; its pages are shared with others that differ only in
/// settings.
pub(super) fn generate(params: &Params, seed: u64) -> Result<TimeFrame, DataError> {
    let shape = time_frame::shape(params)?;
    let settings = settings(params)?;
    let mapping = PadMapping::regular();
    let make = || Ok::<_, DataError>(TimeFrameGenerator::new(&shape, &mapping, seed)?.time_frame());
    let bytes = |pages: &RawPages| pages.bytes().len() as u64;
    let of_pages = params.only(time_frame::AXES);
    let key = InputKey { name: "pages", params: &of_pages, seed };
    let pages = shared(key, bytes, make)?;
    let tables = Arc::new(Tables::new(mapping, Gains::spread(seed)));
    let format = shape.format;
    let orbits = shape.orbits;
    Ok(TimeFrame::new(pages, format, orbits, tables, settings))
}

/// A time frame from a file.
pub(super) fn read(path: &Path, options: &Params) -> Result<(TimeFrame, Params), DataError> {
    let mut options = options.clone();
    options.complete(SETTINGS);
    let settings = settings(&options)?;
    let (pages, remarks) = read_pages(path, &options)?;
    let count = pages.pages().len();
    let is_alone = |page: &Page| Rdh::from_bytes(page.first_chunk().expect("a header")).is_alone();
    if count > 0 && pages.pages().iter().all(is_alone) {
        return Err(headers_alone(path, count));
    }
    let Some(format) = format_of(&pages) else {
        return Err(DataError::Format {
            path: path.to_owned(),
            location: "all pages".into(),
            problem: "none is a sound page of any format with data; is the sector right?".into(),
        });
    };
    let mapping = match MAPPING.given(&options)? {
        Some(folder) => read_pad_mapping(&folder)?,
        None => PadMapping::regular(),
    };
    let tables = Arc::new(Tables::new(mapping, Gains::unit()));
    let params = describe(path, &pages, format.name(), &options);
    let orbits = FrameBounds::MAX_ORBITS;
    let frame = TimeFrame::new(pages, format, orbits, tables, settings).with_remarks(remarks);
    Ok((frame, params))
}

/// Reads pages with their index, if there is one, or else a file of ALICE's.
fn read_pages(path: &Path, options: &Params) -> Result<(RawPages, PageRemarks), DataError> {
    let beside = || index_of(path).ok().filter(|index| index.exists());
    let selection = selection(options)?;
    match INDEX.given(options)?.or_else(beside) {
        Some(index) => read_raw_pages(path, &index, selection),
        None => read_tpc_file(path, selection),
    }
}

fn selection(options: &Params) -> Result<PageSelection, DataError> {
    Ok(PageSelection {
        sector: SECTOR.given(options)?,
        first_orbit: time_frame::FIRST_ORBIT.given(options)?,
        frames: timeframes(options)?,
    })
}

/// Parameters of pages from a file.
fn describe(path: &Path, pages: &RawPages, format: &str, options: &Params) -> Params {
    let mut params = Params::for_file(path, content(pages));
    params.extend(options.only(SETTINGS).iter());
    params.set(time_frame::ZS.name, format);
    params
}

/// A hash of all pages.
fn content(pages: &RawPages) -> u64 {
    let words = pages.bytes().as_chunks::<8>().0.iter();
    words.fold(u64::from(pages.first_orbit()), |hash, word| mix(hash ^ u64::from_le_bytes(*word)))
}
