//! Distribution of the charge of a crossing over pads and time bins.

use bytemuck::{Pod, Zeroable};

use super::physics::{CHARGE, CHARGE_WIDTH, KNOCK_ON_CHARGE, KNOCK_ON_SHARE};

/// Bins that a response covers: three below the one it is centred in, four above.
pub(super) const BINS: usize = 8;
/// Bins below the centre.
pub(super) const BELOW: usize = 3;
/// Number of distinct centres within a bin.
const CENTRES: usize = 16;
/// Number of distinct widths, in steps of their squares.
const WIDTHS: usize = 32;
const VARIANCE_STEP: f64 = 0.06;
/// Bits of the random number that a charge is looked up by.
const CHARGE_BITS: u32 = 12;

/// The shares of a Gaussian in each of its bins, in 65536ths.
pub(super) type Shares = [u16; BINS];

/// Index of a Gaussian: one of the distinct widths and centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Shape(u16);

/// The part of a pad's charge in a time bin.
#[inline]
pub(super) fn part(charge: u16, share: u16) -> u16 {
    ((u32::from(charge) * u32::from(share)) >> u16::BITS) as u16
}

/// Tables of shares and of charges.
pub(super) struct Response {
    /// By width, then by centre.
    shares: Vec<Shares>,
    /// Charges of minimum ionising particles, by their quantile.
    charges: Vec<f32>,
}

impl Response {
    pub(super) fn new() -> Self {
        let shares = |shape: usize| {
            let width = shape / CENTRES;
            let centre = shape % CENTRES;
            let deviation = libm::sqrt((width as f64 + 0.5) * VARIANCE_STEP);
            shares((centre as f64 + 0.5) / CENTRES as f64, deviation)
        };
        Response {
            shares: (0..WIDTHS * CENTRES).map(shares).collect(),
            charges: (0..1 << CHARGE_BITS).map(charge).collect(),
        }
    }

    /// A Gaussian whose centre is at this fraction (0 to 1) of the distance from the middle of its
    /// bin to that of the next.
    #[inline]
    pub(super) fn shape(fraction: f64, variance: f64) -> Shape {
        let width = ((variance * (1.0 / VARIANCE_STEP)) as usize).min(WIDTHS - 1);
        let centre = ((fraction * CENTRES as f64) as usize).min(CENTRES - 1);
        Shape((width * CENTRES + centre) as u16)
    }

    /// The shares of a Gaussian.
    #[inline]
    pub(super) fn shares(&self, shape: Shape) -> &Shares {
        &self.shares[usize::from(shape.0)]
    }

    /// The charge that belongs to some random bits.
    #[inline]
    pub(super) fn charge(&self, bits: u64) -> f32 {
        self.charges[(bits >> (u64::BITS - CHARGE_BITS)) as usize]
    }
}

fn shares(centre: f64, deviation: f64) -> Shares {
    let below =
        |edge: f64| 0.5 * libm::erfc((centre - edge) / deviation / std::f64::consts::SQRT_2);
    std::array::from_fn(|bin| {
        let middle = bin as f64 - BELOW as f64;
        let share = below(middle + 0.5) - below(middle - 0.5);
        libm::round(share * 65535.0) as u16
    })
}

/// The charge at a quantile: energy loss after Moyal (1955), with now and then a
/// knock-on electron in it.
fn charge(quantile: usize) -> f32 {
    let probability = (quantile as f64 + 0.5) / f64::from(1 << CHARGE_BITS);
    let mut low = 0.0;
    let mut high = 1e4;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_below(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    (CHARGE * low) as f32
}

/// Probability of a charge below `charge`, relative to the most probable one.
fn is_below(charge: f64) -> f64 {
    let scaled = (charge - 1.0) / CHARGE_WIDTH;
    let core = libm::erfc(libm::exp(-0.5 * scaled) * std::f64::consts::FRAC_1_SQRT_2);
    let knock_on = (1.0 - KNOCK_ON_CHARGE / charge).max(0.0);
    (1.0 - KNOCK_ON_SHARE) * core + KNOCK_ON_SHARE * knock_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_one() {
        let response = Response::new();
        for variance in [0.1, 0.5, 1.0] {
            for fraction in [0.0, 0.3, 0.99] {
                let shares = response.shares(Response::shape(fraction, variance));
                let sum: u32 = shares.iter().map(|share| u32::from(*share)).sum();
                assert!((65_000..65_540).contains(&sum), "{shares:?}");
            }
        }
    }

    #[test]
    fn shares_follow_the_centre() {
        let response = Response::new();
        let near = response.shares(Response::shape(0.02, 0.3));
        assert_eq!(near.iter().max(), Some(&near[BELOW]));
        let far = response.shares(Response::shape(0.98, 0.3));
        assert_eq!(far.iter().max(), Some(&far[BELOW + 1]));
    }

    #[test]
    fn charges_have_a_peak_and_a_long_tail() {
        let charges = Response::new().charges;
        assert!(charges.is_sorted());
        let at = |quantile: f64| f64::from(charges[(quantile * 4096.0) as usize]) / CHARGE;
        assert!((0.9..1.2).contains(&at(0.3)), "{}", at(0.3));
        assert!((1.0..1.5).contains(&at(0.5)), "{}", at(0.5));
        assert!(at(0.99) > 5.0 && at(0.999) > 30.0, "{} {}", at(0.99), at(0.999));
    }
}
