//! Requested points without a verdict: a comparison that passes without them has compared less than
//! it seems.

use super::comparison::{Comparison, Key, NEW, NOT_MEASURED, RETIRED, Verdict};
use super::measured::Measured;
use super::render::words;
use crate::rank::TOTAL;
use crate::record::RunRecord;
use crate::units;

/// Stages of complete runs: other stages may appear and disappear with their names.
const WHOLE: [&str; 2] = [TOTAL, "sample"];

/// Maximum number of points named in a sentence.
const NAMED: usize = 5;

/// A point without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged<'a> {
    /// The point.
    pub key: &'a Key,
    /// Reason why it has no verdict.
    pub reason: &'a str,
}

impl Comparison {
    /// The points without a verdict: samples without an interval, points with a result on one side
    /// only, and missing points. Wrong outputs are in [`Comparison::wrong`]; new points have no
    /// counterpart.
    pub fn unjudged(&self) -> Vec<Unjudged<'_>> {
        let without_interval = self
            .points
            .iter()
            .filter(|point| point.interval.is_none() && point.verdict == Verdict::Inconclusive);
        let without_interval =
            without_interval.map(|point| Unjudged { key: &point.key, reason: &point.reason });
        let lost = self.only_base.iter().filter(|point| {
            let is_gone = point.reason == NOT_MEASURED && !self.asked_alike;
            !point.is_wrong() && point.reason != RETIRED && !is_gone
        });
        let without_base = self.only_new.iter().filter(|point| point.reason != NEW);
        let one_sided = lost.chain(without_base);
        let one_sided = one_sided.map(|point| Unjudged { key: &point.key, reason: &point.reason });
        let all = without_interval.chain(one_sided);
        all.filter(|point| WHOLE.contains(&point.key.stage.as_str())).collect()
    }

    /// Number of points without a verdict, with some names; `None` if all have one.
    pub fn unjudged_words(&self) -> Option<String> {
        let unjudged = self.unjudged();
        let names = unjudged.iter().take(NAMED).map(|point| words(point.key));
        let names = names.collect::<Vec<_>>().join("; ");
        let more = match unjudged.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let count = units::counted(unjudged.len(), "point");
        (!unjudged.is_empty()).then(|| format!("not judged: {count}: {names}{more}"))
    }
}

/// True if two runs were requested with the same points, so that points of only one of them are
/// missing in the other: runs of one suite, or of one command.
pub(super) fn asked_alike(base: &Measured, new: &Measured) -> bool {
    match (&base.record.suite, &new.record.suite) {
        (Some(base), Some(new)) => (&base.name, base.shard) == (&new.name, new.shard),
        (None, None) => asked(&base.record).eq(asked(&new.record)),
        _ => false,
    }
}

/// The arguments of a command that select points: neither the program nor the run folder.
fn asked(record: &RunRecord) -> impl Iterator<Item = &str> {
    let mut words = record.command.iter().skip(1).map(String::as_str);
    std::iter::from_fn(move || {
        loop {
            match words.next()? {
                "--out" => drop(words.next()),
                word if word.starts_with("--out=") => {}
                word => return Some(word),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Unmatched, Verdict};
    use crate::report::fixture::comparison;

    fn reasons(comparison: &Comparison) -> Vec<&str> {
        comparison.unjudged().iter().map(|point| point.reason).collect()
    }

    #[test]
    fn a_point_without_an_interval_has_no_verdict() {
        let mut compared = comparison(&[Verdict::Same, Verdict::Inconclusive]);
        compared.only_base.clear();
        compared.only_new.clear();
        assert_eq!(compared.unjudged_words(), None);
        compared.points[1].interval = None;
        compared.points[1].reason = "too few samples".into();
        assert_eq!(reasons(&compared), ["too few samples"]);
        // Identical samples need no interval.
        compared.points[1].verdict = Verdict::Same;
        assert!(reasons(&compared).is_empty());
    }

    #[test]
    fn points_that_vanished_have_no_verdict_and_new_ones_need_none() {
        let mut compared = comparison(&[Verdict::Same]);
        let mut key = compared.points[0].key.clone();
        let alone = |key: &Key, reason: &str| Unmatched { key: key.clone(), reason: reason.into() };
        compared.only_base = vec![alone(&key, NOT_MEASURED), alone(&key, "wrong output: digi 7")];
        compared.only_base.push(alone(&key, RETIRED));
        compared.only_new = vec![alone(&key, NEW), alone(&key, "not run: no room")];
        key.stage = "kernel".into();
        compared.only_base.push(alone(&key, NOT_MEASURED));
        compared.asked_alike = false;
        assert_eq!(reasons(&compared), ["not run: no room"]);
        compared.asked_alike = true;
        assert_eq!(reasons(&compared), [NOT_MEASURED, "not run: no room"]);
        let words = compared.unjudged_words().expect("two");
        assert!(words.starts_with("not judged: 2 points: "), "{words}");
    }

    #[test]
    fn a_command_is_the_same_in_whatever_folder_its_results_are() {
        let record = |command: &str| RunRecord {
            command: command.split(' ').map(str::to_owned).collect(),
            ..RunRecord::default()
        };
        let first = record("bench sort --out a --digis 2M");
        assert!(asked(&first).eq(asked(&record("/bin/bench sort --digis 2M --out=b"))));
        assert!(!asked(&first).eq(asked(&record("bench sort --digis 4M"))));
    }
}
