//! What can be varied about time frames of the TPC.
//!
//! Tasks that need one list these axes among theirs.

use generators::DataError;
use generators::tpc::ZsFormat;
use generators::tpc::pages::Framing;
use generators::tpc::simulate::{Load, Preset, TimeFrameShape};

use crate::axis::{Axis, Kind, Params};

/// What the TPC sees.
pub const PRESET: Axis = Axis {
    name: "preset",
    help: "What the TPC sees: pbpb-50khz, pp, laser or stress",
    value_name: "NAME",
    default: Some(Preset::PbPb.name()),
    kind: Kind::Choice(PRESETS),
};
/// The format of the pages.
pub const ZS: Axis = Axis {
    name: "zs",
    help: "Zero-suppressed format: row10, row12, link, dense-link or dense-link-v2",
    value_name: "FORMAT",
    default: Some(ZsFormat::DenseLink.name()),
    kind: Kind::Choice(FORMATS),
};
/// Orbits, and so heartbeat frames.
pub const ORBITS: Axis = Axis {
    name: "orbits",
    help: "Orbits of the time frame (heartbeat frames)",
    value_name: "N",
    default: Some("2"),
    kind: Kind::Count,
};
/// Sectors, from sector 0 on.
pub const SECTORS: Axis = Axis {
    name: "sectors",
    help: "Sectors, from sector 0 on",
    value_name: "N",
    default: Some("36"),
    kind: Kind::Count,
};
/// Collisions a second.
pub const RATE: Axis = Axis {
    name: "rate",
    help: "Collisions or shots a second, such as 50kHz [default: the preset's]",
    value_name: "RATE",
    default: None,
    kind: Kind::Frequency,
};
/// The share of pads and time bins with a sample.
pub const OCCUPANCY: Axis = Axis {
    name: "occupancy",
    help: "Share of pads and time bins with a sample, noise included, instead of --rate",
    value_name: "SHARE",
    default: None,
    kind: Kind::Share,
};
/// The share of pads and time bins with noise.
pub const NOISE: Axis = Axis {
    name: "noise",
    help: "Share of pads and time bins with a sample that is noise [default: the preset's]",
    value_name: "SHARE",
    default: None,
    kind: Kind::Share,
};
/// The share of pads that have lost their baseline.
pub const NOISY_PADS: Axis = Axis {
    name: "noisy-pads",
    help: "Share of pads that have lost their baseline: charge most of the time [default: 0]",
    value_name: "SHARE",
    default: None,
    kind: Kind::Share,
};
/// The share of pads that particles keep busy.
pub const HOT_PADS: Axis = Axis {
    name: "hot-pads",
    help: "Share of pads that particles keep busy, up to saturation [default: 0]",
    value_name: "SHARE",
    default: None,
    kind: Kind::Share,
};
/// The number of the first orbit.
pub const FIRST_ORBIT: Axis = Axis {
    name: "first-orbit",
    help: "Number of the first orbit; it wraps at 4294967296",
    value_name: "N",
    default: Some("0"),
    kind: Kind::Count,
};
/// Which pages there are beside those with data.
pub const FRAMING: Axis = Axis {
    name: "framing",
    help: "Pages without data: simulated (where a stream has none) or recorded (around each \
           heartbeat frame)",
    value_name: "NAME",
    default: Some("simulated"),
    kind: Kind::Choice(&["simulated", "recorded"]),
};

/// All of them.
pub static AXES: &[Axis] = &[
    PRESET,
    ZS,
    ORBITS,
    SECTORS,
    RATE,
    OCCUPANCY,
    NOISE,
    NOISY_PADS,
    HOT_PADS,
    FIRST_ORBIT,
    FRAMING,
];

