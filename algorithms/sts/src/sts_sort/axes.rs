//! Parameters of the digis to sort.

use std::path::Path;

use generators_common::DataError;
use generators_common::io::FileName;
use generators_common::random::mix;
use generators_sts::{DigiShape, Order, Rates, SegmentedDigis, Skew};

use tasks::axis::{Flag, Grammar, Params, axes};

use crate::sts_scenario;

axes! {
    pub(super) AXES {
        /// Module sides.
        pub SEGMENTS: usize = Flag::count("segments").or("1792") =>
            "Segments (module sides): 1792 in the full detector, 24 in mCBM";
        /// All digis together.
        DIGIS: u64 = Flag::count("digis").small(2e3).derived_from(&["rate", "noise"]) =>
            "Digis in all segments together [default: 20M, or what the rates give]";
        ORDER: Order = sts_scenario::order_flag().or("random") =>
            "Order of arrival in a segment: random, time, or jitter:N (up to N digis from time \
             order)";
        SKEW: Skew = Flag::with_grammar("skew", "SKEW", Grammar::for_type::<Skew>("skew")).or("1") =>
            "Fullest over emptiest segment, such as 10; or hot:SHARE, the share that one segment \
             holds";
        DUPLICATES: f64 = Flag::share("duplicates").or("0") =>
            "Share of digis that repeat the channel and time of another one, below 1";
        TIMESLICE: u64 = Flag::duration("timeslice") =>
            "Length of the timeslice, 2147483648ns at most, the full range of a digi's time; with \
             rates, it says how many digis there are";
        RATE: f64 = Flag::frequency("rate").small(1e5) =>
            "Interactions a second, such as 10MHz, instead of --digis";
        NOISE: f64 = Flag::frequency("noise") =>
            "Noise digis a second in each channel, such as 1kHz, instead of --digis";
    }
}
axes! {
    /// Options of inputs from files.
    pub(super) READING {
        /// The time that becomes 0.
        pub(crate) TIME_ORIGIN: i64 = Flag::time_stamp("time-origin") =>
            "Time in ns of a table of digis (.csv, .parquet) that becomes 0 [default: 0, or the \
             earliest if times do not fit 31 bits]";
    }
}

/// Refuses options of digis for a file of raw data.
pub(crate) fn refuse_for_raw_data(path: &Path, options: &Params) -> Result<(), DataError> {
    let name = TIME_ORIGIN.name;
    if options.get(name).is_none() {
        return Ok(());
    }
    let path = FileName(path);
    Err(DataError::Shape(format!(
        "{path} has raw data; leave out --{name}, which is for tables of digis"
    )))
}

const DEFAULT_DIGIS: &str = "20000000";
/// The full range of a digi's time: the hardest for sorts that look at bits.
const DEFAULT_TIMESLICE_NS: &str = "2147483648";
/// With rates, the full range would be far more digis than memory.
const DEFAULT_TIMESLICE_WITH_RATES_NS: &str = "1000000";

/// Completes the parameters with defaults.
pub(crate) fn complete(params: &mut Params) -> Result<(), DataError> {
    let with_rates = params.get("rate").is_some() || params.get("noise").is_some();
    params.complete(AXES);
    if !with_rates {
        params.set_default("digis", DEFAULT_DIGIS);
        params.set_default("timeslice", DEFAULT_TIMESLICE_NS);
        return Ok(());
    }
    if params.get("digis").is_some() {
        return Err(DataError::Shape(
            "--digis and --rate or --noise both say how many digis there are; give either".into(),
        ));
    }
    params.set_default("rate", "0");
    params.set_default("noise", "0");
    params.set_default("timeslice", DEFAULT_TIMESLICE_WITH_RATES_NS);
    Ok(())
}

/// The shape that complete parameters describe.
pub(crate) fn shape(params: &Params) -> Result<DigiShape, DataError> {
    let segments = SEGMENTS.value(params)?;
    let timeslice_ns = TIMESLICE.value(params)?;
    let digis = match DIGIS.given(params)? {
        Some(digis) => digis,
        None => {
            let rates =
                Rates { interactions_hz: RATE.value(params)?, noise_hz: NOISE.value(params)? };
            rates.digis(segments, timeslice_ns)?
        }
    };
    Ok(DigiShape {
        segments,
        digis,
        order: ORDER.value(params)?,
        skew: SKEW.value(params)?,
        duplicates: DUPLICATES.value(params)?,
        timeslice_ns,
    })
}

/// Metadata of digis from a file.
pub(crate) fn of_file(path: &Path, digis: &SegmentedDigis) -> Params {
    let mut params = Params::for_file(path, content(digis));
    params.set("digis", digis.digis().len().to_string());
    params.set("segments", digis.partition().segments().to_string());
    params
}

/// A hash of all digis and of the segments they are in.
fn content(digis: &SegmentedDigis) -> u64 {
    let note = |hash: u64, word: u64| mix(hash ^ word);
    digis.segments().fold(0, |hash, segment| {
        let hash = note(hash, segment.len() as u64);
        segment.iter().fold(hash, |hash, digi| note(hash, digi.bits()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(given: &[(&'static str, &str)]) -> Params {
        given.iter().copied().collect()
    }

    #[test]
    fn defaults_give_a_sensible_shape() {
        let mut params = params(&[("segments", "24")]);
        complete(&mut params).expect("complete");
        let shape = shape(&params).expect("sensible");
        assert_eq!((shape.segments, shape.digis), (24, 20_000_000));
        assert_eq!(shape.order, Order::Random);
        shape.validate().expect("valid");
    }

    #[test]
    fn rates_determine_the_number_of_digis() {
        let mut params = params(&[("rate", "10000000"), ("noise", "1000")]);
        complete(&mut params).expect("complete");
        assert_eq!(shape(&params).expect("sensible").digis, 44_835_008);
    }

    #[test]
    fn digis_and_rates_exclude_each_other() {
        let mut params = params(&[("rate", "10000000"), ("digis", "1000")]);
        let error = complete(&mut params).expect_err("contradiction");
        assert!(error.to_string().contains("give either"));
    }
}
