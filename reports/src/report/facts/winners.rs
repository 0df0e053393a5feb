//! The fastest variant of each task, and its lead, with the uncertainty.

use std::collections::BTreeMap;

use super::{counted, rows_of};
use crate::grouped::distinct;
use crate::rank::{Rank, has_kernels};
use crate::record::SummaryRow;
use crate::shape::name;
use crate::winners::{Evidence, Ranking, not_ranked, rankings};

/// The fastest variants at most settings of a task.
#[derive(Clone, Debug)]
struct Winners<'a> {
    /// One ranking per setting, at least one.
    rankings: Vec<Ranking<'a>>,
    /// Significantly fastest variants with the number of settings, by that number.
    wins: Vec<(String, usize)>,
}

/// The winners of a task: a sentence for the chosen rank, and one for the other one of total and
/// kernels if its winner differs.
pub fn sentences(rows: &[SummaryRow], algorithm: &str, rank: Rank) -> Vec<String> {
    let of_task = rows_of(rows, algorithm);
    let mut phrases = ranking(&of_task, algorithm, rank);
    let apart = not_ranked(&of_task, rank);
    if !apart.is_empty() {
        let names = distinct(apart.into_iter().map(name)).join(", ");
        phrases.push(format!(
            "{algorithm}: not ranked, because earlier stages gave them different inputs: {names}"
        ));
    }
    phrases
}

/// The winners among rows that can be ranked.
fn ranking(of_task: &[&SummaryRow], algorithm: &str, rank: Rank) -> Vec<String> {
    let sentence = |rank| winners(of_task, rank).map(|winners| winners.sentence());
    if !has_kernels(of_task.iter().copied()) {
        let phrases = sentence(rank).into_iter();
        return phrases.map(|text| format!("{algorithm}: {text}")).collect();
    }
    let first = |rank| winners(of_task, rank).map(|winners| winners.closest_or_winner());
    let mut ranks = vec![rank];
    if first(rank) != first(rank.other()) {
        ranks.push(rank.other());
    }
    let phrases = ranks.into_iter().filter_map(|rank| {
        let text = sentence(rank)?;
        Some(format!("{algorithm}, {}: {text}", rank_phrase(rank)))
    });
    phrases.collect()
}

/// Phrase of a rank in sentences.
fn rank_phrase(rank: Rank) -> &'static str {
    match rank {
        Rank::Total => "end to end",
        Rank::Kernel => "by kernels",
    }
}

/// The winners of a task; `None` without a valid row.
fn winners<'a>(rows: &[&'a SummaryRow], rank: Rank) -> Option<Winners<'a>> {
    let rankings = rankings(rows, rank);
    (!rankings.is_empty()).then(|| Winners { wins: wins(&rankings), rankings })
}

