//! Multiple testing: control of the false discovery rate.
//!
//! A test with an error probability of one per cent errs two or three times in 256 points, each
//! time. This controls the share of alarms that are false: the procedure of Benjamini and Hochberg
//! (J. R. Stat. Soc. B 57 (1995) 289). Where nothing has changed at all, any alarm is a false one,
//! so the same rate bounds the share of runs that have one. It holds for independent tests, and for
//! positively dependent ones (Benjamini and Yekutieli 2001), such as points that a run measured
//! within the same minute.

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
