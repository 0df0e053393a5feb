//! Charges in electrons of the steps of the converter.

use generators::sts::MAX_ADC;
use generators::sts::setup::{Asic, LandauTable};

use super::Real;

const STEPS: usize = MAX_ADC as usize + 1;

/// Charge and variance of a digi, by its charge in ADC units: the converter has so
/// few steps that both are looked up.
#[derive(Clone, Debug)]
pub struct Charges<R> {
    charges: [R; STEPS],
    variances: [R; STEPS],
}

/// Charge and variance of a digi.
pub trait ChargeModel<R> {
    /// The charge in electrons.
    fn charge(&self, adc: u8) -> R;
    /// The variance of the charge: by the energy loss, the noise and the converter.
    fn variance(&self, adc: u8) -> R;
}

/// Width of the distribution of charges below the second entry of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BelowFirstStep {
    /// The width of the first entry: the online reconstruction.
    Flat,
    /// Interpolated as elsewhere: the offline reconstruction.
    Interpolated,
}

impl<R: Real> Charges<R> {
    /// The tables for a detector.
    pub fn new(asic: &Asic, landau: &LandauTable, below: BelowFirstStep) -> Self {
        let charge = |adc: usize| charge(asic, adc as u8);
        let variance = |adc: usize| variance(asic, width(landau, below, charge(adc)));
        Charges { charges: std::array::from_fn(charge), variances: std::array::from_fn(variance) }
    }
}

impl<R: Real> ChargeModel<R> for Charges<R> {
    #[inline]
    fn charge(&self, adc: u8) -> R {
        self.charges[usize::from(adc & MAX_ADC)]
    }

    #[inline]
    fn variance(&self, adc: u8) -> R {
        self.variances[usize::from(adc & MAX_ADC)]
    }
}

/// The charge that a step of the converter means, in electrons.
pub fn charge<R: Real>(asic: &Asic, adc: u8) -> R {
    R::from_f64(asic.threshold) + step::<R>(asic) * (R::from_f64(f64::from(adc)) + R::from_f64(0.5))
}

/// Variance of a charge whose distribution has this width.
pub fn variance<R: Real>(asic: &Asic, width: R) -> R {
    let step = step::<R>(asic);
    let noise = R::from_f64(asic.noise);
    width * width + noise * noise + step * step / R::from_f64(12.0)
}

fn step<R: Real>(asic: &Asic) -> R {
    R::from_f64(asic.dynamic_range) / R::from_f64(f64::from(asic.n_adc))
}

/// The width of the distribution of charges at a charge, from the table.
fn width<R: Real>(landau: &LandauTable, below: BelowFirstStep, charge: R) -> R {
    let step = R::from_f64(landau.step_size);
    let value = |index: usize| R::from_f64(landau.values[index]);
    let last = landau.values.len() - 1;
    if below == BelowFirstStep::Flat && charge <= step {
        return value(0);
    }
    if charge > step * R::from_f64(last as f64) {
        return value(last);
    }
    let upper = (-(-charge / step).floored()).max(1) as usize;
    let left = step * R::from_f64((upper - 1) as f64);
    let right = step * R::from_f64(upper as f64);
    value(upper - 1) + (charge - left) * (value(upper) - value(upper - 1)) / (right - left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> LandauTable {
        LandauTable { step_size: 10.0, values: vec![1.0, 2.0, 4.0] }
    }

    fn width_at(charge: f64, below: BelowFirstStep) -> f64 {
        width(&table(), below, charge)
    }

    #[test]
    fn widths_are_interpolated_between_entries() {
        for below in [BelowFirstStep::Flat, BelowFirstStep::Interpolated] {
            assert_eq!(width_at(15.0, below), 3.0);
            assert_eq!(width_at(20.0, below), 4.0);
            assert_eq!(width_at(1000.0, below), 4.0);
        }
    }

    #[test]
    fn widths_below_the_first_step_differ_by_reconstruction() {
        assert_eq!(width_at(5.0, BelowFirstStep::Flat), 1.0);
        assert_eq!(width_at(10.0, BelowFirstStep::Flat), 1.0);
        assert_eq!(width_at(5.0, BelowFirstStep::Interpolated), 1.5);
        assert_eq!(width_at(0.0, BelowFirstStep::Interpolated), 1.0);
    }
}
