//! Charge, position and errors of a cluster, from the charges of the steps of the converter.

use generators_sts::MAX_ADC;
use generators_sts::setup::{Asic, LandauTable, Setup};

use super::Real;

/// The root of 2 in the window between digis: the difference of two times.
#[allow(clippy::approx_constant, reason = "published with so few digits")]
const ROOT_OF_TWO: f64 = 1.4142;
/// Ratio of the time error of a pair to that of a digi.
#[allow(clippy::approx_constant, reason = "published with so few digits")]
const HALF_ROOT_OF_TWO: f64 = 0.707_106_78;

/// Charge, position and errors, from the charges and channels of a cluster's digis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape<R> {
    /// Charge in electrons.
    pub charge: R,
    /// Centre in channels of the side.
    pub position: R,
    /// Its standard deviation, in channels.
    pub position_error: R,
}

/// Inputs of the shape of three digis or more: charges and variances of the first digi, of the last
/// one, and their sums over those between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums<R> {
    /// The channel of the first one.
    pub start: R,
    /// Number of digis between the first and the last one.
    pub between: R,
    /// Charge and variance of the first one.
    pub left: [R; 2],
    /// Sums over all digis between.
    pub middle: [R; 2],
    /// Charge and variance of the last digi.
    pub right: [R; 2],
}

impl<R: Real> Sums<R> {
    /// The shape; `centre_of_gravity` by the charge is used for charges so uneven that the other
    /// formula would leave the cluster.
    #[inline(always)]
    pub fn shape(&self, centre_of_gravity: impl FnOnce(R) -> R) -> Shape<R> {
        let [q1, left] = self.left;
        let [q2, right] = self.right;
        let mean = self.middle[0] / self.between;
        let variance = self.middle[1] / self.between;
        let start = self.start;
        let end = self.start + (self.between + R::from_f64(1.0));
        let difference = q2 - q1;
        let charge = q1 + self.middle[0] + q2;
        let mut position = R::from_f64(0.5) * (start + end + difference / mean);
        if position < start || position > end {
            position = centre_of_gravity(charge);
        }
        let outer = |variance: R| variance / mean / mean / R::from_f64(4.0);
        let inner =
            variance * difference * difference / mean / mean / mean / mean / R::from_f64(4.0);
        let position_error = (outer(left) + inner + outer(right)).sqrt();
        Shape { charge, position, position_error }
    }
}

/// The formulas for clusters of one detector.
#[derive(Clone, Debug)]
pub struct Shapes<R, C = Charges<R>> {
    charges: C,
    time_resolution: R,
}

/// Largest time difference of neighbouring digis of a cluster, in ns.
pub fn digi_window<R: Real>(setup: &Setup) -> R {
    let cuts = setup.cuts();
    if cuts.time_cut_digi_abs > 0.0 {
        return R::from_f64(cuts.time_cut_digi_abs);
    }
    let resolution = R::from_f64(setup.asic().time_resolution);
    R::from_f64(cuts.time_cut_digi_sig) * R::from_f64(ROOT_OF_TWO) * resolution
}

impl<R: Real> Shapes<R> {
    /// The formulas for a detector.
    pub fn new(setup: &Setup, below: BelowFirstStep) -> Self {
        let charges = Charges::new(setup.asic(), setup.landau(), below);
        Self::with_charges(setup, charges)
    }
}

impl<R: Real, C: ChargeModel<R>> Shapes<R, C> {
    /// Formulas with the given model of charges.
    pub fn with_charges(setup: &Setup, charges: C) -> Self {
        Shapes { charges, time_resolution: R::from_f64(setup.asic().time_resolution) }
    }

    /// The shape of a cluster of digis in neighbouring channels, the first of them in
    /// channel `first`, by their charges in ADC units.
    #[inline]
    pub fn shape(&self, first: u16, adcs: &[u8]) -> Shape<R> {
        match *adcs {
            [] => Shape::default(),
            [adc] => self.single(first, adc),
            [left, right] => self.pair(first, left, right),
            [left, ref middle @ .., right] => self.several(first, left, middle, right),
        }
    }

    /// Standard deviation of the time of a cluster of `size` digis, in ns.
    #[inline]
    pub fn time_error(&self, size: usize) -> R {
        match size {
            0 | 1 => self.time_resolution,
            2 => self.time_resolution * R::from_f64(HALF_ROOT_OF_TWO),
            _ => {
                let sum = (0..size).fold(R::from_f64(0.0), |sum, _| sum + self.time_resolution);
                let count = R::from_f64(size as f64);
                sum / count / count.sqrt()
            }
        }
    }

