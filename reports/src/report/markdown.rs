//! The report as a text for a merge request: the main results, the points that changed, and the
//! sizes from which on a GPU is faster, without pictures.

use text::Untrusted;

use super::ReportInput;
use super::facts::verdict::{self, changed_points, ratio};
use super::facts::{Settings, counted, day, grouped, minute, refusals, rows_of};
use crate::break_even::{self, Sweep, fastest_variants, sweeps};
use crate::compare::render::{commands, steps};
use crate::compare::{Comparison, PointVerdict, Verdict, gate};
use crate::published::{Reproduction, heading, sentences};
use crate::rank::{KERNEL, Rank, TOTAL, has_kernels};
use crate::record::{FULL_LEVEL, RunRecord, SummaryRow};
use crate::run_table::{Entry, Fastest, entries, level, share_of_ceiling};
use crate::shape::{self, name, point_axes};
use crate::table::{Side, Table, escaped, known};
use crate::units::{self, times};

/// The whole text.
pub fn text(input: &ReportInput) -> String {
    let mut parts = vec![format!("## {}\n", escaped(&title(input)))];
    let sentences = verdict::sentences(input);
    parts.extend(sentences.iter().map(|line| format!("**{}.**\n", escaped(line))));
    let notes = &input.run.record.notes;
    parts.extend(notes.iter().map(|note| format!("Note: {}\n", escaped(note))));
    parts.extend(input.comparison.map(changes_text));
    parts.extend(input.published.iter().map(published));
    for algorithm in input.algorithms() {
        parts.push(task(input, algorithm));
    }
    parts.push(machine(&input.run.record));
    if let Some(comparison) = input.comparison {
        parts.push(format!("{}\n", escaped(&gate::sentence(comparison))));
    }
    parts.join("\n")
}

/// The verdicts on the claims of a published figure.
fn published(reproduction: &Reproduction) -> String {
    let sentences = sentences(reproduction).into_iter();
    let lines: String = sentences.map(|text| format!("- {}\n", escaped(&text))).collect();
    format!("### {}\n\n{lines}", escaped(&heading(reproduction)))
}

fn title(input: &ReportInput) -> String {
    let made = || {
        let tasks = input.algorithms().join(", ");
        format!("{tasks}, {}", day(&input.run.record.started))
    };
    input.title.map_or_else(made, str::to_owned)
}

fn task(input: &ReportInput, algorithm: &str) -> String {
    let rows = &rows_of(&input.run.summary, algorithm);
    let settings = Settings::from_rows(rows.iter().copied());
    format!(
        "### {}\n\n{}\n\n{}{}",
        escaped(algorithm),
        escaped(&settings.common()),
        break_even_text(rows),
        task_tables(rows, &settings, input.rank)
    )
}

/// Number of omitted items; empty if there are none.
fn and_more(hidden: usize, what: &str) -> String {
    match hidden {
        0 => String::new(),
        count => format!("\n… and {count} more {what}\n"),
    }
}

/// `AMD EPYC, 2 cores, 25 GB, …, commit 1b476acfc876`.
fn machine(record: &RunRecord) -> String {
    let machine = &record.machine;
    let software = &record.software;
    let commit = software.git_commit.as_ref();
    let parts = [
        machine.cpu_model.escaped().to_string(),
        counted(machine.cores, "core"),
        units::bytes(machine.memory_bytes as f64),
        record.environment.kernel.clone(),
        software.compiler.clone(),
        commit.map_or_else(|| "commit not known".to_owned(), |c| format!("commit {}", c.escaped())),
        minute(&record.started),
    ];
    format!("Measured on {}.\n", escaped(&parts.join(", ")))
}

const COLUMNS: [(&str, Side); 6] = [
    ("verdict", Side::Left),
    ("point", Side::Left),
    ("before", Side::Right),
    ("now", Side::Right),
    ("ratio [95 %]", Side::Right),
    ("why, and what to do", Side::Left),
];
/// Maximum number of rows; further ones are counted.
const MAX_ROWS: usize = 30;

