//! Numbers of digis from physical rates, and their distribution over segments.

use generators_common::DataError;

use super::{CHANNELS_PER_SIDE, ModuleSide, Skew};

/// Digis that an interaction leaves in one module side, on average.
///
/// 1000 central Au+Au events leave 17.2 million digis in 1792 module sides
/// (published, see `docs/data.md`), 9.6 a side; that a minimum-bias
/// interaction leaves a quarter of a central one is our assumption.
const DIGIS_PER_INTERACTION_AND_SIDE: f64 = 17.2e6 / 1000.0 / 1792.0 / 4.0;

/// Rates of digis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Interactions per second.
    pub interactions_hz: f64,
    /// Noise digis per second in each channel.
    pub noise_hz: f64,
}

impl Rates {
    /// The digis to expect in `segments` module sides within a timeslice,
    /// rounded to the nearest whole number.
    ///
    /// # Errors
    /// If a rate is negative, infinite or not a number.
    pub fn digis(&self, segments: usize, timeslice_ns: u64) -> Result<u64, DataError> {
        check("rate", self.interactions_hz)?;
        check("noise", self.noise_hz)?;
        let signal = self.interactions_hz * DIGIS_PER_INTERACTION_AND_SIDE;
        let noise = self.noise_hz * f64::from(CHANNELS_PER_SIDE);
        let seconds = timeslice_ns as f64 * 1e-9;
        Ok(libm::round((signal + noise) * seconds * segments as f64) as u64)
    }
}

fn check(name: &str, hertz: f64) -> Result<(), DataError> {
    if hertz.is_finite() && hertz >= 0.0 {
        return Ok(());
    }
    let problem = format!("a {name} of {hertz} Hz is invalid; it must be 0 or more");
    Err(DataError::shape(problem))
}

/// Fractional part of the golden ratio: its multiples fill 0..1 evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Spreads `digis` over `segments`; the sum is exact.
pub(super) fn counts(digis: u64, segments: usize, skew: Skew) -> Vec<usize> {
    let weights: Vec<f64> = (0..segments).map(|segment| weight(segment, segments, skew)).collect();
    let total: f64 = weights.iter().sum();
    // Rounding the running sum rather than each share keeps the total exact.
    let mut running = 0.0;
    let mut assigned = 0;
    let mut share = |weight: &f64| {
        running += weight;
        let end = libm::round(running / total * digis as f64) as u64;
        let count = end.clamp(assigned, digis) - assigned;
        assigned += count;
        count as usize
    };
    let mut counts: Vec<usize> = weights.iter().map(&mut share).collect();
    counts[segments - 1] += (digis - assigned) as usize;
    counts
}

fn weight(segment: usize, segments: usize, skew: Skew) -> f64 {
    match skew {
        Skew::Ratio(ratio) => libm::exp(-libm::log(ratio) * distance(segment, segments)),
        Skew::Hot(_) if segments == 1 => 1.0,
        Skew::Hot(share) if segment == segments / 2 => share,
        Skew::Hot(share) => (1.0 - share) / (segments - 1) as f64,
    }
}

/// The distance of a module from the beam, 0 to 1; both of its sides have it.
/// Neighbouring modules are at unlike distances, so that no run of segments is
/// fuller than another.
fn distance(segment: usize, segments: usize) -> f64 {
    let ModuleSide { module, .. } = ModuleSide::of_segment(segment, segments);
    match module {
        0 => 0.0,
        1 => 1.0,
        _ => {
            let multiple = module as f64 * GOLDEN;
            multiple - libm::floor(multiple)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digis(interactions_hz: f64, noise_hz: f64) -> Result<u64, DataError> {
        let rates = Rates { interactions_hz, noise_hz };
        rates.digis(1792, 1_000_000)
    }

    #[test]
    fn signal_and_noise_add_up() {
        assert_eq!(digis(10e6, 0.0).expect("valid"), 43_000_000);
        assert_eq!(digis(0.0, 1e3).expect("valid"), 1_835_008);
        assert_eq!(digis(10e6, 1e3).expect("valid"), 44_835_008);
    }

    #[test]
    fn invalid_rates_are_refused() {
        for rate in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(digis(rate, 0.0).is_err());
            assert!(digis(0.0, rate).is_err());
        }
    }

    #[test]
    fn the_sum_is_exact() {
        for segments in [1, 2, 3, 24, 1792] {
            for digis in [1, 7, 1000, 1_000_003] {
                for skew in [Skew::Ratio(1.0), Skew::Ratio(100.0), Skew::Hot(0.5)] {
                    let counts = counts(digis, segments, skew);
                    assert_eq!(counts.len(), segments);
                    assert_eq!(counts.iter().sum::<usize>() as u64, digis);
                }
            }
        }
    }

    #[test]
    fn without_skew_segments_differ_by_one_at_most() {
        let counts = counts(1_000_003, 24, Skew::Ratio(1.0));
        let min = counts.iter().min();
        let max = counts.iter().max();
        assert!(max.expect("24") - min.expect("24") <= 1);
    }

    #[test]
    fn the_ratio_is_that_of_fullest_to_emptiest() {
        let counts = counts(10_000_000, 1792, Skew::Ratio(10.0));
        let min = counts.iter().min();
        let max = counts.iter().max();
        let ratio = *max.expect("1792") as f64 / *min.expect("1792") as f64;
        assert!((ratio - 10.0).abs() < 0.1, "{ratio}");
    }

    #[test]
    fn the_hot_segment_has_its_share() {
        let counts = counts(1_000_000, 24, Skew::Hot(0.5));
        assert_eq!(counts[12], 500_000);
        assert!(counts[11].abs_diff(500_000 / 23) <= 1);
        let all = super::counts(1000, 24, Skew::Hot(1.0));
        assert_eq!(all[12], 1000);
    }
}
