//! A comparison as markdown for a job or a merge request.

use text::{COMMAND, Untrusted};

use super::super::{Comparison, QualityChange, Verdict, gate};
use super::Listing;
use crate::shape::{self, Axes};
use crate::table::escaped;
use crate::units;

/// Maximum number of rows: pages have size limits.
const MAX_ROWS: usize = 60;

/// The comparison as GitHub-flavoured markdown.
pub fn render(comparison: &Comparison, listing: Listing) -> String {
    let mut text = format!("### {}\n\n", headline(comparison));
    for name in super::names(comparison) {
        text.push_str(&format!("- {}\n", escaped(&name)));
    }
    let common = super::common(comparison);
    if !common.is_empty() {
        let phrases = shape::phrases(&common);
        text.push_str(&format!("- all points: {}\n", escaped(&phrases)));
    }
    text.push_str(&format!("\n{}\n", super::counts(comparison)));
    if let Some(unjudged) = comparison.unjudged_words() {
        text.push_str(&format!("\n**{}**\n", escaped(&unjudged)));
    }
    text.push_str(&table(comparison, listing, &common));
    text.push_str(&energy(comparison, listing, &common));
    text.push_str(&quality(comparison, listing, &common));
    text.push_str(&list("Hints", super::hints(comparison)));
    text.push_str(&commands(super::steps(comparison)));
    text.push_str(&list("Notes", comparison.notes.clone()));
    text.push_str(&list("Without a partner", super::unmatched(comparison)));
    text.push_str(&format!("\n<sub>{}</sub>\n", escaped(&gate::sentence(comparison))));
    text
}

/// Commands as a block that can be copied.
pub fn commands(steps: Vec<&str>) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let lines = steps.into_iter().map(|step| format!("{}\n", step.escaped().at_most(COMMAND)));
    format!("\n**Next**\n\n```sh\n{}```\n", lines.collect::<String>())
}

/// The main result: wrong outputs, slower points, or the number and the resolution of judged
/// points.
fn headline(comparison: &Comparison) -> String {
    let wrong = comparison.wrong().count();
    let slower = comparison.count(Verdict::Slower);
    let worse = comparison.count_quality(QualityChange::Worse);
    let found = [
        (wrong > 0).then(|| points_are(wrong, "wrong or failed")),
        (slower > 0).then(|| points_are(slower, "slower")),
        (worse > 0).then(|| {
            format!("{} of quality {} worse", units::counted(worse, "metric"), units::are(worse))
        }),
    ];
    let found: Vec<String> = found.into_iter().flatten().collect();
    if found.is_empty() { no_regression(comparison) } else { found.join(", ") }
}

/// `1 point is slower`, `2 points are slower`.
fn points_are(count: usize, what: &str) -> String {
    format!("{} {} {what}", units::counted(count, "point"), units::are(count))
}

fn no_regression(comparison: &Comparison) -> String {
    let all = comparison.points.len();
    let open = comparison.count(Verdict::Inconclusive);
    let lost = match comparison.only_base.len() {
        0 => String::new(),
        1 => ", but 1 point of the base is missing or not valid".to_owned(),
        lost => format!(", but {lost} points of the base are missing or not valid"),
    };
    let judged = all - open;
    let points = units::counted(all, "point");
    match (judged, open) {
        (_, 0) => format!("No regression found{lost}"),
        (0, _) => format!("None of {points} could be judged{lost}"),
        (_, _) if open > judged => format!(
            "Only {judged} of {points} could be judged{}: none of them is slower{lost}",
            how_finely(comparison)
        ),
        (_, _) => format!(
            "No regression found in {judged} of {points}{}; {open} {} not clear{lost}",
            how_finely(comparison),
            units::are(open)
        ),
    }
}