    #[inline]
    fn single(&self, channel: u16, adc: u8) -> Shape<R> {
        Shape {
            charge: self.charges.charge(adc),
            position: R::from_f64(f64::from(channel)),
            position_error: R::from_f64(1.0) / R::from_f64(24.0).sqrt(),
        }
    }

    #[inline]
    fn pair(&self, channel: u16, left: u8, right: u8) -> Shape<R> {
        let shape = self.behind_middle(left, right);
        Shape {
            position: R::from_f64(f64::from(channel)) + R::from_f64(0.5) + shape.position,
            ..shape
        }
    }

    /// The shape of a cluster of two digis, its position counted from the middle between
    /// them.
    pub fn behind_middle(&self, left: u8, right: u8) -> Shape<R> {
        let q1 = self.charges.charge(left);
        let q2 = self.charges.charge(right);
        let e1 = self.charges.variance(left);
        let e2 = self.charges.variance(right);
        let max = q1.larger(q2);
        let difference = q2 - q1;
        let sharing = difference * difference / max / max / R::from_f64(72.0);
        let smaller = |variance: R| variance / max / max / R::from_f64(9.0);
        let larger =
            |variance: R, min: R| variance * min * min / max / max / max / max / R::from_f64(9.0);
        let (first, second) =
            if q1 < q2 { (smaller(e1), larger(e2, q1)) } else { (larger(e1, q2), smaller(e2)) };
        Shape {
            charge: q1 + q2,
            position: difference / R::from_f64(3.0) / max,
            position_error: (sharing + first + second).sqrt(),
        }
    }

    fn several(&self, first: u16, left: u8, middle: &[u8], right: u8) -> Shape<R> {
        let of = |adc: u8| self.of_digi(adc);
        let sums = Sums {
            start: R::from_f64(f64::from(first)),
            between: R::from_f64(middle.len() as f64),
            left: of(left),
            middle: middle.iter().fold([R::from_f64(0.0); 2], |sums, &adc| plus(sums, of(adc))),
            right: of(right),
        };
        sums.shape(|charge| self.centre_of_gravity(first, left, middle, right, charge))
    }

    /// Charge and variance of a digi.
    #[inline]
    pub fn of_digi(&self, adc: u8) -> [R; 2] {
        [self.charges.charge(adc), self.charges.variance(adc)]
    }

    fn centre_of_gravity(&self, first: u16, left: u8, middle: &[u8], right: u8, charge: R) -> R {
        let adcs = std::iter::once(&left).chain(middle).chain(std::iter::once(&right));
        let mut channel = f64::from(first);
        let sum = adcs.fold(R::from_f64(0.0), |sum, &adc| {
            let term = self.charges.charge(adc) * R::from_f64(channel);
            channel += 1.0;
            sum + term
        });
        sum / charge
    }
}

/// Charges and variances of some digis, and of others.
#[inline]
pub fn plus<R: Real>(some: [R; 2], others: [R; 2]) -> [R; 2] {
    [some[0] + others[0], some[1] + others[1]]
}

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

    fn shapes() -> Shapes<f64> {
        let setup = Setup::regular(1).expect("sensible");
        Shapes::new(&setup, BelowFirstStep::Flat)
    }

    #[test]
    fn even_charges_put_the_cluster_into_its_middle() {
        let shapes = shapes();
        for size in 1..9 {
            let shape = shapes.shape(100, &vec![7; size]);
            assert_eq!(shape.position, 100.0 + (size - 1) as f64 / 2.0, "{size} digis");
            assert!(shape.position_error > 0.0);
        }
    }

    #[test]
    fn more_charge_on_one_side_moves_the_cluster_there() {
        let shapes = shapes();
        assert!(shapes.shape(10, &[3, 9]).position > 10.5);
        assert!(shapes.shape(10, &[9, 3]).position < 10.5);
        assert!(shapes.shape(10, &[3, 9, 9]).position > 11.0);
        // So uneven that the centre of gravity is used.
        let uneven = shapes.shape(10, &[0, 0, 31]).position;
        assert!((11.0..=12.0).contains(&uneven), "{uneven}");
    }

    #[test]
    fn time_errors_decrease_with_digis() {
        let errors: Vec<_> = (1..6).map(|size| shapes().time_error(size)).collect();
        assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
    }

    #[test]
    fn the_window_is_three_deviations_or_the_cut() {
        let setup = Setup::regular(1).expect("sensible");
        assert!((digi_window::<f64>(&setup) - 21.213).abs() < 1e-9);
    }

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
