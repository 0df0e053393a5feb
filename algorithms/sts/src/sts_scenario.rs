//! Parameters of simulated digis of the STS.
//!
//! Tasks that need them include these axes.

use generators_common::DataError;
use generators_sts::Order;
use generators_sts::physics::{Preset, Scenario};

use tasks::axis::{Flag, Grammar, Params, axes};

axes! {
    /// All axes.
    pub AXES {
        /// Scenario of the simulation.
        pub PRESET: Preset = Flag::choice("preset", Preset::NAMES).or(Preset::CbmAuAu.name()) =>
            "Data with published counts: cbm-auau or mcbm-2024";
        /// Size of the sample.
        pub SCALE: f64 = Flag::share("scale").or("1").small(5e-4) =>
            "Part of the preset, such as 0.1: fewer timeslices, or a shorter one";
        ..SIGNALS;
        /// Order of digis.
        pub ORDER: Order = order_flag().or("time") =>
            "Order of arrival in a module side: random, time, or jitter:N (up to N digis from time \
             order)";
    }
}
axes! {
    /// Axes of the digis of a preset.
    pub(crate) SIGNALS {
        /// Collisions per second.
        pub RATE: f64 = Flag::frequency("rate") =>
            "Collisions a second, such as 100kHz [default: the preset's]";
        /// Noise pulses per second and channel.
        pub NOISE: f64 = Flag::frequency("noise") =>
            "Noise pulses above the threshold a second and channel, such as 500Hz [default: the \
             preset's]";
        /// Minimum charge of a digi.
        pub THRESHOLD: f64 = Flag::integer("threshold").unit("e") =>
            "Minimum charge of a digi, in electrons; without --noise, it changes the noise too \
             [default: the preset's]";
    }
}

/// The flag for the order of digis.
pub(crate) const fn order_flag() -> Flag<Order> {
    Flag::with_grammar("order", "ORDER", Grammar::for_type::<Order>("order"))
}

/// Maximum scale; larger ones are probably mistakes.
const MAX_SCALE: f64 = 1000.0;

/// Returns the scenario that complete parameters describe.
///
/// # Errors
/// If they are invalid: see [`Scenario::validate`].
pub fn scenario(params: &Params) -> Result<Scenario, DataError> {
    let scenario = Scenario { order: ORDER.value(params)?, ..unscaled(params)? };
    let scenario = scenario.scaled(scale(params)?);
    scenario.validate()?;
    Ok(scenario)
}

/// Returns the first timeslice of the scenario that complete parameters describe, or a part of it,
/// in the preset's order.
///
/// # Errors
/// If the parameters are invalid, as for [`scenario`], or if the scale is larger than a timeslice.
pub fn one_timeslice(params: &Params) -> Result<Scenario, DataError> {
    let scale = scale(params)?;
    if scale > 1.0 {
        let problem = format!("--scale {scale} is more than a timeslice; use more than 0, up to 1");
        return Err(DataError::Shape(problem));
    }
    let scenario = Scenario { timeslices: 1, ..unscaled(params)? }.scaled(scale);
    scenario.validate()?;
    Ok(scenario)
}

/// The preset with the given rates and thresholds.
fn unscaled(params: &Params) -> Result<Scenario, DataError> {
    let mut scenario = PRESET.value(params)?.scenario();
    scenario.rate_hz = RATE.given(params)?.unwrap_or(scenario.rate_hz);
    let readout = &mut scenario.readout;
    readout.threshold = THRESHOLD.given(params)?.unwrap_or(readout.threshold);
    if let Some(hertz) = NOISE.given(params)? {
        *readout = readout.with_noise_hz(hertz);
    }
    Ok(scenario)
}

fn scale(params: &Params) -> Result<f64, DataError> {
    let scale = SCALE.value(params)?;
    if scale > 0.0 && scale <= MAX_SCALE {
        return Ok(scale);
    }
    Err(DataError::Shape(format!(
        "--scale {scale} is no part of a preset; use more than 0, up to {MAX_SCALE}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario_of(given: &[(&'static str, &str)]) -> Result<Scenario, String> {
        let mut params: Params = given.iter().copied().collect();
        params.complete(AXES);
        scenario(&params).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_the_full_first_preset() {
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
    fn invalid_values_are_refused() {
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
        for name in Preset::NAMES {
            assert!(PRESET.help.contains(name), "{name}");
            assert!(scenario_of(&[("preset", name)]).is_ok(), "{name}");
        }
    }
}