/// ` (half of them to ± 0.8 % or better)`: resolution of the points without a change.
fn how_finely(comparison: &Comparison) -> String {
    let same = comparison.with_verdict(Verdict::Same);
    let mut resolutions: Vec<f64> = same.filter_map(|point| point.resolution).collect();
    resolutions.sort_by(f64::total_cmp);
    let middle = resolutions.get(resolutions.len() / 2);
    middle.map_or_else(String::new, |middle| {
        format!(" (half of them to ± {} or better)", units::percent(*middle))
    })
}

fn table(comparison: &Comparison, listing: Listing, common: &Axes) -> String {
    let listed = super::listed(comparison, listing);
    let shown = &listed[..listed.len().min(MAX_ROWS)];
    let table = super::table(shown, common).markdown_rows();
    let mut text = if table.is_empty() { table } else { format!("\n{table}") };
    if listed.len() > MAX_ROWS {
        text.push_str(&format!("\nand {} more\n", listed.len() - MAX_ROWS));
    }
    text
}

fn energy(comparison: &Comparison, listing: Listing, common: &Axes) -> String {
    if comparison.energy.is_empty() {
        return String::new();
    }
    let listed = super::listed_energy(comparison, listing);
    let shown = &listed[..listed.len().min(MAX_ROWS)];
    let table = super::energy_table(shown, common).markdown_rows();
    format!("\n{}\n\n{table}", super::energy_counts(comparison))
}

fn quality(comparison: &Comparison, listing: Listing, common: &Axes) -> String {
    if comparison.quality.is_empty() {
        return String::new();
    }
    let listed = super::listed_quality(comparison, listing);
    let shown = &listed[..listed.len().min(MAX_ROWS)];
    let table = super::quality_table(shown, common).markdown_rows();
    let more = match listed.len().saturating_sub(MAX_ROWS) {
        0 => String::new(),
        more => format!("\nand {more} more\n"),
    };
    format!("\n{}\n\n{table}{more}", super::quality_counts(comparison))
}

fn list(title: &str, items: Vec<String>) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: Vec<_> = items.iter().map(|item| format!("- {}", escaped(item.trim()))).collect();
    format!("\n**{title}**\n\n{}\n", items.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::super::Unmatched;
    use super::*;
    use crate::report::fixture::comparison;

    #[test]
    fn a_headline_says_how_much_could_be_judged() {
        use Verdict::{Faster, Inconclusive, Same, Slower};
        let of = |verdicts: &[Verdict]| headline(&comparison(verdicts));
        assert_eq!(of(&[Same, Faster]), "No regression found");
        assert_eq!(of(&[Slower, Inconclusive]), "1 point is slower");
        assert_eq!(of(&[Inconclusive; 3]), "None of 3 points could be judged");
        assert_eq!(
            of(&[Same, Inconclusive, Inconclusive]),
            "Only 1 of 3 points could be judged (half of them to ± 3.0 % or better): none of them \
             is slower"
        );
        assert_eq!(
            of(&[Same, Same, Inconclusive]),
            "No regression found in 2 of 3 points (half of them to ± 3.0 % or better); 1 is not \
             clear"
        );
    }

    #[test]
    fn wrong_outputs_come_first_and_by_name() {
        let mut comparison = comparison(&[Verdict::Same, Verdict::Slower]);
        let wrong = Unmatched {
            key: comparison.points[0].key.clone(),
            reason: "wrong output: row 3".into(),
        };
        let refused = Unmatched { reason: "not run: no such order".into(), ..wrong.clone() };
        comparison.only_base = vec![wrong];
        comparison.only_base.extend(vec![refused; 7]);
        assert_eq!(headline(&comparison), "1 point is wrong or failed, 1 point is slower");
        let text = render(&comparison, Listing::Changes);
        assert!(text.contains("1 point is wrong in the new run:"), "{text}");
        assert!(text.contains("wrong output: row 3"), "{text}");
        assert!(text.contains("7 points have no result in the new run:"), "{text}");
        assert_eq!(text.matches("not run: no such order").count(), 7);
        comparison.points.pop();
        assert_eq!(headline(&comparison), "1 point is wrong or failed");
    }
}
