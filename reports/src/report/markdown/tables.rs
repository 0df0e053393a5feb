//! A compact table for each setting, as many as a reviewer reads.

use super::super::facts::refusals::refusals;
use super::super::facts::settings::Settings;
use super::super::facts::{counted, grouped, median};
use super::text::and_more;
use crate::rank::{KERNEL, Rank, TOTAL, has_kernels};
use crate::record::SummaryRow;
use crate::run_table::share_of;
use crate::shape::{self, name};
use crate::table::{NOTHING, Side, Table, escaped};
use crate::units::{self, times};

/// More settings than this are folded.
const OPEN: usize = 2;
/// Further settings are counted.
const MOST_TABLES: usize = 8;
/// Further variants of a setting are counted.
const MOST_ROWS: usize = 12;

/// The tables, the fastest variant first, and what has no time.
pub fn text(rows: &[&SummaryRow], settings: &Settings, rank: Rank) -> String {
    let of_table = |row: &&SummaryRow| matches!(row.stage.as_str(), TOTAL | KERNEL);
    let valid = rows.iter().copied().filter(|row| median(row).is_some());
    let groups = grouped(valid.filter(of_table), |row| shape::axes(row));
    let tables = groups.iter().take(MOST_TABLES);
    let tables: Vec<String> =
        tables.map(|(axes, rows)| table(&settings.apart(axes), rows, rank)).collect();
    let all = tables.join("\n") + &and_more(groups.len().saturating_sub(MOST_TABLES), "settings");
    let all = match groups.len() > OPEN {
        true => format!("<details><summary>Times</summary>\n\n{all}\n</details>\n"),
        false => all,
    };
    all + &not_valid(rows)
}

fn table(heading: &str, rows: &[&SummaryRow], rank: Rank) -> String {
    let with_kernels = has_kernels(rows.iter().copied());
    let lines = lines(rows, rank);
    let fastest = |time: fn(&Line) -> f64| lines.iter().map(time).fold(f64::INFINITY, f64::min);
    let fastest = (fastest(|line| line.total_s), fastest(|line| line.kernel_s()));
    let mut first = heading.to_owned();
    let mut columns = vec!["median", "± 95 %", "ratio"];
    if with_kernels {
        first = [heading, &rank.sentence()].join(shape::SEPARATOR);
        columns = vec!["total", "± 95 %", "ratio", "kernel", "kernel ratio"];
    }
    columns.push("of copy");
    let columns = columns.into_iter().map(|name| (name, Side::Right));
    let columns: Vec<_> = std::iter::once((first.as_str(), Side::Left)).chain(columns).collect();
    let rows = lines.iter().take(MOST_ROWS).map(|row| row.cells(fastest, with_kernels));
    let table = Table::new(&columns, rows).markdown_rows();
    table + &and_more(lines.len().saturating_sub(MOST_ROWS), "variants")
}

/// A variant with the times that rank it.
struct Line<'a> {
    row: &'a SummaryRow,
    total_s: f64,
    /// Of a variant with kernels.
    kernel_s: Option<f64>,
}

/// The lines of a table, the fastest first.
fn lines<'a>(rows: &[&'a SummaryRow], rank: Rank) -> Vec<Line<'a>> {
    let points = grouped(rows.iter().copied(), |row| row.point()).into_iter();
    let lines = points.filter_map(|(_, rows)| {
        let of = |stage: &str| rows.iter().copied().find(|row| row.stage == stage);
        let row = of(TOTAL)?;
        Some(Line { row, total_s: median(row)?, kernel_s: of(KERNEL).and_then(median) })
    });
    let mut lines: Vec<Line> = lines.collect();
    lines.sort_by(|a, b| a.ranks_by(rank).total_cmp(&b.ranks_by(rank)));
    lines
}

impl Line<'_> {
    fn kernel_s(&self) -> f64 {
        self.kernel_s.unwrap_or(self.total_s)
    }

    fn ranks_by(&self, rank: Rank) -> f64 {
        match rank {
            Rank::Total => self.total_s,
            Rank::Kernel => self.kernel_s(),
        }
    }

    /// `fastest` are the shortest times by the whole and by kernels.
    fn cells(&self, fastest: (f64, f64), with_kernels: bool) -> Vec<String> {
        let row = self.row;
        let interval = row.ci95_low_s.zip(row.ci95_high_s);
        let half = interval.map(|(low, high)| (high - low) / 2.0 / self.total_s * 100.0);
        let nothing = || NOTHING.to_owned();
        let seconds = |time| units::seconds(time, 3);
        let mut cells = vec![
            name(row),
            seconds(self.total_s),
            half.map_or_else(nothing, |half| format!("{half:.1} %")),
            times(self.total_s / fastest.0),
        ];
        if with_kernels {
            cells.extend([
                self.kernel_s.map_or_else(nothing, seconds),
                times(self.kernel_s() / fastest.1),
            ]);
        }
        let share = row.peak_fraction;
        cells.push(share.map_or_else(nothing, share_of(row.ceiling())));
        cells
    }
}

fn not_valid(rows: &[&SummaryRow]) -> String {
    let refusals = refusals(rows);
    let shown = refusals.iter().take(MOST_TABLES);
    let lines = shown.map(|refusal| {
        let points = counted(refusal.points, "point");
        let (variant, reason) = (escaped(&refusal.variant), escaped(&refusal.reason));
        format!("- {variant}, {points} without a valid time: {reason}\n")
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => {
            let hidden = refusals.len().saturating_sub(MOST_TABLES);
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
        let text = text(&rows, &Settings::of_rows(rows.iter().copied()), Rank::Total);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("| n 1 · 2 threads"), "{text}");
        assert_eq!(lines[2], "| a | 1.00 s | 3.5 % | 1.00 × | 50 % |");
        assert!(lines[3].starts_with("| b | 2.00 s"), "{text}");
        let refusal = "- wrong\\|er, 1 point without a valid time: digi 3 &lt;differs&gt;";
        assert_eq!(lines[5], refusal);
    }

    #[test]
    fn what_runs_on_a_gpu_has_both_times() {
        let rows = crate::charts::fixture::break_even_rows(&["random"]);
        let rows: Vec<_> = rows.iter().collect();
        let settings = Settings::of_rows(rows.iter().copied());
        let by = |rank| text(&rows, &settings, rank);
        let (total, kernel) = (by(Rank::Total), by(Rank::Kernel));
        let row = "| gpu on cuda:0 | 40.3 µs | 3.5 % | 8.06 × | 8.05 µs | 1.61 × | (50 %) |";
        assert!(total.contains(row), "{total}");
        assert!(total.contains("ranked by: end to end"), "{total}");
        let (gpu, large) = ("| gpu on cuda:0 | 43.0 µs", "| large | 50.0 µs");
        let at = |text: &str, what: &str| text.find(what);
        assert!(at(&kernel, gpu) < at(&kernel, large), "{kernel}");
        assert!(kernel.contains("ranked by: kernels"), "{kernel}");
    }
}
