//! The main result of a chart or a table in one sentence: the fastest variant and its lead.

use super::{Evidence, Ranking};
use crate::grouped::grouped;
use crate::record::SummaryRow;
use crate::units;

/// Maximum lead that is printed in per cent.
const CLOSE: f64 = 1.1;

/// The fastest variants of these rankings; `None` without any, or if nothing was compared. `name`
/// returns the displayed name of a row's variant.
pub fn headline(rankings: &[Ranking], name: impl Fn(&SummaryRow) -> String) -> Option<String> {
    let compared: Vec<&Ranking> =
        rankings.iter().filter(|ranking| ranking.second.is_some()).collect();
    match compared.as_slice() {
        [] => None,
        [ranking] => of_one(ranking, name),
        rankings => Some(of_several(rankings, name)),
    }
}

/// `channel-bucket is fastest, 1.52 × ahead of voracious`.
fn of_one(ranking: &Ranking, name: impl Fn(&SummaryRow) -> String) -> Option<String> {
    let first = name(ranking.first);
    let second = name(ranking.second?);
    let lead = ranking.lead()?;
    Some(match ranking.evidence() {
        Evidence::Clear => format!("{first} is fastest, {} of {second}", ahead(lead)),
        Evidence::Overlap => {
            format!("{first} and {second} are within {}: no clear winner", percent(lead))
        }
        Evidence::TooFew => {
            format!("{first} leads {second} by {}, from too few samples to be sure", times(lead))
        }
    })
}

/// `channel-bucket is fastest at all 4 settings, 1.52 to 2.01 × ahead`.
fn of_several(rankings: &[&Ranking], name: impl Fn(&SummaryRow) -> String) -> String {
    let clear = rankings.iter().copied().filter(|ranking| ranking.evidence() == Evidence::Clear);
    let clear: Vec<&Ranking> = clear.collect();
    let mut winners = grouped(clear.iter().copied(), |ranking| name(ranking.first));
    winners.sort_by_key(|(_, won)| std::cmp::Reverse(won.len()));
    let all = rankings.len();
    match winners.as_slice() {
        [] => format!("No variant clearly wins at any of {all} settings"),
        [(winner, won)] if won.len() == all => {
            format!("{winner} is fastest at {}, {}", all_settings(all), leads(won))
        }
        [(winner, won)] => format!(
            "{winner} is fastest at {} of {all} settings, {}; no clear winner at {}",
            won.len(),
            leads(won),
            all - won.len()
        ),
        [(winner, won), others @ ..] => {
            let shown = others.iter().take(2);
            let mut parts = vec![format!("{winner} is fastest at {} of {all} settings", won.len())];
            parts.extend(shown.map(|(other, won)| format!("{other} at {}", won.len())));
            if others.len() > 2 {
                parts.push(format!("{} more", units::counted(others.len() - 2, "variant")));
            }
            if clear.len() < all {
                parts.push(format!("no clear winner at {}", all - clear.len()));
            }
            parts.join(", ")
        }
    }
}

/// `both settings`, `all 4 settings`.
pub fn all_settings(count: usize) -> String {
    if count == 2 { "both settings".to_owned() } else { format!("all {count} settings") }
}

/// `1.52 to 2.01 × ahead`.
fn leads(rankings: &[&Ranking]) -> String {
    let leads = || rankings.iter().filter_map(|ranking| ranking.lead());
    let low = leads().fold(f64::INFINITY, f64::min);
    let high = leads().fold(0.0, f64::max);
    match (times(low), times(high)) {
        (low, high) if low == high => format!("{low} ahead"),
        (low, high) => format!("{} to {high} ahead", low.trim_end_matches(" ×")),
    }
}

fn ahead(lead: f64) -> String {
    if lead < CLOSE { format!("{} ahead", percent(lead)) } else { format!("{} ahead", times(lead)) }
}

fn times(lead: f64) -> String {
    units::times(lead)
}

/// Additional time of the second one, in whole per cent, rounded up.
fn percent(lead: f64) -> String {
    format!("{:.0} %", ((lead - 1.0) * 100.0).ceil().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use crate::rank::Rank;
    use crate::winners::rankings;

    fn phrases(rows: &[SummaryRow]) -> Option<String> {
        let rows: Vec<&SummaryRow> = rows.iter().collect();
        headline(&rankings(&rows, Rank::Total), |row| row.variant.clone())
    }

    #[test]
    fn one_setting_has_a_winner_or_none() {
        let against_2_ms = |a: f64| phrases(&[row("a", "n=1", a), row("b", "n=1", 2e-3)]);
        assert_eq!(against_2_ms(1e-3).as_deref(), Some("a is fastest, 2.00 × ahead of b"));
        assert_eq!(against_2_ms(1.86e-3).as_deref(), Some("a is fastest, 8 % ahead of b"));
        let tie = "a and b are within 1 %: no clear winner";
        assert_eq!(against_2_ms(1.995e-3).as_deref(), Some(tie));
        assert_eq!(phrases(&[row("a", "n=1", 1e-3)]), None);
        assert_eq!(phrases(&[]), None);
        let few = SummaryRow { samples: 3, ..row("a", "n=1", 1e-3) };
        let unsure = "a leads b by 2.00 ×, from too few samples to be sure";
        assert_eq!(phrases(&[few, row("b", "n=1", 2e-3)]).as_deref(), Some(unsure));
    }

    #[test]
    fn several_settings_are_counted() {
        let at = |n: u32, a: f64, b: f64| {
            [row("a", &format!("n={n}"), a), row("b", &format!("n={n}"), b)]
        };
        let all = [at(1, 1e-3, 2e-3), at(2, 1e-3, 3e-3)].concat();
        let expected = "a is fastest at both settings, 2.00 to 3.00 × ahead";
        assert_eq!(phrases(&all).as_deref(), Some(expected));
        let mixed = [all.clone(), at(3, 2e-3, 1e-3).to_vec()].concat();
        assert_eq!(phrases(&mixed).as_deref(), Some("a is fastest at 2 of 3 settings, b at 1"));
        let some = [all, at(3, 1e-3, 1e-3).to_vec()].concat();
        let expected = "a is fastest at 2 of 3 settings, 2.00 to 3.00 × ahead; no clear winner \
            at 1";
        assert_eq!(phrases(&some).as_deref(), Some(expected));
        let none = [at(1, 1e-3, 1e-3), at(2, 1e-3, 1e-3)].concat();
        assert_eq!(phrases(&none).as_deref(), Some("No variant clearly wins at any of 2 settings"));
    }
}
