//! CPU variants: gains are in the first-level cache.

use super::{Calibrate, calibrated};
use crate::algorithm::Variant;
use crate::parallel::{Grain, for_each_part};

/// Minimum number of digis that a thread takes at a time.
const PART: usize = 1 << 14;

pub(super) const VARIANTS: &[Variant<Calibrate>] =
    &[Variant::cpu("table", "a table of all gains, which the first-level cache holds", |at| {
        let input = at.input;
        let bytes = size_of_val(input.digis.as_slice());
        at.fill_output(input.digis.len(), bytes, move |charges: &mut [u32]| {
            for_each_part(charges, Grain::AtLeast(PART), |start, charges| {
                let digis = &input.digis[start..];
                for (charge, &digi) in charges.iter_mut().zip(digis) {
                    *charge = calibrated(digi, input.lookups);
                }
            });
        })
    })];