fn changes_text(comparison: &Comparison) -> String {
    let points = changed_points(comparison);
    let table = match points.is_empty() {
        true => String::new(),
        false => format!("\n{}", rows(&points)),
    };
    let notes = comparison.notes.iter().map(|note| format!("\nNote: {}\n", escaped(note)));
    format!(
        "{}\n{table}{}{}{}",
        counts(comparison),
        commands(steps(comparison)),
        unmatched(comparison),
        notes.collect::<String>()
    )
}

/// `SLOWER 1 · SAME 67, against the run of …`.
fn counts(comparison: &Comparison) -> String {
    let count = |verdict| format!("{verdict} {}", comparison.count(verdict));
    let counts: Vec<String> = Verdict::ALL.map(count).into();
    let base = &comparison.base;
    let commit = base.git_commit.as_ref();
    let commit = commit.map_or_else(String::new, |commit| format!(", commit {}", commit.escaped()));
    let run = escaped(&format!("{}{commit}", minute(&base.started)));
    format!("{}, against the run of {run}.", counts.join(" · "))
}

fn rows(points: &[&PointVerdict]) -> String {
    let settings = Settings::from_points(points.iter().map(|point| point_axes(&point.key.point)));
    let shown = points.iter().take(MAX_ROWS);
    let table = Table::new(&COLUMNS, shown.map(|point| cells(point, &settings)));
    table.markdown_rows() + &and_more(points.len().saturating_sub(MAX_ROWS), "points")
}

fn cells(point: &PointVerdict, settings: &Settings) -> [String; 6] {
    let hint = point.hint.iter().map(|hint| format!("; {hint}"));
    let hint: String = hint.collect();
    let point_name =
        format!("{}, {}", point.key.name(), settings.apart(&point_axes(&point.key.point)));
    [
        point.label(),
        point_name,
        units::seconds(point.base.median_s, 3),
        units::seconds(point.new.median_s, 3),
        ratio(point),
        format!("{}{hint}", point.reason),
    ]
}

fn unmatched(comparison: &Comparison) -> String {
    let wrong = comparison.wrong().count();
    let sides = [
        (wrong, "of the base wrong now, or failed"),
        (comparison.only_base.len() - wrong, "in the base only"),
        (comparison.only_new.len(), "in this run only"),
    ];
    let sides = sides.into_iter().filter(|(count, _)| *count > 0);
    let texts = sides.map(|(count, side)| format!("\n{} {side}.\n", counted(count, "point")));
    texts.collect()
}

/// Maximum number of settings; further ones are counted.
const MAX_SETTINGS: usize = 8;

/// A line for each setting; empty if no CPU and GPU were measured at enough sizes.
fn break_even_text(rows: &[&SummaryRow]) -> String {
    let sweeps = sweeps(rows);
    if sweeps.is_empty() {
        return String::new();
    }
    let lines: String = sweeps.iter().take(MAX_SETTINGS).map(line).collect();
    let more = and_more(sweeps.len().saturating_sub(MAX_SETTINGS), "settings");
    format!("Size from which a GPU is faster:\n\n{lines}{more}\n")
}

fn line(sweep: &Sweep) -> String {
    let setting = match shape::phrases(&sweep.setting) {
        words if words.is_empty() => words,
        words => format!("{words}: "),
    };
    let phrases = break_even::sentences(sweep).join("; ");
    let line = format!("{setting}{phrases} ({})", fastest_variants(sweep));
    format!("- {}\n", escaped(&line))
}

/// Number of settings from which on tables are folded.
const OPEN: usize = 2;
/// Maximum number of tables; further settings are counted.
const MAX_TABLES: usize = 8;
/// Maximum number of rows of a setting; further variants are counted.
const MAX_VARIANTS: usize = 12;

/// The tables, the fastest variant first, and the rows without a time.
fn task_tables(rows: &[&SummaryRow], settings: &Settings, rank: Rank) -> String {
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
    let rows = entries.iter().take(MAX_VARIANTS).map(|entry| variant_cells(entry, &fastest, shown));
    let table = Table::new(&columns, rows).markdown_rows();
    table + &and_more(entries.len().saturating_sub(MAX_VARIANTS), "variants")
}

