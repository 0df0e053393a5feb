//! What can be varied about the digis to sort.

use std::path::Path;

use generators::DataError;
use generators::random::mix;
use generators::sts::{DigiShape, Order, Rates, SegmentedDigis, Skew};

use crate::axis::{Axis, Kind, Params};

/// Module sides.
pub(crate) const SEGMENTS: Axis = Axis {
    name: "segments",
    help: "Segments (module sides): 1792 in the full detector, 24 in mCBM",
    value_name: "N",
    default: Some("1792"),
    kind: Kind::Count,
};
/// All digis together.
pub(crate) const DIGIS: Axis = Axis {
    name: "digis",
    help: "Digis in all segments together [default: 20M, or what the rates give]",
    value_name: "N",
    default: None,
    kind: Kind::Count,
};
/// The order of arrival.
pub(crate) const ORDER: Axis = Axis {
    name: "order",
    help: "Order of arrival in a segment: random, time, or jitter:N (up to N places from \
           time order)",
    value_name: "ORDER",
    default: Some("random"),
    kind: Kind::Order,
};
/// The spread over segments.
pub(crate) const SKEW: Axis = Axis {
    name: "skew",
    help: "Fullest over emptiest segment, such as 10; or hot:SHARE, the share that one \
           segment holds",
    value_name: "SKEW",
    default: Some("1"),
    kind: Kind::Skew,
};
/// The share of repeated keys.
pub(crate) const DUPLICATES: Axis = Axis {
    name: "duplicates",
    help: "Share of digis that repeat the channel and time of another one, below 1",
    value_name: "SHARE",
    default: Some("0"),
    kind: Kind::Share,
};
/// The length of the timeslice.
pub(crate) const TIMESLICE: Axis = Axis {
    name: "timeslice",
    help: "Length of the timeslice, 2147483648ns at most, the full range of a digi's time; \
           with rates, it says how many digis there are",
    value_name: "TIME",
    default: None,
    kind: Kind::Duration,
};
/// Interactions a second.
pub(crate) const RATE: Axis = Axis {
    name: "rate",
    help: "Interactions a second, such as 10MHz, instead of --digis",
    value_name: "RATE",
    default: None,
    kind: Kind::Frequency,
};
/// Noise digis a second in a channel.
pub(crate) const NOISE: Axis = Axis {
    name: "noise",
    help: "Noise digis a second in each channel, such as 1kHz, instead of --digis",
    value_name: "RATE",
    default: None,
    kind: Kind::Frequency,
};

pub(super) static AXES: &[Axis] = &[
    SEGMENTS, DIGIS, ORDER, SKEW, DUPLICATES, TIMESLICE, RATE, NOISE,
];

const DEFAULT_DIGIS: &str = "20000000";
/// The full range of a digi's time: the hardest for sorts that look at bits.
const DEFAULT_TIMESLICE_NS: &str = "2147483648";
/// With rates, the full range would be far more digis than memory.
const DEFAULT_TIMESLICE_WITH_RATES_NS: &str = "1000000";

/// Fills in what was not given.
pub(crate) fn complete(params: &mut Params) -> Result<(), DataError> {
    let with_rates = params.get("rate").is_some() || params.get("noise").is_some();
    for axis in AXES {
        if let Some(default) = axis.default {
            params.set_default(axis.name, default);
        }
    }
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
    let segments = value(params, "segments")?;
    let timeslice_ns = value(params, "timeslice")?;
    let digis = match params.value("digis") {
        Some(digis) => digis,
        None => {
            let rates = Rates {
                interactions_hz: value(params, "rate")?,
                noise_hz: value(params, "noise")?,
            };
            rates.digis(segments, timeslice_ns)?
        }
    };
    Ok(DigiShape {
        segments,
        digis,
        order: value::<Order>(params, "order")?,
        skew: value::<Skew>(params, "skew")?,
        duplicates: value(params, "duplicates")?,
        timeslice_ns,
    })
}

/// What is known of digis from a file.
pub(crate) fn of_file(path: &Path, digis: &SegmentedDigis) -> Params {
    let mut params = Params::default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // These two separate the parameters in the records.
    params.set("input", name.replace([';', '='], "_"));
    // Files of the same name may differ: the content tells them apart.
    params.set("content", format!("{:016x}", content(digis)));
    params.set("digis", digis.digis().len().to_string());
    params.set("segments", digis.partition().segments().to_string());
    params
}

/// A hash of all digis and of the segments they are in.
fn content(digis: &SegmentedDigis) -> u64 {
    let note = |hash: u64, word: u64| mix(hash ^ word);
    digis.segments().fold(0, |hash, segment| {
        let hash = note(hash, segment.len() as u64);
        segment
            .iter()
            .fold(hash, |hash, digi| note(hash, digi.bits()))
    })
}

fn value<T: std::str::FromStr>(params: &Params, name: &'static str) -> Result<T, DataError> {
    params
        .value(name)
        .ok_or_else(|| DataError::Shape(format!("--{name} has no usable value")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(given: &[(&'static str, &str)]) -> Params {
        let mut params = Params::default();
        for &(name, plain) in given {
            params.set(name, plain);
        }
        params
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
    fn rates_say_how_many_digis_there_are() {
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
