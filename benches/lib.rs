//! What the benches share.
//!
//! They are for those who work on a variant or on the harness: quick, and
//! comparable from one commit to the next with criterion's own baselines.
//! Results to be published come from `bench`.

use generators::sts::{DigiShape, Order, Skew};

/// A uniform shape with the full range of times.
pub fn shape(segments: usize, digis: u64, order: Order) -> DigiShape {
    DigiShape {
        segments,
        digis,
        order,
        skew: Skew::Ratio(1.0),
        duplicates: 0.0,
        timeslice_ns: 1 << 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_make_sense() {
        assert!(shape(24, 1000, Order::Time).validate().is_ok());
    }
}
