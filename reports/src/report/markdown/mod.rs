//! The report as a text for a merge request: the main results, without pictures.

mod break_even;
mod changes;
mod tables;

use text::Untrusted;

use super::ReportInput;
use super::facts::settings::Settings;
use super::facts::time::{day, minute};
use super::facts::{counted, rows_of, verdict};
use crate::compare::gate;
use crate::published::{Reproduction, heading, sentences};
use crate::record::RunRecord;
use crate::table::escaped;
use crate::units;

/// The whole text.
pub fn text(input: &ReportInput) -> String {
    let mut parts = vec![format!("## {}\n", escaped(&title(input)))];
    let sentences = verdict::sentences(input);
    parts.extend(sentences.iter().map(|line| format!("**{}.**\n", escaped(line))));
    let notes = &input.run.record.notes;
    parts.extend(notes.iter().map(|note| format!("Note: {}\n", escaped(note))));
    parts.extend(input.comparison.map(changes::text));
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
        break_even::text(rows),
        tables::text(rows, &settings, input.rank)
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

#[cfg(test)]
mod tests {
    use super::super::facts::fixture::{comparison, row, run};
    use super::*;
    use crate::compare::Verdict;

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
}