/// Optional columns.
#[derive(Clone, Copy)]
struct OptionalColumns {
    /// Times of kernels in addition to total times.
    kernels: bool,
    /// The level of each interval, if not all have 95 %.
    levels: bool,
}

fn variant_cells(entry: &Entry, fastest: &Fastest, shown: OptionalColumns) -> Vec<String> {
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
    use super::super::facts::fixture::{comparison, row, run};
    use super::*;
    use crate::charts::fixture::break_even_rows;
    use crate::compare::Verdict;
    use crate::record::YesNo;

    #[test]
    fn the_verdict_comes_first_and_the_machine_last() {
        let run = run(vec![row("a", "n=1", 1.0), row("b", "n=1", 2.0)]);
        let comparison = comparison(&[Verdict::Slower, Verdict::Same]);
        let input = ReportInput { comparison: Some(&comparison), ..ReportInput::for_run(&run) };
        let text = text(&input);
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines[0], "## sort, 2026-01-01");
        assert!(lines[1].starts_with("**1 of 2 points is slower"), "{text}");
        assert!(lines[2].starts_with("**sort: a is the fastest"), "{text}");
        assert!(lines[lines.len() - 2].starts_with("Measured on Model 9000"));
        assert!(run.record.notes.iter().all(|note| text.contains(&format!("\nNote: {note}\n"))));
        assert!(lines[lines.len() - 1].starts_with("Error rates on this machine"));
    }

    #[test]
    fn many_points_stay_short() {
        let point = |i: usize| row(&format!("v{}", i % 20), &format!("n={}", i / 20), 1.0);
        let run = run((0..2000).map(point).collect());
        let comparison = comparison(&[Verdict::Slower; 2000]);
        let input = ReportInput { comparison: Some(&comparison), ..ReportInput::for_run(&run) };
        let text = text(&input);
        // Maximum size of a comment on GitHub.
        assert!(text.len() < 65_536, "{} bytes", text.len());
        assert!(text.contains("and 1970 more"), "{text}");
    }

    #[test]
    fn unchanged_points_are_counted_and_not_listed() {
        use Verdict::{Inconclusive, Same, Slower};
        let mut comparison = comparison(&[Same, Inconclusive, Slower]);
        comparison.points[2].reason = "a | b\nc".into();
        let text = changes_text(&comparison);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[2].starts_with("| SLOWER | v2, "), "{text}");
        assert!(rows[2].ends_with("a \\| b c |"), "{text}");
        assert!(rows[3].starts_with("| INCONCLUSIVE | v1, "), "{text}");
        assert!(text.contains("SAME 1, against the run of 2025-12-31 23:00 UTC"));
        assert!(text.contains("1 point in this run only."));
    }

    #[test]
    fn each_setting_has_a_line() {
        let rows = break_even_rows(&["random", "time"]);
        let text = break_even_text(&rows.iter().collect::<Vec<_>>());
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("- order random: from 1"), "{text}");
        assert!(lines[0].contains("the GPU wins by its kernels alone"), "{text}");
    }

    #[test]
    fn without_a_gpu_there_are_no_sentences() {
        let mut rows = break_even_rows(&["random"]);
        rows.retain(|row| row.device == "cpu");
        assert_eq!(break_even_text(&rows.iter().collect::<Vec<_>>()), "");
    }

    #[test]
    fn the_fastest_comes_first_and_the_wrong_is_named_with_its_reason() {
        let mut wrong = row("wrong|er", "n=1", 0.1);
        wrong.valid = YesNo::No;
        wrong.note = "digi 3 <differs>".into();
        let rows = [row("b", "n=1", 2.0), row("a", "n=1", 1.0), wrong];
        let rows: Vec<_> = rows.iter().collect();
        let text = task_tables(&rows, &Settings::from_rows(rows.iter().copied()), Rank::Total);
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
        let by = |rank| task_tables(&rows, &settings, rank);
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