const PRESETS: &[&str] = &[
    Preset::PbPb.name(),
    Preset::Pp.name(),
    Preset::Laser.name(),
    Preset::Stress.name(),
];
const FORMATS: &[&str] = &[
    ZsFormat::Row10.name(),
    ZsFormat::Row12.name(),
    ZsFormat::Link.name(),
    ZsFormat::DenseLink.name(),
    ZsFormat::DenseLinkV2.name(),
];

/// Fills in what was not given and has a default.
pub fn complete(params: &mut Params) {
    for axis in AXES {
        if let Some(default) = axis.default {
            params.set_default(axis.name, default);
        }
    }
}

/// The time frame that complete parameters describe.
///
/// # Errors
/// If they contradict each other, or make no sense: see
/// [`TimeFrameShape::validate`].
pub fn shape(params: &Params) -> Result<TimeFrameShape, DataError> {
    let preset = value::<Preset>(params, &PRESET)?;
    let mut shape = TimeFrameShape::of_preset(preset, value::<ZsFormat>(params, &ZS)?);
    shape.orbits = value(params, &ORBITS)?;
    shape.sectors = value(params, &SECTORS)?;
    shape.first_orbit = value(params, &FIRST_ORBIT)?;
    shape.framing = value::<Framing>(params, &FRAMING)?;
    shape.noise = params.value(NOISE.name).unwrap_or(shape.noise);
    shape.noisy_pads = params.value(NOISY_PADS.name).unwrap_or(shape.noisy_pads);
    shape.hot_pads = params.value(HOT_PADS.name).unwrap_or(shape.hot_pads);
    shape.load = match (params.value(RATE.name), params.value(OCCUPANCY.name)) {
        (Some(_), Some(_)) => {
            return Err(DataError::Shape(
                "--rate and --occupancy both say how many digits there are; give either".into(),
            ));
        }
        (Some(hz), None) => Load::Rate(hz),
        (None, Some(share)) => Load::Occupancy(share),
        (None, None) => shape.load,
    };
    shape.validate()?;
    Ok(shape)
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

    fn shape_of(given: &[(&'static str, &str)]) -> Result<TimeFrameShape, String> {
        let mut params = Params::default();
        for &(name, plain) in given {
            params.set(name, plain);
        }
        complete(&mut params);
        shape(&params).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_two_orbits_of_lead() {
        let shape = shape_of(&[]).expect("sensible");
        let expected = TimeFrameShape::of_preset(Preset::PbPb, ZsFormat::DenseLink);
        assert_eq!(shape, expected);
    }

    #[test]
    fn given_values_replace_those_of_the_preset() {
        let shape = shape_of(&[("preset", "stress"), ("rate", "1000"), ("noise", "0.1")]);
        let shape = shape.expect("sensible");
        assert_eq!((shape.load, shape.noise), (Load::Rate(1000.0), 0.1));
        let stress = TimeFrameShape::of_preset(Preset::Stress, ZsFormat::DenseLink);
        assert_eq!(shape.gain, stress.gain);
    }

    #[test]
    fn contradictions_are_refused() {
        let both = shape_of(&[("rate", "1000"), ("occupancy", "0.1")]).expect_err("both");
        assert!(both.contains("give either"), "{both}");
        let large = shape_of(&[("first-orbit", "4294967296")]).expect_err("33 bits");
        assert!(large.contains("--first-orbit"), "{large}");
        let sectors = shape_of(&[("sectors", "37")]).expect_err("too many");
        assert!(sectors.contains("1 to 36"), "{sectors}");
    }

    #[test]
    fn every_name_is_known() {
        for (axis, count) in [(&PRESET, Preset::ALL.len()), (&ZS, ZsFormat::ALL.len())] {
            let Kind::Choice(names) = axis.kind else {
                panic!("{} is a choice", axis.name);
            };
            assert_eq!(names.len(), count);
            for name in names {
                assert!(axis.help.contains(name), "{name}");
                assert!(shape_of(&[(axis.name, name)]).is_ok(), "{name}");
            }
        }
    }
}
