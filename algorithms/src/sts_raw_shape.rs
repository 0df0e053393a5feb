//! Parameters of STS raw data that are made of simulated digis.
//!
//! Tasks that need them include these axes.

use generators::sts::physics::Preset;
use generators::sts::raw::{EpochOrder, RawShape};
use generators::{DataError, named};

use crate::axis::{Axis, Flag, Params};
use crate::sts_scenario;

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

/// Length of a microslice, in ns.
pub(crate) const MICROSLICE: Flag<u64> = Flag::duration(
    "microslice",
    "The length of a microslice, such as 100us [default: 1.28 ms for mcbm-2024, 102.4 us for \
           cbm-auau]",
);
/// Microslices of the next timeslice.
pub(crate) const OVERLAP: Flag<u32> =
    Flag::integer("overlap", "Microslices of the next timeslice at the end of each timeslice")
        .or("1");
/// Order within an epoch.
pub(crate) const EPOCH_ORDER: Flag<EpochOrder> = Flag::choice(
    "epoch-order",
    "The order of hits in an epoch: time, elink or random",
    EpochOrder::NAMES,
)
.or("random");
/// Microslices with an end message.
pub(crate) const END_WORDS: Flag<EndWords> = Flag::choice(
    "end-words",
    "Which microslices end with a message that says so: each or none",
    EndWords::NAMES,
)
.or("each");
/// Share of masked channels, whose hits are dropped.
pub(crate) const MASKED: Flag<f64> =
    Flag::share("masked", "The share of masked channels").or("0.01");
/// Corrections of times.
pub(crate) const WALK: Flag<Walk> = Flag::choice(
    "walk",
    "Correction of times by charge: a table for each asic, or none",
    Walk::NAMES,
)
.or("asic");
/// Amount of damage.
pub(crate) const DAMAGE: Flag<f64> =
    Flag::share("damage", "The share of damaged messages; of descriptors it is five times as much")
        .or("0");
/// All axes.
pub(crate) static AXES: &[Axis] = &[
    MICROSLICE.axis(),
    OVERLAP.axis(),
    EPOCH_ORDER.axis(),
    END_WORDS.axis(),
    MASKED.axis(),
    WALK.axis(),
    DAMAGE.axis(),
];

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
