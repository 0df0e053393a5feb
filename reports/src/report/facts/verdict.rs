//! The run in a sentence.

use super::super::ReportInput;
use super::counted;
use super::time::{day, minute};
use super::winners::sentences as winners;
use crate::compare::{Comparison, PointVerdict, Verdict};
use crate::units;

/// What a reader must know if they read no more.
pub fn sentences(input: &ReportInput) -> Vec<String> {
    let changes = input.comparison.map(changes);
    let rows = &input.run.summary;
    let algorithms = input.algorithms().into_iter();
    let winners = algorithms.flat_map(|algorithm| winners(rows, algorithm, input.rank));
    changes.into_iter().chain(winners).collect()
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

/// The points that a reader should look at, the most urgent first.
pub fn changed_points(comparison: &Comparison) -> Vec<&PointVerdict> {
    let urgent = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Same);
    urgent.flat_map(|verdict| comparison.of(verdict)).collect()
}

/// `1.080 [1.050, 1.110]`.
pub fn ratio(point: &PointVerdict) -> String {
    let interval = point.interval.map_or_else(String::new, |interval| {
        format!(" [{}, {}]", units::ratio(interval.low), units::ratio(interval.high))
    });
    format!("{}{interval}", units::ratio(point.ratio))
}

/// The day, or what tells two runs of a day apart.
fn time_of_base(comparison: &Comparison) -> String {
    let (base, new) = (&comparison.base.started, &comparison.new.started);
    match day(base) == day(new) {
        true => minute(base),
        false => day(base).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::comparison;
    use super::*;

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
    fn what_is_wrong_now_is_told() {
        let mut comparison = comparison(&[Verdict::Same]);
        comparison.only_base.push(crate::compare::Unmatched {
            key: comparison.points[0].key.clone(),
            reason: "failed: out of memory".into(),
        });
        assert!(changes(&comparison).ends_with(", 1 is wrong now or failed"));
    }
}
