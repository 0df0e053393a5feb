//! Tests that look at ranks and signs only, so that a few wild samples can't decide, and control of
//! the false discovery rate of many tests.
//!
//! A test with an error probability of one per cent errs two or three times in 256 points, each
//! time. This controls the share of alarms that are false: the procedure of Benjamini and Hochberg
//! (J. R. Stat. Soc. B 57 (1995) 289). Where nothing has changed at all, any alarm is a false one,
//! so the same rate bounds the share of runs that have one. It holds for independent tests, and for
//! positively dependent ones (Benjamini and Yekutieli 2001), such as points that a run measured
//! within the same minute.

use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::function::erf::erfc;

/// Maximum number of pairs of samples for which the exact distribution is computed.
const EXACT_PAIRS: usize = 400;

/// The two-sided p-value of "both series come from one distribution"; `None` if a series is empty
/// or contains a value that is not a number.
///
/// Mann and Whitney 1947. Small series without ties have the exact distribution, others the normal
/// approximation with its corrections for ties and continuity.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() || a.iter().chain(b).any(|x| x.is_nan()) {
        return None;
    }
    let (u, ties) = u_and_ties(a, b);
    Some(if ties == 0.0 && a.len() * b.len() <= EXACT_PAIRS {
        exact(a.len(), b.len(), u)
    } else {
        approximate(a.len() as f64, b.len() as f64, u, ties)
    })
}

/// The two-sided p-value of "up and down are equally likely"; `None` if there is no difference, or
/// one is not a number.
///
/// It uses only the sign of each difference. A test that ranks them by size, as Wilcoxon's does,
/// gives most weight to those that other users of the machine made largest: with rounds from a
/// loaded host it misses clear changes that this one finds. Zero differences are left out (Dixon
/// and Mood 1946).
pub fn sign_test(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() || differences.iter().any(|x| x.is_nan()) {
        return None;
    }
    let count = |is_so: fn(&f64) -> bool| differences.iter().filter(|x| is_so(x)).count() as u64;
    let up = count(|x| *x > 0.0);
    let down = count(|x| *x < 0.0);
    let heads = Binomial::new(0.5, up + down).ok()?;
    Some((2.0 * heads.cdf(up.min(down))).min(1.0))
}

/// Input of the test of Mann and Whitney from the common order of both series: the number of pairs
/// in which the sample of `b` is the larger one, ties counting half, and the ties of [`ranks`].
fn u_and_ties(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (ranks, ties) = ranks(&[a, b].concat());
    let of_b = ranks[a.len()..].iter().sum::<f64>();
    (of_b - (b.len() * (b.len() + 1)) as f64 / 2.0, ties)
}

/// The ranks of values from 1 on, of which equal values share the mean, and the sum of t³ − t
/// over groups of t equal values.
pub(super) fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut ties = 0.0;
    let mut before = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let size = equal.len() as f64;
        let shared = before as f64 + (size + 1.0) / 2.0;
        equal.iter().for_each(|&index| ranks[index] = shared);
        ties += size.powi(3) - size;
        before += equal.len();
    }
    (ranks, ties)
}

/// Counts the orders of n and m distinct samples that are at least as extreme.
fn exact(n: usize, m: usize, u: f64) -> f64 {
    let counts = orders_by_u(n, m);
    let total: f64 = counts.iter().sum();
    let extreme = u.min((n * m) as f64 - u).round() as usize;
    let tail: f64 = counts[..=extreme].iter().sum();
    (2.0 * tail / total).min(1.0)
}

/// Number of orders of n and m samples with each value of U: the coefficients of the Gaussian
/// binomial, the product over i ≤ m of (1 − q^(n+i)) / (1 − q^i).
fn orders_by_u(n: usize, m: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * m + 1];
    counts[0] = 1.0;
    for i in 1..=m {
        for u in (n + i..counts.len()).rev() {
            counts[u] -= counts[u - n - i];
        }
        for u in i..counts.len() {
            counts[u] += counts[u - i];
        }
    }
    counts
}

fn approximate(n: f64, m: f64, u: f64, ties: f64) -> f64 {
    let all = n + m;
    let tie_term = ties / (all * (all - 1.0));
    let variance = n * m / 12.0 * (all + 1.0 - tie_term);
    if variance <= 0.0 {
        // All samples are equal.
        return 1.0;
    }
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    erfc(distance / (2.0 * variance).sqrt())
}

/// The p-value up to which null hypotheses are rejected, so that the expected share of true ones
/// among the rejected is at most `rate`; `None` if none is rejected. A value that is not a number
/// counts as no evidence.
pub fn critical_p_value(p_values: &[f64], rate: f64) -> Option<f64> {
    critical_among(p_values, p_values.len(), rate)
}