/// Variants with their numbers of significant wins, by that number.
fn wins(rankings: &[Ranking]) -> Vec<(String, usize)> {
    let mut wins: BTreeMap<String, usize> = BTreeMap::new();
    for ranking in rankings.iter().filter(|ranking| ranking.evidence() == Evidence::Clear) {
        *wins.entry(name(ranking.first)).or_default() += 1;
    }
    let mut wins: Vec<_> = wins.into_iter().collect();
    wins.sort_by_key(|(_, wins)| std::cmp::Reverse(*wins));
    wins
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

impl Winners<'_> {
    /// Number of settings with this evidence.
    fn count(&self, evidence: Evidence) -> usize {
        self.rankings.iter().filter(|ranking| ranking.evidence() == evidence).count()
    }

    /// Minimum and maximum ratio of the next one's median to the winner's.
    fn lead(&self, winner: &str) -> Option<(f64, f64)> {
        let clear = self.rankings.iter().filter(|ranking| ranking.evidence() == Evidence::Clear);
        range(clear.filter(|ranking| name(ranking.first) == winner).filter_map(Ranking::lead))
    }

    /// The most significant winner, or the smallest median if no lead is significant.
    fn closest_or_winner(&self) -> String {
        let winner = self.wins.first().map(|(name, _)| name.clone());
        winner.unwrap_or_else(|| name(self.rankings[0].first))
    }

    /// `radix is the fastest at 7 of 8 settings, 1.10 to 3.10 × ahead of the next; elsewhere
    /// merge (1)`.
    fn sentence(&self) -> String {
        let Some((winner, wins)) = self.wins.first() else {
            return self.undecided();
        };
        let at = match (*wins, self.rankings.len()) {
            (1, 1) => String::new(),
            (wins, all) if wins == all => format!(" at all {all} settings"),
            (wins, all) => format!(" at {wins} of {}", counted(all, "setting")),
        };
        let elsewhere = self.elsewhere();
        let unclear = self.unclear();
        match self.ahead(winner) {
            Some(ahead) => format!("{winner} is the fastest{at}{ahead}{elsewhere}{unclear}"),
            None => format!("{winner} is the only one with a time{at}{elsewhere}{unclear}"),
        }
    }

    /// `, 1.10 to 3.10 × ahead of the next`; `None` if there is no next one.
    fn ahead(&self, winner: &str) -> Option<String> {
        let (low, high) = self.lead(winner)?;
        let lead = match (format!("{low:.2}"), format!("{high:.2}")) {
            (low, high) if low == high => low,
            (low, high) => format!("{low} to {high}"),
        };
        Some(format!(", {lead} × ahead of the next"))
    }

    /// `; elsewhere merge (3), quick (1)`.
    fn elsewhere(&self) -> String {
        let others = self.wins[1..].iter();
        let others: Vec<String> = others.map(|(name, wins)| format!("{name} ({wins})")).collect();
        if others.is_empty() { String::new() } else { format!("; elsewhere {}", others.join(", ")) }
    }

    /// Statement on settings without a significant winner.
    fn unclear(&self) -> String {
        let phrases = |evidence, words: &str| match self.count(evidence) {
            0 => String::new(),
            count => format!("; at {count} {words}"),
        };
        let overlapping = phrases(Evidence::Overlap, "the intervals of the first two overlap");
        overlapping + &phrases(Evidence::TooFew, "too few samples")
    }

    /// Statement for a task without any significant winner.
    fn undecided(&self) -> String {
        if let [ranking] = &self.rankings[..] {
            let second = ranking.second.map(|second| format!(" and {}", name(second)));
            let names = name(ranking.first) + &second.unwrap_or_default();
            return match ranking.evidence() {
                Evidence::TooFew => {
                    format!("too few samples to name the fastest ({names} come first)")
                }
                _ => format!("{names} are not significantly different: their intervals overlap"),
            };
        }
        let settings = self.rankings.len();
        let unclear = self.unclear();
        format!("no variant is clearly the fastest at any of {settings} settings{unclear}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;
    use crate::charts::fixture::break_even_rows;

    fn phrases(rows: &[SummaryRow]) -> Vec<String> {
        sentences(rows, "sort", Rank::Total)
    }

    #[test]
    fn the_winner_of_most_settings_is_named_with_its_lead() {
        let rows = [
            row("a", "n=1", 1.0),
            row("b", "n=1", 1.5),
            row("a", "n=2", 1.0),
            row("b", "n=2", 3.0),
            row("a", "n=3", 1.0),
            row("b", "n=3", 0.5),
        ];
        let expected = "sort: a is the fastest at 2 of 3 settings, 1.50 to 3.00 × ahead of the \
                        next; elsewhere b (1)";
        assert_eq!(phrases(&rows), [expected]);
    }

    #[test]
    fn variants_with_other_inputs_do_not_win() {
        let given = |variant: &str, median: f64, given: &str| SummaryRow {
            given: given.into(),
            ..row(variant, "n=1", median)
        };
        let rows = [given("a", 2.0, "any order"), given("b", 1.0, "by time")];
        let apart = "sort: not ranked, because earlier stages gave them different inputs: ";
        assert_eq!(phrases(&rows), [format!("{apart}a, b")]);
        let three = [rows.to_vec(), vec![given("c", 4.0, "any order")]].concat();
        let winner = "sort: a is the fastest, 2.00 × ahead of the next".to_owned();
        assert_eq!(phrases(&three), [winner, format!("{apart}b")]);
    }

    #[test]
    fn overlapping_intervals_have_no_winner() {
        let rows = [row("a", "n=1", 1.0), row("b", "n=1", 1.001)];
        let expected = "sort: a and b are not significantly different: their intervals overlap";
        assert_eq!(phrases(&rows), [expected]);
        let more = [rows.to_vec(), vec![row("a", "n=2", 1.0), row("b", "n=2", 2.0)]].concat();
        let expected = "sort: a is the fastest at 1 of 2 settings, 2.00 × ahead of the next; at \
                        1 the intervals of the first two overlap";
        assert_eq!(phrases(&more), [expected]);
    }

    #[test]
    fn few_samples_win_nothing() {
        let few = |variant: &str, params: &str, median| SummaryRow {
            samples: 5,
            ..row(variant, params, median)
        };
        let rows = [few("a", "n=1", 1.0), few("b", "n=1", 1.82)];
        let expected = "sort: too few samples to name the fastest (a and b come first)";
        assert_eq!(phrases(&rows), [expected]);
        let mut without = [row("a", "n=1", 1.0), row("b", "n=1", 1.82)];
        without[1].ci95_low_s = None;
        assert_eq!(phrases(&without), [expected]);
        let two = [rows.to_vec(), vec![few("a", "n=2", 1.0), few("b", "n=2", 2.0)]].concat();
        let expected = "sort: no variant is clearly the fastest at any of 2 settings; at 2 too few \
                        samples";
        assert_eq!(phrases(&two), [expected]);
    }

    #[test]
    fn invalid_rows_do_not_win() {
        let mut wrong = row("wrong", "n=1", 0.1);
        wrong.valid = crate::record::YesNo::No;
        let rows = [wrong, row("right", "n=1", 1.0)];
        assert_eq!(phrases(&rows), ["sort: right is the only one with a time"]);
        assert!(phrases(&rows[..1]).is_empty());
    }

    #[test]
    fn total_and_kernels_are_both_reported_if_their_winners_differ() {
        let rows = break_even_rows(&["random"]);
        let small: Vec<_> = rows[4..8].to_vec();
        let [total, kernel] = &phrases(&small)[..] else {
            panic!("two winners: {:?}", phrases(&small));
        };
        let close = "sort, end to end: small and gpu on cuda:0 are not significantly different";
        assert!(total.starts_with(close), "{total}");
        assert!(kernel.starts_with("sort, by kernels: gpu"), "{kernel}");
        let large = &rows[rows.len() - 4..];
        let expected = "sort, end to end: gpu on cuda:0 is the fastest, 6.59 × ahead of the next";
        assert_eq!(phrases(large), [expected]);
    }
}
