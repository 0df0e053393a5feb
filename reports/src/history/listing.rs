//! A list of runs as text.

use comfy_table::{Table, presets::NOTHING};

use super::Entry;
use crate::markdown::{escaped, line};
use crate::record::DIRTY;
use crate::table::{Format, TableError};

/// So much of a hash is enough for people.
const SHORT: usize = 10;

/// What people see of a run.
const HEADINGS: [&str; 7] = ["run", "machine", "tasks", "commit", "points", "added", "mark"];

/// What other tools get of a run.
const COLUMNS: [&str; 16] = [
    "id",
    "order",
    "added",
    "started",
    "finished",
    "machine_key",
    "cpu_model",
    "series",
    "suite",
    "tasks",
    "git_commit",
    "points",
    "invalid",
    "problem",
    "accepted",
    "notes",
];

/// The runs as a text that ends with a line break; for people empty without runs.
///
/// # Errors
/// If the runs can't be serialised.
pub fn render(format: Format, entries: &[Entry]) -> Result<String, TableError> {
    match format {
        Format::Table => Ok(terminal(entries)),
        Format::Markdown => Ok(markdown(entries)),
        Format::Csv => csv(entries),
        Format::Json => Ok(serde_json::to_string_pretty(entries)? + "\n"),
    }
}

fn terminal(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(HEADINGS);
    table.add_rows(entries.iter().map(cells));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
    }
    let mut text: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    text.extend(notes(entries).map(|note| format!("  {note}\n")));
    text
}

fn markdown(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut text = line(HEADINGS.map(str::to_owned));
    text += &line(HEADINGS.map(|_| ":--".to_owned()));
    for entry in entries {
        text += &line(cells(entry).map(|cell| escaped(&cell)));
    }
    let notes = notes(entries).map(|note| format!("- {}\n", escaped(&note)));
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        text.push('\n');
    }
    text + &notes.concat()
}

fn cells(entry: &Entry) -> [String; 7] {
    let run = &entry.run;
    let series = match &run.suite {
        Some(_) => format!("{}: {}", run.series, run.tasks),
        None => run.tasks.clone(),
    };
    let points = match run.invalid {
        0 => run.points.to_string(),
        invalid => format!("{} (+ {invalid} not valid)", run.points),
    };
    let commit = run.git_commit.as_deref().map_or("-".to_owned(), short_commit);
    let mark = mark(entry).to_owned();
    let added = run.added.clone();
    [run.id.clone(), short(&run.machine_key), series, commit, points, added, mark]
}

fn mark(entry: &Entry) -> &'static str {
    match (&entry.run.problem, entry.accepted, &entry.run.finished) {
        (Some(_), ..) => "damaged",
        (None, true, _) => "accepted",
        (None, false, None) => "unfinished",
        (None, false, Some(_)) => "",
    }
}

fn notes(entries: &[Entry]) -> impl Iterator<Item = String> {
    entries.iter().flat_map(|entry| {
        let notes = entry.notes.iter();
        notes.map(|note| format!("{}: {}", entry.run.id, note.replace('\n', " ")))
    })
}

fn short_commit(commit: &str) -> String {
    match commit.strip_suffix(DIRTY) {
        Some(commit) => short(commit) + DIRTY,
        None => short(commit),
    }
}

fn short(hash: &str) -> String {
    hash.chars().take(SHORT).collect()
}

fn csv(entries: &[Entry]) -> Result<String, TableError> {
    let failed = |error: &dyn std::fmt::Display| TableError::Csv(error.to_string());
    let mut builder = csv::WriterBuilder::new();
    let mut writer = builder.has_headers(false).from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(|error| failed(&error))?;
    for entry in entries {
        let accepted = if entry.accepted { "yes" } else { "no" };
        let row = (&entry.run, accepted, entry.notes.join("; "));
        writer.serialize(row).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::super::StoredRun;
    use super::*;

    fn entries() -> Vec<Entry> {
        let run = StoredRun {
            id: "20260101T000000Z-sort-0123".into(),
            machine_key: "0123456789abcdef".into(),
            tasks: "sort|x".into(),
            finished: Some("2026".into()),
            ..StoredRun::default()
        };
        let damaged =
            StoredRun { id: "other".into(), problem: Some("gone".into()), ..StoredRun::default() };
        let entry = |run, accepted, notes| Entry { run, accepted, notes };
        vec![entry(run, true, vec![]), entry(damaged, false, vec!["damaged: gone".into()])]
    }

    #[test]
    fn commits_keep_their_mark() {
        assert_eq!(short_commit("0123456789ab"), "0123456789");
        assert_eq!(short_commit("0123456789ab-dirty"), "0123456789-dirty");
    }

    #[test]
    fn people_see_marks_and_notes() {
        let text = render(Format::Table, &entries()).expect("a text");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("run "), "{text}");
        assert!(lines[1].contains(" 0123456789 ") && lines[1].ends_with("accepted"), "{text}");
        assert!(lines[2].ends_with("damaged"), "{text}");
        assert_eq!(lines[3], "  other: damaged: gone");
        assert_eq!(render(Format::Table, &[]).expect("a text"), "");
    }

    #[test]
    fn markdown_has_a_table_and_a_list() {
        let text = render(Format::Markdown, &entries()).expect("a text");
        assert!(text.contains("sort\\|x"), "{text}");
        assert!(text.ends_with("\n\n- other: damaged: gone\n"), "{text}");
    }

    #[test]
    fn csv_and_json_leave_nothing_out() {
        let text = render(Format::Csv, &entries()).expect("a text");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().expect("a header"), COLUMNS.as_slice());
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        assert_eq!(rows.expect("as many fields as columns").len(), 2);
        let json = render(Format::Json, &entries()).expect("a text");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[0]["accepted"], true);
        assert_eq!(json[1]["problem"], "gone");
        let text = render(Format::Csv, &[]).expect("a text");
        assert_eq!(text.trim_end(), COLUMNS.join(","));
    }
}