/// The p-value up to which null hypotheses are rejected, where `questions` tests were made, more
/// than have a p-value here: the others found nothing.
pub(super) fn critical_among(p_values: &[f64], questions: usize, rate: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = p_values.iter().copied().filter(|p| !p.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let share = rate / questions as f64;
    let ranked = sorted.into_iter().zip(1..);
    let rejected = ranked.filter(|(p, rank)| *p <= share * f64::from(*rank));
    rejected.last().map(|(p, _)| p)
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("a p-value");
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }

    #[test]
    fn small_series_have_the_exact_distribution() {
        // All of one below all of the other: 2 of C(10, 5) = 252 orders.
        let low = [1.0, 2.0, 3.0, 4.0, 5.0];
        let high = low.map(|x| x + 10.0);
        close(mann_whitney(&low, &high), 2.0 / 252.0);
        close(mann_whitney(&high, &low), 2.0 / 252.0);
        // The example of Mann and Whitney's table: n = 3, m = 3, U = 1.
        close(mann_whitney(&[1.0, 2.0, 4.0], &[3.0, 5.0, 6.0]), 0.2);
        assert_eq!(orders_by_u(20, 20).iter().sum::<f64>(), 137_846_528_820.0);
    }

    #[test]
    fn large_series_agree_with_the_exact_distribution() {
        // 21 × 21 pairs are beyond the limit; their exact p-value is counted here.
        let a: Vec<_> = (0..21).map(|i| f64::from(i) * 2.0).collect();
        let b: Vec<_> = a.iter().map(|a| a + 9.0).collect();
        let (u, _) = u_and_ties(&a, &b);
        let found = mann_whitney(&a, &b).expect("a p-value");
        assert!((found - exact(21, 21, u)).abs() < 0.01, "{found}");
    }

    #[test]
    fn ties_count_half() {
        assert_eq!(mann_whitney(&[1.0; 8], &[1.0; 8]), Some(1.0));
        // By hand: U = 20, mean 12.5, variance 25/12 · (11 − 90/90), z = 7/√20.83.
        close(mann_whitney(&[1.0, 1.0, 2.0, 2.0, 3.0], &[2.0, 2.0, 3.0, 3.0, 4.0]), 0.1251);
    }

    #[test]
    fn signs_have_the_binomial_distribution() {
        close(sign_test(&[1.0; 8]), 2.0 / 256.0);
        close(sign_test(&[-1.0; 8]), 2.0 / 256.0);
        // One of ten has the other sign, at any distance: 2 · (1 + 10) / 2¹⁰.
        let mut ten = [0.1; 10];
        ten[4] = -1e9;
        close(sign_test(&ten), 22.0 / 1024.0);
        let many = sign_test(&[1.0; 5000]).expect("a p-value");
        assert!((0.0..1e-300).contains(&many));
    }

    #[test]
    fn balanced_signs_are_not_significant() {
        for balanced in [&[1.0, -1.0, 2.0, -3.0][..], &[0.0, 0.0], &[0.0, 1.0, 0.0]] {
            close(sign_test(balanced), 1.0);
        }
    }

    #[test]
    fn empty_series_have_no_p_value() {
        for nothing in [&[][..], &[f64::NAN]] {
            assert_eq!(mann_whitney(nothing, &[1.0]), None);
            assert_eq!(sign_test(nothing), None);
        }
    }

    /// Section 3.2 there: fifteen comparisons of treatments after a heart attack.
    const PUBLISHED: [f64; 15] = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
        0.5719, 0.6528, 0.7590, 1.0000,
    ];

    #[test]
    fn the_example_of_the_paper_rejects_four() {
        assert_eq!(critical_p_value(&PUBLISHED, 0.05), Some(0.0095));
        // A stricter rate rejects fewer.
        assert_eq!(critical_p_value(&PUBLISHED, 0.003_1), Some(0.0004));
    }

    #[test]
    fn the_order_does_not_matter_and_more_is_never_less() {
        let mut turned = PUBLISHED;
        turned.reverse();
        assert_eq!(critical_p_value(&turned, 0.05), Some(0.0095));
        let rejected = |values: &[f64], rate: f64| {
            let critical = critical_p_value(values, rate).unwrap_or(-1.0);
            values.iter().filter(|p| **p <= critical).count()
        };
        let by_rate: Vec<_> =
            (1..100).map(|i| rejected(&PUBLISHED, f64::from(i) / 100.0)).collect();
        assert!(by_rate.windows(2).all(|pair| pair[0] <= pair[1]), "{by_rate:?}");
        // A smaller p-value anywhere can only help the others.
        for smaller in 0..PUBLISHED.len() {
            let mut values = PUBLISHED;
            values[smaller] /= 2.0;
            assert!(rejected(&values, 0.05) >= 4, "{smaller}");
        }
    }

    #[test]
    fn a_later_rank_carries_those_before_it() {
        // 0.03 by itself is beyond 0.05 / 2, but both together are within 0.05.
        assert_eq!(critical_p_value(&[0.03, 0.05], 0.05), Some(0.05));
        assert_eq!(critical_p_value(&[0.03, 0.06], 0.05), None);
    }

    #[test]
    fn without_changes_few_runs_have_any_alarm() {
        let alarm = |seed: &u64| {
            let mut noise = Noise::new(*seed);
            let values: Vec<f64> = (0..256).map(|_| noise.uniform()).collect();
            critical_p_value(&values, 0.05).is_some()
        };
        let share = (0..4000).filter(alarm).count() as f64 / 4000.0;
        assert!((0.035..0.065).contains(&share), "{share}");
    }

    #[test]
    fn no_values_and_nan_reject_nothing() {
        assert_eq!(critical_p_value(&[], 0.05), None);
        assert_eq!(critical_p_value(&[f64::NAN, 0.9], 0.05), None);
        assert_eq!(critical_p_value(&[f64::NAN, 0.02], 0.05), Some(0.02));
        assert_eq!(critical_p_value(&[f64::NAN, 0.04], 0.05), None, "it counts as a question");
    }
}
