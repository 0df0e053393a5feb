//! Spare units, so that enough of them work.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Number of spare units with which at least `needed` units work for a share `enough` of the time, if each works for
/// a share `working` of it, independently of the others; `None` if a share is not between 0 and 1, or no number up to
/// twice the needed ones and 1000 suffices.
pub fn spare_units(needed: u64, working: f64, enough: f64) -> Option<u64> {
    let is_share = |share: f64| share > 0.0 && share < 1.0;
    if !is_share(working) || !is_share(enough) {
        return None;
    }
    let suffice = |spares: u64| {
        let failed = Binomial::new(1.0 - working, needed + spares);
        failed.is_ok_and(|failed| failed.cdf(spares) >= enough)
    };
    // The probability grows with the number of spares.
    let mut lower = 0;
    let mut upper = 0;
    while !suffice(upper) {
        if upper > 2 * needed + 1000 {
            return None;
        }
        lower = upper + 1;
        upper = 2 * upper + 1;
    }
    while lower < upper {
        let middle = lower.midpoint(upper);
        if suffice(middle) { upper = middle } else { lower = middle + 1 }
    }
    Some(upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spares_of_single_nodes_are_powers() {
        // 1 - 0.1^n of the time one of n works.
        assert_eq!(spare_units(1, 0.9, 0.89), Some(0));
        assert_eq!(spare_units(1, 0.9, 0.98), Some(1));
        assert_eq!(spare_units(1, 0.9, 0.998), Some(2));
        // 0.9 ** 2 of the time both of two, and 0.972 of it two of three.
        assert_eq!(spare_units(2, 0.9, 0.8), Some(0));
        assert_eq!(spare_units(2, 0.9, 0.97), Some(1));
        assert_eq!(spare_units(2, 0.9, 0.973), Some(2));
    }

    #[test]
    fn large_farms_follow_the_normal_distribution() {
        // Of 10 000 nodes and spares, 1 % are off: 101, and 2.33 standard deviations of 10.
        let spares = spare_units(10_000, 0.99, 0.99).expect("a number");
        assert!((124..=127).contains(&spares), "{spares}");
    }

    #[test]
    fn shares_that_make_no_sense_have_no_spares() {
        for (working, enough) in [(0.0, 0.9), (1.0, 0.9), (0.9, 1.0), (0.9, 0.0), (f64::NAN, 0.5)] {
            assert_eq!(spare_units(10, working, enough), None);
        }
        assert_eq!(spare_units(10, 1e-6, 0.99), None);
    }
}
