//! Parameters of the chain.

use std::path::Path;

use generators_common::DataError;

use super::finding::{Finding, NoisyRule};
use super::input::{RawFrame, Simulated};
use crate::tpc_cluster_finder::axes::{FRAGMENT, SETTINGS, fragment, settings};
use crate::tpc_decode::{OF_PAGES, TpcDecode};
use crate::{time_frame, tpc_decode, tpc_noisy_pads};
use tasks::algorithm::{Algorithm, Plan};
use tasks::axis::{Flag, Params, axes};

axes! {
    pub(super) AXES {
        time_frame::PRESET;
        time_frame::ZS;
        time_frame::ORBITS;
        time_frame::SECTORS.or("4");
        ..time_frame::SIGNALS;
        ..time_frame::PAGES;
        ..OF_FINDING;
    }
}
axes! {
    /// Parameters of files of pages.
    pub(super) READING {
        ..OF_PAGES;
        ..OF_FINDING;
    }
}
axes! {
    /// Parameters of finding clusters.
    OF_FINDING {
        NOISY: NoisyRule = Flag::choice("noisy", NoisyRule::NAMES).or("published") =>
            "Which pads are noisy: published (as the experiment: in the first fragment, on most \
             pads) or lab (over the whole time frame)";
        FRAGMENT;
        ..SETTINGS;
    }
}

/// Bytes for each sample: its digit, its charge by row, an entry for a cluster; and again in the
/// reference.
const BYTES_FOR_SAMPLE: u64 = 2 * (8 + 8 + 12);

/// Bytes for each byte of a page.
pub(super) const MEMORY_FOR_BYTE: u64 =
    tpc_decode::MEMORY_FOR_BYTE + BYTES_FOR_SAMPLE / tpc_decode::BYTES_OF_SAMPLE;

/// Fills in defaults, and estimates the memory that is needed.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    finding(&params, time_bins(&params)?)?;
    let (pages, samples) = tpc_decode::plan_with_samples(of_pages(&params))?;
    Ok(Plan { memory_bytes: pages.memory_bytes + samples * BYTES_FOR_SAMPLE, params })
}

fn time_bins(params: &Params) -> Result<u32, DataError> {
    tpc_noisy_pads::time_bins(&time_frame::shape(params)?)
}

fn finding(params: &Params, time_bins: u32) -> Result<Finding, DataError> {
    let fragment = fragment(params)?;
    let rule = NOISY.value(params)?;
    Ok(Finding { time_bins, fragment, rule, settings: settings(params)? })
}

/// The parameters of pages only, for decoding.
fn of_pages(params: &Params) -> Params {
    let mut of_pages = params.clone();
    of_pages.remove(OF_FINDING);
    of_pages
}

/// A time frame from complete parameters.
pub(super) fn generate(params: &Params, seed: u64) -> Result<RawFrame, DataError> {
    let finding = finding(params, time_bins(params)?)?;
    let mut pages = of_pages(params);
    pages.complete(tpc_decode::SETTINGS);
    let simulated = Simulated { shape: time_frame::shape(params)?, seed };
    Ok(RawFrame::new(TpcDecode.generate(&pages, seed)?, finding).simulated(simulated))
}

/// A time frame from a file, with complete orbits up to its last digit.
pub(super) fn read(path: &Path, options: &Params) -> Result<(RawFrame, Params), DataError> {
    let (frame, mut params) = TpcDecode.read(&path.into(), &of_pages(options))?;
    params.remove(tpc_decode::SETTINGS);
    params.extend(options.only(OF_FINDING).iter());
    params.complete(OF_FINDING);
    let time_bins = tpc_noisy_pads::time_bins_of_file(path, &frame.digits().digits)?;
    let finding = finding(&params, time_bins)?;
    Ok((RawFrame::new(frame, finding), params))
}
