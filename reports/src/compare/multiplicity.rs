//! Correction for multiple comparisons: a change has to be clearer than what many points show by
//! chance.
//!
//! Two families are corrected separately: complete runs (stage `total`), and their parts. Parts of
//! a run change along with it, and a variant with many stages must not make its total harder to
//! judge. With two families, among comparisons in which nothing has changed at most twice
//! [`Thresholds::false_discovery`] have any false alarm.

use statistics::critical_p_value;

use super::Thresholds;
use super::judge::{Judgement, Why};

/// The p-value of a 95 % interval.
const OF_INTERVAL: f64 = 0.05;

/// Family of points that are judged together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Family {
    /// Number of points that were judged together.
    pub points: usize,
    /// Maximum p-value of one more change among them.
    pub needed: f64,
}

/// Rejects the changes that are expected by chance among all judgements. The flag of each is true
/// for complete runs.
pub(super) fn hold_back(
    judged: &mut [(bool, &mut Judgement)],
    thresholds: &Thresholds,
) -> impl Fn(bool) -> Family + use<> {
    let [parts, wholes] = [false, true].map(|whole| {
        let of_family = judged.iter().filter(|(of, _)| *of == whole);
        let p_values: Vec<f64> = of_family.map(|(_, judgement)| p_value(judgement)).collect();
        let critical = critical_p_value(&p_values, thresholds.false_discovery);
        let is_clear = |p: f64| critical.is_some_and(|critical| p <= critical);
        for (_, judgement) in judged.iter_mut().filter(|(of, _)| *of == whole) {
            if judgement.is_change() && !is_clear(p_value(judgement)) {
                **judgement = judgement.inconclusive(Why::ByChance);
            }
        }
        let changes = p_values.iter().filter(|p| is_clear(**p)).count();
        let points = p_values.len();
        let needed = thresholds.false_discovery * (changes + 1) as f64 / points.max(1) as f64;
        Family { points, needed: needed.min(OF_INTERVAL) }
    });
    move |whole| if whole { wholes } else { parts }
}

/// p-value for ranking. Changes that other rules have rejected are no evidence for other points
/// either.
fn p_value(judgement: &Judgement) -> f64 {
    if judgement.is_change() {
        judgement.p_change.or(judgement.p_value).unwrap_or(1.0)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::comparison::Verdict;
    use super::*;

    fn change(p_change: Option<f64>) -> Judgement {
        Judgement {
            p_value: Some(0.004),
            p_change,
            verdict: Verdict::Slower,
            ..Judgement::unclear(1.1, Why::BeyondMinimum)
        }
    }

    fn same() -> Judgement {
        Judgement { verdict: Verdict::Same, why: Why::BelowMinimum, ..change(Some(1e-9)) }
    }

    fn verdicts(mut judged: Vec<(bool, Judgement)>) -> (Vec<Verdict>, [Family; 2]) {
        let all = judged.iter_mut().map(|(whole, judgement)| (*whole, judgement));
        let family = hold_back(&mut all.collect::<Vec<_>>(), &Thresholds::default());
        let verdicts = judged.iter().map(|(_, judgement)| judgement.verdict);
        (verdicts.collect(), [family(false), family(true)])
    }

    #[test]
    fn among_many_points_a_change_has_to_be_clearer() {
        use Verdict::{Inconclusive, Slower};
        let among = |p: f64, others: usize| {
            let mut judged = vec![(true, same()); others];
            judged.push((true, change(Some(p))));
            verdicts(judged).0.pop()
        };
        assert_eq!(among(0.01, 1), Some(Slower));
        assert_eq!(among(0.01, 2), Some(Inconclusive));
        assert_eq!(among(1e-5, 999), Some(Slower));
        // Paired runs are ranked by the sign test until an interval is known.
        let mut judged = vec![(true, change(None))];
        assert_eq!(verdicts(judged.clone()).0, [Slower]);
        judged.resize(10, (true, same()));
        assert_eq!(verdicts(judged).0[0], Inconclusive);
    }

    #[test]
    fn stages_are_a_family_of_their_own() {
        let mut judged = vec![(false, same()); 999];
        judged.push((true, change(Some(0.01))));
        let (verdicts, [parts, wholes]) = verdicts(judged);
        assert_eq!(verdicts.last(), Some(&Verdict::Slower));
        assert_eq!((parts.points, wholes.points), (999, 1));
        assert!((parts.needed - 0.02 / 999.0).abs() < 1e-12);
        assert!((wholes.needed - 0.04).abs() < 1e-12);
    }
}
