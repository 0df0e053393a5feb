//! Parameters of STS raw data that are made of simulated digis.
//!
//! Tasks that need them include these axes.

use generators_common::{DataError, named};
use generators_sts::physics::Preset;
use generators_sts::raw::{EpochOrder, RawShape};

use crate::sts_scenario;
use tasks::axis::{Flag, Params, axes};

/// Microslices with an end-of-microslice message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndWords {
    Each,
    None,
}

named! { "end-words", EndWords { Each = "each", None = "none" } }

/// Correction of times by charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    Asic,
    None,
}

named! { "walk", Walk { Asic = "asic", None = "none" } }

axes! {
    /// All axes.
    pub(crate) AXES {
        MICROSLICE: u64 = Flag::duration("microslice") =>
            "The length of a microslice, such as 100us [default: 1.28 ms for mcbm-2024, 102.4 us \
             for cbm-auau]";
        OVERLAP: u32 = Flag::integer("overlap").or("1") =>
            "Microslices of the next timeslice at the end of each timeslice";
        EPOCH_ORDER: EpochOrder = Flag::choice("epoch-order", EpochOrder::NAMES).or("random") =>
            "The order of hits in an epoch: time, elink or random";
        END_WORDS: EndWords = Flag::choice("end-words", EndWords::NAMES).or("each") =>
            "Which microslices end with a message that says so: each or none";
        /// Share of masked channels, whose hits are dropped.
        MASKED: f64 = Flag::share("masked").or("0.01") =>
            "The share of masked channels";
        WALK: Walk = Flag::choice("walk", Walk::NAMES).or("asic") =>
            "Correction of times by charge: a table for each asic, or none";
        DAMAGE: f64 = Flag::share("damage").or("0") =>
            "The share of damaged messages; of descriptors it is five times as much";
    }
}

/// The shape that complete parameters describe.
pub(crate) fn shape(params: &Params) -> Result<RawShape, DataError> {
    // Digis of a side are ordered by time; messages have another order.
    let mut of_scenario = params.clone();
    of_scenario.complete(&[sts_scenario::ORDER.axis()]);
    let shape = RawShape {
        scenario: sts_scenario::scenario(&of_scenario)?,
        microslice_ns: match MICROSLICE.given(params)? {
            Some(given) => given,
            None => usual_microslice_ns(sts_scenario::PRESET.value(params)?),
        },
        overlap: OVERLAP.value(params)?,
        order: EPOCH_ORDER.value(params)?,
        with_end: END_WORDS.value(params)? == EndWords::Each,
        masked: MASKED.value(params)?,
        with_walk: WALK.value(params)? == Walk::Asic,
        damage: DAMAGE.value(params)?,
    };
    shape.validate()?;
    Ok(shape)
}

fn usual_microslice_ns(preset: Preset) -> u64 {
    match preset {
        Preset::Mcbm2024 => 1_280_000,
        Preset::CbmAuAu => 102_400,
    }
}
