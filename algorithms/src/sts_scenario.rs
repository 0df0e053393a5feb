//! What can be varied about simulated digis of the STS.
//!
//! Tasks that need them list these axes among theirs.

use generators::DataError;
use generators::sts::Order;
use generators::sts::physics::{Preset, Scenario};

use crate::axis::{Axis, Kind, Params};

/// Which data.
pub const PRESET: Axis = Axis {
    name: "preset",
    help: "Data with published counts: cbm-auau or mcbm-2024",
    value_name: "NAME",
    default: Some(Preset::CbmAuAu.name()),
    kind: Kind::Choice(PRESETS),
};
/// How much of them.
pub const SCALE: Axis = Axis {
    name: "scale",
    help: "Part of the preset, such as 0.1: fewer timeslices, or a shorter one",
    value_name: "SHARE",
    default: Some("1"),
    kind: Kind::Share,
};
/// Collisions a second.
pub const RATE: Axis = Axis {
    name: "rate",
    help: "Collisions a second, such as 100kHz [default: the preset's]",
    value_name: "RATE",
    default: None,
    kind: Kind::Frequency,
};
/// Noise pulses a second and channel.
pub const NOISE: Axis = Axis {
    name: "noise",
    help: "Noise pulses above the threshold a second and channel, such as 500Hz [default: the \
           preset's]",
    value_name: "RATE",
    default: None,
    kind: Kind::Frequency,
};
/// The smallest charge that is seen.
pub const THRESHOLD: Axis = Axis {
    name: "threshold",
    help: "Smallest charge that is seen, in electrons; without --noise, it changes the noise too \
           [default: the preset's]",
    value_name: "N",
    default: None,
    kind: Kind::Count,
};
/// The order of digis.
pub const ORDER: Axis = Axis {
    name: "order",
    help: "Order of arrival in a module side: random, time, or jitter:N (up to N places from \
           time order)",
    value_name: "ORDER",
    default: Some("time"),
    kind: Kind::Order,
};

/// All of them.
pub static AXES: &[Axis] = &[PRESET, SCALE, RATE, NOISE, THRESHOLD, ORDER];

const PRESETS: &[&str] = &[Preset::CbmAuAu.name(), Preset::Mcbm2024.name()];
/// More than this is a mistake.
const MAX_SCALE: f64 = 1000.0;

/// Fills in what was not given and has a default.
pub fn complete(params: &mut Params) {
    for axis in AXES {
        if let Some(default) = axis.default {
            params.set_default(axis.name, default);
        }
    }
}

/// The scenario that complete parameters describe.
///
/// # Errors
/// If they make no sense: see [`Scenario::validate`].
pub fn scenario(params: &Params) -> Result<Scenario, DataError> {
    let mut scenario = value::<Preset>(params, &PRESET)?.scenario();
    scenario.order = value::<Order>(params, &ORDER)?;
    scenario.rate_hz = params.value(RATE.name).unwrap_or(scenario.rate_hz);
    let readout = &mut scenario.readout;
    readout.threshold = params.value(THRESHOLD.name).unwrap_or(readout.threshold);
    if let Some(hertz) = params.value(NOISE.name) {
        *readout = readout.with_noise_hz(hertz);
    }
    let scenario = scenario.scaled(scale(params)?);
    scenario.validate()?;
    Ok(scenario)
}

fn scale(params: &Params) -> Result<f64, DataError> {
    let scale = value(params, &SCALE)?;
    if scale > 0.0 && scale <= MAX_SCALE {
        return Ok(scale);
    }
    Err(DataError::Shape(format!(
        "--scale {scale} is no part of a preset; use more than 0, up to {MAX_SCALE}"
    )))
}

fn value<T: std::str::FromStr>(params: &Params, axis: &Axis) -> Result<T, DataError> {
    let text = params.get(axis.name).unwrap_or("");
    text.parse().map_err(|_| {
        let name = axis.name;
        DataError::Shape(format!("--{name} has no usable value (\"{text}\")"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario_of(given: &[(&'static str, &str)]) -> Result<Scenario, String> {
        let mut params = Params::default();
        for &(name, plain) in given {
            params.set(name, plain);
        }
        complete(&mut params);
        scenario(&params).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_the_whole_first_preset() {
        assert_eq!(scenario_of(&[]), Ok(Preset::CbmAuAu.scenario()));
    }

    #[test]
    fn given_values_replace_those_of_the_preset() {
        let given = [("preset", "mcbm-2024"), ("scale", "0.1"), ("rate", "1000")];
        let scenario = scenario_of(&given).expect("sensible");
        assert_eq!((scenario.timeslices, scenario.rate_hz), (2, 1000.0));
        let noisy = scenario_of(&[("noise", "200"), ("threshold", "5000")]).expect("sensible");
        assert_eq!(noisy.readout.threshold, 5000.0);
        assert!((noisy.readout.noise_hz() - 200.0).abs() < 1e-6);
    }

    #[test]
    fn a_higher_threshold_means_less_noise() {
        let noise = |threshold| {
            let given = [("preset", "mcbm-2024"), ("threshold", threshold)];
            scenario_of(&given).expect("sensible").readout.noise_hz()
        };
        assert!(noise("5000") < 0.1 * noise("4000"));
    }

    #[test]
    fn senseless_values_are_refused() {
        for scale in ["0", "-1", "NaN", "1e9"] {
            let error = scenario_of(&[("scale", scale)]).expect_err("senseless");
            assert!(error.contains("--scale"), "{error}");
        }
        let noise = scenario_of(&[("noise", "100"), ("threshold", "60000")]);
        assert!(noise.expect_err("out of reach").contains("zero crossings"));
        let rate = scenario_of(&[("rate", "1e20")]).expect_err("too many");
        assert!(rate.contains("rate of"), "{rate}");
    }

    #[test]
    fn every_preset_is_known() {
        assert_eq!(PRESETS.len(), Preset::ALL.len());
        for name in PRESETS {
            assert!(PRESET.help.contains(name), "{name}");
            assert!(scenario_of(&[("preset", name)]).is_ok(), "{name}");
        }
    }
}
