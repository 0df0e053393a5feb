//! A compact table for each setting, up to a maximum number.

use super::super::facts::refusals::refusals;
use super::super::facts::settings::Settings;
use super::super::facts::{counted, grouped};
use super::and_more;
use crate::rank::{KERNEL, Rank, TOTAL, has_kernels};
use crate::record::{FULL_LEVEL, SummaryRow};
use crate::run_table::{Entry, Fastest, entries, level, share_of_ceiling};
use crate::shape::{self, name};
use crate::table::{Side, Table, escaped, known};
use crate::units::{self, times};

/// Number of settings from which on tables are folded.
const OPEN: usize = 2;
/// Maximum number of tables; further settings are counted.
const MAX_TABLES: usize = 8;
/// Maximum number of rows of a setting; further variants are counted.
const MAX_ROWS: usize = 12;

/// The tables, the fastest variant first, and the rows without a time.
pub fn text(rows: &[&SummaryRow], settings: &Settings, rank: Rank) -> String {
    let of_table = |row: &&SummaryRow| matches!(row.stage.as_str(), TOTAL | KERNEL);
    let valid = rows.iter().copied().filter(|row| row.valid_median().is_some());
    let groups = grouped(valid.filter(of_table), |row| shape::axes(row));
    let tables = groups.iter().take(MAX_TABLES);
    let tables: Vec<String> =
        tables.map(|(axes, rows)| table(&settings.apart(axes), rows, rank)).collect();
    let all = tables.join("\n") + &and_more(groups.len().saturating_sub(MAX_TABLES), "settings");
    let all = match groups.len() > OPEN {
        true => format!("<details><summary>Times</summary>\n\n{all}\n</details>\n"),
        false => all,
    };
    all + &not_valid(rows)
}

fn table(heading: &str, rows: &[&SummaryRow], rank: Rank) -> String {
    let with_kernels = has_kernels(rows.iter().copied());
    let mut entries = entries(rows, rank);
    entries.retain(|entry| entry.stage_time(TOTAL).is_some());
    let fastest = Fastest::new(&entries);
    let has_levels = rows.iter().any(|row| row.interval_level() < FULL_LEVEL);
    let width = if has_levels { "± (level)" } else { "± 95 %" };
    let (first, columns) = if with_kernels {
        let ranked = [heading, &rank.sentence()].join(shape::SEPARATOR);
        (ranked, &["total", width, "ratio", "kernel", "kernel ratio", "of copy"][..])
    } else {
        (heading.to_owned(), &["median", width, "ratio", "of copy"][..])
    };
    let shown = OptionalColumns { kernels: with_kernels, levels: has_levels };
    let columns = columns.iter().map(|name| (*name, Side::Right));
    let columns: Vec<_> = std::iter::once((first.as_str(), Side::Left)).chain(columns).collect();
    let rows = entries.iter().take(MAX_ROWS).map(|entry| cells(entry, &fastest, shown));
    let table = Table::new(&columns, rows).markdown_rows();
    table + &and_more(entries.len().saturating_sub(MAX_ROWS), "variants")
}

/// Optional columns.
#[derive(Clone, Copy)]
struct OptionalColumns {
    /// Times of kernels in addition to total times.
    kernels: bool,
    /// The level of each interval, if not all have 95 %.
    levels: bool,
}

fn cells(entry: &Entry, fastest: &Fastest, shown: OptionalColumns) -> Vec<String> {
    let row = entry.whole();
    let ratios = entry.ratios(fastest);
    let seconds = |time| units::seconds(time, 3);
    let interval = row.median_s.zip(row.ci95_low_s.zip(row.ci95_high_s));
    let half = interval.map(|(median, (low, high))| (high - low) / 2.0 / median * 100.0);
    let mut cells = vec![
        name(row),
        known(row.median_s, seconds),
        known(half, |half| match shown.levels {
            true => format!("{half:.1} % ({})", level(row)),
            false => format!("{half:.1} %"),
        }),
        known(ratios.total, times),
    ];
    if shown.kernels {
        cells.extend([known(ratios.kernel_s, seconds), known(ratios.kernel, times)]);
    }
    cells.push(share_of_ceiling(row));
    cells
}

fn not_valid(rows: &[&SummaryRow]) -> String {
    let refusals = refusals(rows);
    let shown = refusals.iter().take(MAX_TABLES);
    let lines = shown.map(|refusal| {
        let points = counted(refusal.points, "point");
        let variant = escaped(&refusal.variant);
        let reason = escaped(&refusal.reason);
        format!("- {variant}, {points} without a valid time: {reason}\n")
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => {
            let hidden = refusals.len().saturating_sub(MAX_TABLES);
            format!("\n{lines}{}", and_more(hidden, "reasons"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::fixture::row;
    use super::*;
    use crate::record::YesNo;

    #[test]
    fn the_fastest_comes_first_and_the_wrong_is_named_with_its_reason() {
        let mut wrong = row("wrong|er", "n=1", 0.1);
        wrong.valid = YesNo::No;
        wrong.note = "digi 3 <differs>".into();
        let rows = [row("b", "n=1", 2.0), row("a", "n=1", 1.0), wrong];
        let rows: Vec<_> = rows.iter().collect();
        let text = text(&rows, &Settings::from_rows(rows.iter().copied()), Rank::Total);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("| n 1 · 2 threads"), "{text}");
        assert_eq!(lines[2], "| a | 1.00 s | 3.5 % | 1.00 × | 50 % |");
        assert!(lines[3].starts_with("| b | 2.00 s"), "{text}");
        let refusal = "- wrong\\|er, 1 point without a valid time: digi 3 &lt;differs&gt;";
        assert_eq!(lines[5], refusal);
    }

    #[test]
    fn gpu_variants_have_both_times() {
        let rows = crate::charts::fixture::break_even_rows(&["random"]);
        let rows: Vec<_> = rows.iter().collect();
        let settings = Settings::from_rows(rows.iter().copied());
        let by = |rank| text(&rows, &settings, rank);
        let total = by(Rank::Total);
        let kernel = by(Rank::Kernel);
        let row = "| gpu on cuda:0 | 40.3 µs | 3.5 % | 8.06 × | 8.05 µs | 1.61 × | (50 %) |";
        assert!(total.contains(row), "{total}");
        assert!(total.contains("ranked by: end to end"), "{total}");
        let gpu = "| gpu on cuda:0 | 43.0 µs";
        let large = "| large | 50.0 µs";
        let at = |text: &str, what: &str| text.find(what);
        assert!(at(&kernel, gpu) < at(&kernel, large), "{kernel}");
        assert!(kernel.contains("ranked by: kernels"), "{kernel}");
    }
}
