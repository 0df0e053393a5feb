//! Parameters of time frames of the TPC.
//!
//! Tasks that need one list these axes among theirs.

use generators_common::DataError;
use generators_tpc::ZsFormat;
use generators_tpc::pages::Framing;
use generators_tpc::simulate::{Load, Preset, TimeFrameShape};

use tasks::axis::{Flag, Params, axes};

axes! {
    /// All axes of time frames.
    pub AXES {
        /// Preset of the collisions.
        pub PRESET: Preset = Flag::choice("preset", Preset::NAMES).or(Preset::PbPb.name()) =>
            "Signals in the TPC: pbpb-50khz, pp, laser or stress";
        /// The format of the pages.
        pub ZS: ZsFormat =
            Flag::choice("zs", ZsFormat::NAMES).called("FORMAT").or(ZsFormat::DenseLink.name()) =>
            "Zero-suppressed format: row10, row12, link, dense-link or dense-link-v2";
        /// Orbits, which is the number of heartbeat frames.
        pub ORBITS: u32 = Flag::count("orbits").or("2").small(1.0) =>
            "Orbits of the time frame (heartbeat frames)";
        /// Sectors, from sector 0 on.
        pub SECTORS: usize = Flag::count("sectors").or("36").small(1.0) =>
            "Sectors, from sector 0 on";
        ..SIGNALS;
        ..PAGES;
    }
}
axes! {
    /// Axes of the samples of sectors.
    pub(crate) SIGNALS {
        /// Collisions a second.
        pub RATE: f64 = Flag::frequency("rate") =>
            "Collisions or shots a second, such as 50kHz [default: the preset's]";
        /// The share of pads and time bins with a sample.
        pub OCCUPANCY: f64 = Flag::share("occupancy") =>
            "Share of pads and time bins with a sample, noise included, instead of --rate";
        /// The share of pads and time bins with noise.
        pub NOISE: f64 = Flag::share("noise") =>
            "Share of pads and time bins with a sample that is noise [default: the preset's]";
        /// The share of pads that have lost their baseline.
        pub NOISY_PADS: f64 = Flag::share("noisy-pads") =>
            "Share of pads that have lost their baseline: charge most of the time [default: 0]";
        /// The share of pads that particles keep busy.
        pub HOT_PADS: f64 = Flag::share("hot-pads") =>
            "Share of pads that particles keep busy, up to saturation [default: 0]";
    }
}
axes! {
    /// Axes of pages without samples.
    pub(crate) PAGES {
        /// The number of the first orbit.
        pub FIRST_ORBIT: u32 = Flag::integer("first-orbit").or("0") =>
            "Number of the first orbit; it wraps at 4294967296";
        /// Pages without data that are added.
        pub FRAMING: Framing =
            Flag::choice("framing", &["simulated", "recorded"]).or("simulated") =>
            "Pages without data: simulated (where a stream has none) or recorded (around each \
             heartbeat frame)";
    }
}

/// The time frame that complete parameters describe.
///
/// # Errors
/// Fails if they contradict each other, or are out of range: see
/// [`TimeFrameShape::validate`].
pub fn shape(params: &Params) -> Result<TimeFrameShape, DataError> {
    let preset = PRESET.value(params)?;
    let mut shape = TimeFrameShape::for_preset(preset, ZS.value(params)?);
    shape.orbits = ORBITS.value(params)?;
    shape.sectors = SECTORS.value(params)?;
    shape.first_orbit = FIRST_ORBIT.value(params)?;
    shape.framing = FRAMING.value(params)?;
    shape.noise = NOISE.given(params)?.unwrap_or(shape.noise);
    shape.noisy_pads = NOISY_PADS.given(params)?.unwrap_or(shape.noisy_pads);
    shape.hot_pads = HOT_PADS.given(params)?.unwrap_or(shape.hot_pads);
    shape.load = match (RATE.given(params)?, OCCUPANCY.given(params)?) {
        (Some(_), Some(_)) => {
            return Err(DataError::Shape(
                "--rate and --occupancy both determine the number of digits; give either".into(),
            ));
        }
        (Some(hz), None) => Load::Rate(hz),
        (None, Some(share)) => Load::Occupancy(share),
        (None, None) => shape.load,
    };
    shape.validate()?;
    Ok(shape)
}

/// The shape of a time frame for a task that has only some of the axes.
pub(crate) fn shape_of_some(params: &Params) -> Result<TimeFrameShape, DataError> {
    let mut complete = params.clone();
    complete.complete(AXES);
    shape(&complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(given: &[(&'static str, &str)]) -> Result<TimeFrameShape, String> {
        let mut params: Params = given.iter().copied().collect();
        params.complete(AXES);
        shape(&params).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_two_orbits_of_lead() {
        let shape = shape_of(&[]).expect("sensible");
        let expected = TimeFrameShape::for_preset(Preset::PbPb, ZsFormat::DenseLink);
        assert_eq!(shape, expected);
    }

    #[test]
    fn given_values_replace_those_of_the_preset() {
        let shape = shape_of(&[("preset", "stress"), ("rate", "1000"), ("noise", "0.1")]);
        let shape = shape.expect("sensible");
        assert_eq!((shape.load, shape.noise), (Load::Rate(1000.0), 0.1));
        let stress = TimeFrameShape::for_preset(Preset::Stress, ZsFormat::DenseLink);
        assert_eq!(shape.gain, stress.gain);
    }

    #[test]
    fn contradictions_are_rejected() {
        let both = shape_of(&[("rate", "1000"), ("occupancy", "0.1")]).expect_err("both");
        assert!(both.contains("give either"), "{both}");
        let large = shape_of(&[("first-orbit", "4294967296")]).expect_err("33 bits");
        assert!(large.contains("--first-orbit"), "{large}");
        let sectors = shape_of(&[("sectors", "37")]).expect_err("too many");
        assert!(sectors.contains("1 to 36"), "{sectors}");
    }

    #[test]
    fn every_name_is_known() {
        for (axis, names) in [(PRESET.axis(), Preset::NAMES), (ZS.axis(), ZsFormat::NAMES)] {
            for name in names {
                assert!(axis.help.contains(name), "{name}");
                assert!(shape_of(&[(axis.name, name)]).is_ok(), "{name}");
            }
        }
    }
}
