//! The fastest variant of each task, and how far it is ahead.

use std::collections::BTreeMap;

use super::settings::name;
use super::{TOTAL, counted, grouped, median, rows_of};
use crate::record::SummaryRow;
use crate::shape;

/// The variant that is the fastest at most settings of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Winner {
    /// The subcommand's name.
    pub algorithm: String,
    /// The variant, with its device if that is not the CPU.
    pub variant: String,
    /// At how many settings it is the fastest.
    pub wins: usize,
    /// At how many of these its interval and that of the next one are apart.
    pub clear: usize,
    /// All settings.
    pub settings: usize,
    /// The least and the greatest ratio of the next one's median to its own.
    pub lead: Option<(f64, f64)>,
    /// Who is the fastest elsewhere, and at how many settings.
    pub others: Vec<(String, usize)>,
}

/// The fastest at one setting.
struct Race<'a> {
    first: &'a SummaryRow,
    second: Option<&'a SummaryRow>,
}

/// The winner of a task; none without a valid row.
pub fn winner(rows: &[SummaryRow], algorithm: &str) -> Option<Winner> {
    let races = races(rows, algorithm);
    let mut others = wins(&races);
    if others.is_empty() {
        return None;
    }
    let (variant, wins) = others.remove(0);
    let won = || races.iter().filter(|race| name(race.first) == variant);
    Some(Winner {
        algorithm: algorithm.to_owned(),
        wins,
        clear: won().filter(|race| race.is_clear()).count(),
        settings: races.len(),
        lead: range(won().filter_map(Race::lead)),
        variant,
        others,
    })
}

/// Who wins how many races, the one with the most first.
fn wins(races: &[Race]) -> Vec<(String, usize)> {
    let mut wins: BTreeMap<String, usize> = BTreeMap::new();
    for race in races {
        *wins.entry(name(race.first)).or_default() += 1;
    }
    let mut wins: Vec<_> = wins.into_iter().collect();
    wins.sort_by_key(|(_, wins)| std::cmp::Reverse(*wins));
    wins
}

fn races<'a>(rows: &'a [SummaryRow], algorithm: &str) -> Vec<Race<'a>> {
    let rows = rows_of(rows, algorithm).into_iter();
    let ranked = rows.filter(|row| row.stage == TOTAL && median(row).is_some());
    let settings = grouped(ranked, |row| shape::axes(row));
    let races = settings.into_iter().filter_map(|(_, mut rows)| {
        rows.sort_by(|a, b| {
            median(a)
                .unwrap_or(0.0)
                .total_cmp(&median(b).unwrap_or(0.0))
        });
        Some(Race {
            first: rows.first()?,
            second: rows.get(1).copied(),
        })
    });
    races.collect()
}

impl Race<'_> {
    fn is_clear(&self) -> bool {
        let low = self.second.and_then(|row| row.ci95_low_s);
        let ends = self.first.ci95_high_s.zip(low);
        ends.is_some_and(|(high, low)| high < low)
    }

    fn lead(&self) -> Option<f64> {
        Some(median(self.second?)? / median(self.first)?)
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

impl Winner {
    /// `sort: radix is the fastest at 7 of 8 settings, 1.10 to 3.10 × ahead of the next;
    /// elsewhere merge`.
    pub fn sentence(&self) -> String {
        let place = match (self.wins, self.settings) {
            (1, 1) => String::new(),
            (wins, all) if wins == all => format!(" at all {all} settings"),
            (wins, all) => format!(" at {wins} of {}", counted(all, "setting")),
        };
        format!(
            "{}: {} is the fastest{place}{}{}",
            self.algorithm,
            self.variant,
            self.ahead(),
            self.elsewhere()
        )
    }

    /// `; elsewhere merge (3), quick (1)`.
    fn elsewhere(&self) -> String {
        let others = self.others.iter();
        let others: Vec<String> = others
            .map(|(name, wins)| format!("{name} ({wins})"))
            .collect();
        match others.is_empty() {
            true => String::new(),
            false => format!("; elsewhere {}", others.join(", ")),
        }
    }

    fn ahead(&self) -> String {
        let Some((low, high)) = self.lead else {
            return " (of one)".to_owned();
        };
        let lead = match (format!("{low:.2}"), format!("{high:.2}")) {
            (low, high) if low == high => low,
            (low, high) => format!("{low} to {high}"),
        };
        let unclear = match self.wins - self.clear {
            0 => String::new(),
            _ if self.clear == 0 => "; the intervals overlap".to_owned(),
            overlapping => format!("; at {overlapping} of these the intervals overlap"),
        };
        format!(", {lead} × ahead of the next{unclear}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

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
        let winner = winner(&rows, "sort").expect("there are rows");
        assert_eq!(
            winner.sentence(),
            "sort: a is the fastest at 2 of 3 settings, 1.50 to 3.00 × ahead of the next; \
             elsewhere b (1)"
        );
    }

    #[test]
    fn overlapping_intervals_are_no_clear_lead() {
        let rows = [row("a", "n=1", 1.0), row("b", "n=1", 1.001)];
        let sentence = winner(&rows, "sort").map(|winner| winner.sentence());
        let expected = "sort: a is the fastest, 1.00 × ahead of the next; the intervals overlap";
        assert_eq!(sentence.as_deref(), Some(expected));
    }

    #[test]
    fn what_is_not_valid_does_not_win() {
        let mut wrong = row("wrong", "n=1", 0.1);
        wrong.valid = crate::record::YesNo::No;
        let rows = [wrong, row("right", "n=1", 1.0)];
        let winner = winner(&rows, "sort").expect("one is right");
        assert_eq!(winner.sentence(), "sort: right is the fastest (of one)");
        assert!(super::winner(&rows[..1], "sort").is_none());
    }
}
