//! Parameters of finding noisy pads.

use std::path::Path;

use generators_common::DataError;
use generators_tpc::geometry::PADS_IN_SECTOR;
use generators_tpc::simulate::{TimeFrameGenerator, TimeFrameShape};
use generators_tpc::time::{frame_of, time_bins_of};
use generators_tpc::{Digit, PadMapping};
use text::Untrusted;

use super::input::{ChargeMaps, PadActivity, Thresholds};
use crate::time_frame;
use crate::tpc_decode::charge_map::{CHARGE_SCALE, Gains, entries};
use crate::tpc_decode::{OF_PAGES, SETTINGS, TimeFrame, TpcDecode};
use tasks::algorithm::{Algorithm, Plan};
use tasks::axis::{Flag, Params, axes};

axes! {
    /// Thresholds above which pads are noisy.
    THRESHOLDS {
        OCCUPANCY: f64 = Flag::share("max-occupancy").or("0.5") =>
            "A pad with charge in a larger share of the time bins is noisy";
        RUN: f64 = Flag::integer("max-run").unit("time bins").or("200") =>
            "A pad with charge in more time bins in a row is noisy";
        SATURATION: f64 = Flag::integer("saturation").unit("ADC").or("700") =>
            "But not if its largest charge is above this, in ADC units";
    }
}
axes! {
    /// Noisy pads are searched in maps, which don't depend on the format of pages.
    pub(super) AXES {
        time_frame::PRESET;
        time_frame::ORBITS;
        time_frame::SECTORS.or("4");
        time_frame::RATE;
        time_frame::OCCUPANCY;
        time_frame::NOISE;
        time_frame::NOISY_PADS.or("0.01") =>
            "Share of pads that have lost their baseline: charge most of the time";
        time_frame::HOT_PADS.or("0.01") =>
            "Share of pads that particles keep busy, up to saturation";
        ..THRESHOLDS;
    }
}
axes! {
    /// Parameters of files of pages.
    pub(super) READING {
        ..OF_PAGES;
        ..THRESHOLDS;
    }
}

/// Fills in defaults, and estimates the memory that is needed.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    let shape = time_frame::shape_of_some(&params)?;
    let time_bins = time_bins(&shape)?;
    thresholds(&params, time_bins)?;
    // Plugins get a copy of a map.
    let map = 2 * entries(time_bins) * size_of::<u16>();
    let pads = 3 * PADS_IN_SECTOR * size_of::<PadActivity>();
    Ok(Plan { params, memory_bytes: (shape.sectors * (map + pads)) as u64 })
}

/// The time bins of a frame.
pub(crate) fn time_bins(shape: &TimeFrameShape) -> Result<u32, DataError> {
    let time_bins = time_bins_of(shape.orbits - 1).end;
    at_most_all_counted(time_bins, |problem, max| {
        let max = frame_of(max);
        format!("{} orbits have {problem}; use {max} orbits or fewer", shape.orbits)
    })
}

/// Time bins of a file with these digits, if the counters of pads can hold them. The file does not
/// contain its length; it has complete orbits.
pub(crate) fn time_bins_of_file(path: &Path, digits: &[Digit]) -> Result<u32, DataError> {
    let last = digits.iter().map(|digit| digit.time_bin()).max();
    let time_bins = last.map_or(0, |last| time_bins_of(frame_of(last)).end);
    at_most_all_counted(time_bins, |problem, _| {
        format!("{}: {problem}; is --first-orbit right?", path.escaped())
    })
}

/// Checks that the counters of pads can hold `time_bins` time bins.
fn at_most_all_counted(
    time_bins: u32,
    explained: impl FnOnce(String, u32) -> String,
) -> Result<u32, DataError> {
    let max = ChargeMaps::MAX_TIME_BINS;
    if time_bins <= max {
        return Ok(time_bins);
    }
    let problem = format!("{time_bins} time bins exceed the limit of {max} for noisy pads");
    Err(DataError::Shape(explained(problem, max)))
}

/// Default thresholds for `time_bins` time bins.
pub(crate) fn default_thresholds(time_bins: u32) -> Thresholds {
    let mut params = Params::default();
    params.complete(THRESHOLDS);
    thresholds(&params, time_bins)
        .unwrap_or_else(|problem| unreachable!("defaults are usable: {problem}"))
}

/// The thresholds for `time_bins` time bins.
fn thresholds(params: &Params, time_bins: u32) -> Result<Thresholds, DataError> {
    let share = OCCUPANCY.value(params)?;
    if !(0.0..=1.0).contains(&share) {
        let problem =
            format!("--max-occupancy {share} is not a share of the time bins; use 0 to 1");
        return Err(DataError::Shape(problem));
    }
    Ok(Thresholds {
        charges: (share * f64::from(time_bins)) as u16,
        run: RUN.value(params)?.min(u16::MAX.into()) as u16,
        saturation: (SATURATION.value(params)? * f64::from(CHARGE_SCALE)).min(u16::MAX.into())
            as u16,
    })
}

/// Maps from complete parameters.
pub(super) fn generate(params: &Params, seed: u64) -> Result<ChargeMaps, DataError> {
    let shape = time_frame::shape_of_some(params)?;
    let time_bins = time_bins(&shape)?;
    let generator = TimeFrameGenerator::new(&shape, &PadMapping::regular(), seed)?;
    let gains = Gains::spread(seed);
    let mut maps = ChargeMaps::empty(shape.sectors, time_bins, thresholds(params, time_bins)?);
    maps.add_all(|sector| generator.digits(sector), &gains, shape.format);
    Ok(maps)
}

/// Maps of the valid pages of a file.
pub(super) fn read(path: &Path, options: &Params) -> Result<(ChargeMaps, Params), DataError> {
    let mut of_pages = options.clone();
    of_pages.remove(THRESHOLDS);
    let (frame, mut params) = TpcDecode.read(&path.into(), &of_pages)?;
    // The output of decoding does not matter here.
    params.remove(SETTINGS);
    params.extend(options.only(THRESHOLDS).iter());
    params.complete(THRESHOLDS);
    Ok((maps_of(path, &frame, &params)?, params))
}

fn maps_of(path: &Path, frame: &TimeFrame, params: &Params) -> Result<ChargeMaps, DataError> {
    let digits = frame.digits().digits;
    let time_bins = time_bins_of_file(path, &digits)?;
    let sectors = frame.sector_numbers();
    let mut maps = ChargeMaps::empty(sectors.len(), time_bins, thresholds(params, time_bins)?);
    let of_sector = |index: usize| {
        let own = digits.iter().filter(|digit| digit.sector() == sectors[index]);
        own.copied().collect()
    };
    maps.add_all(of_sector, &Gains::unit(), frame.format());
    Ok(maps.of_file(sectors.clone(), frame.file_remarks()))
}
