//! The run in a sentence.

use super::super::ReportInput;
use super::winners::sentences as winners;
use super::{counted, day, minute};
use crate::compare::{Comparison, PointVerdict, Verdict};
use crate::published::{ClaimVerdict, Reproduction};
use crate::units;

/// The main result: changes, verdicts on publications, or else the fastest variants.
pub fn sentences(input: &ReportInput) -> Vec<String> {
    let changes = input.comparison.map(changes);
    if !input.published.is_empty() {
        return changes.into_iter().chain([conclusions(input.published)]).collect();
    }
    let rows = &input.run.summary;
    let algorithms = input.algorithms().into_iter();
    let winners = algorithms.flat_map(|algorithm| winners(rows, algorithm, input.rank));
    changes.into_iter().chain(winners).collect()
}

/// `Of 12 published conclusions 7 hold here, 2 don't, 1 is not clear, and of 2 not all was measured`.
fn conclusions(published: &[Reproduction]) -> String {
    let verdicts = || published.iter().flat_map(|figure| &figure.judged).map(|it| &it.verdict);
    let count = |is_meant: fn(&ClaimVerdict) -> bool| verdicts().filter(|it| is_meant(it)).count();
    let holds = count(|verdict| matches!(verdict, ClaimVerdict::Holds(_)));
    let fails = count(|verdict| matches!(verdict, ClaimVerdict::Fails(_)));
    let unclear = count(|verdict| matches!(verdict, ClaimVerdict::Unclear(_)));
    let unknown = count(|verdict| matches!(verdict, ClaimVerdict::Unknown(_)));
    let others = [
        (fails, format!(", {fails} {}", if fails == 1 { "doesn't" } else { "don't" })),
        (unclear, format!(", {unclear} {} not clear", units::are(unclear))),
        (unknown, format!(", and of {unknown} not all was measured")),
    ];
    let others = others.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words);
    let hold = match holds {
        0 => "none holds".to_owned(),
        1 => "1 holds".to_owned(),
        _ => format!("{holds} hold"),
    };
    let all = counted(verdicts().count(), "published conclusion");
    format!("Of {all} {hold} here{}", others.collect::<String>())
}

/// `2 of 68 points are slower than in the run of 2026-11-19, 1 is inconclusive`.
pub fn changes(comparison: &Comparison) -> String {
    let base = format!("in the run of {}", time_of_base(comparison));
    let all = comparison.points.len();
    if all == 0 {
        return format!("No point can be compared: none has a partner {base}");
    }
    let slower = comparison.count(Verdict::Slower);
    let open = comparison.count(Verdict::Inconclusive);
    if open == all && comparison.wrong().next().is_none() {
        let points = counted(all, "point");
        return format!(
            "None of {points} could be judged against the run of {}",
            time_of_base(comparison)
        );
    }
    let worst = match slower {
        0 if 2 * open > all => format!(
            "Only {} of {} could be judged: none of them is slower than {base}",
            all - open,
            counted(all, "point")
        ),
        0 => format!("None of {} is slower than {base}", counted(all, "point")),
        _ => format!(
            "{slower} of {} {} slower than {base}",
            counted(all, "point"),
            units::are(slower)
        ),
    };
    let others = [(Verdict::Faster, "faster"), (Verdict::Inconclusive, "inconclusive")];
    let others = others.into_iter().filter_map(|(verdict, word)| {
        let count = comparison.count(verdict);
        (count > 0).then(|| format!(", {count} {} {word}", units::are(count)))
    });
    let wrong = match comparison.wrong().count() {
        0 => String::new(),
        wrong => format!(", {wrong} {} wrong now or failed", units::are(wrong)),
    };
    worst + &others.collect::<String>() + &wrong
}

/// The points that need attention, the most urgent first.
pub fn changed_points(comparison: &Comparison) -> Vec<&PointVerdict> {
    let urgent = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Same);
    urgent.flat_map(|verdict| comparison.with_verdict(verdict)).collect()
}

/// `1.080 [1.050, 1.110]`.
pub fn ratio(point: &PointVerdict) -> String {
    let interval = point.interval.map(|interval| format!(" {}", units::ratio_interval(interval)));
    units::ratio(point.ratio) + &interval.unwrap_or_default()
}

/// The day of the base, or its time if both runs are of one day.
fn time_of_base(comparison: &Comparison) -> String {
    let base = &comparison.base.started;
    let new = &comparison.new.started;
    match day(base) == day(new) {
        true => minute(base),
        false => day(base).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::comparison;
    use super::*;
    use crate::published::fixture as published;

    #[test]
    fn slower_points_come_first() {
        use Verdict::{Faster, Inconclusive, Same, Slower};
        let of = |verdicts: &[Verdict]| changes(&comparison(verdicts));
        assert_eq!(
            of(&[Slower, Slower, Same, Inconclusive]),
            "2 of 4 points are slower than in the run of 2025-12-31, 1 is inconclusive"
        );
        assert_eq!(
            of(&[Same, Faster]),
            "None of 2 points is slower than in the run of 2025-12-31, 1 is faster"
        );
        assert!(of(&[]).starts_with("No point can be compared"));
        assert_eq!(
            of(&[Same, Inconclusive, Inconclusive]),
            "Only 1 of 3 points could be judged: none of them is slower than in the run of \
             2025-12-31, 2 are inconclusive"
        );
    }

    #[test]
    fn without_verdicts_the_headline_states_that_only() {
        let open = comparison(&[Verdict::Inconclusive, Verdict::Inconclusive]);
        let expected = "None of 2 points could be judged against the run of 2025-12-31";
        assert_eq!(changes(&open), expected);
    }

    #[test]
    fn published_claims_are_counted_by_verdict() {
        let published = [published::table(&published::rows())];
        let expected = "Of 20 published conclusions 15 hold here, and of 5 not all was measured";
        assert_eq!(conclusions(&published), expected);
    }

    #[test]
    fn wrong_outputs_are_reported() {
        let mut comparison = comparison(&[Verdict::Same]);
        comparison.only_base.push(crate::compare::Unmatched {
            key: comparison.points[0].key.clone(),
            reason: "failed: out of memory".into(),
        });
        assert!(changes(&comparison).ends_with(", 1 is wrong now or failed"));
    }
}
