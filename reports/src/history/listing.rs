//! A list of runs as text.

use text::Untrusted;

use super::Entry;
use crate::frame::{Cell, Frame, Record, json_text};
use crate::paint::Paint;
use crate::record::DIRTY;
use crate::screen::Screen;
use crate::table::{Format, Side, Table, TableError, for_people, known};

/// Number of characters of a hash that identify machines and commits.
const SHORT: usize = 10;

/// Columns for people.
const COLUMNS: [(&str, Side); 8] = [
    ("run", Side::Left),
    ("machine", Side::Left),
    ("host", Side::Left),
    ("tasks", Side::Left),
    ("commit", Side::Left),
    ("points", Side::Left),
    ("added", Side::Left),
    ("mark", Side::Left),
];

/// The runs as a text that ends with a line break; formats for people give an empty text without
/// runs.
///
/// # Errors
/// If the runs can't be serialised.
pub fn render(format: Format, entries: &[Entry]) -> Result<String, TableError> {
    render_on(Screen::default(), format, entries)
}

/// The runs as [`render`] writes them, for a screen.
///
/// # Errors
/// If the runs can't be serialised.
pub fn render_on(screen: Screen, format: Format, entries: &[Entry]) -> Result<String, TableError> {
    match format {
        Format::Table | Format::Markdown => {
            let table = Table::new(&COLUMNS, entries.iter().map(cells));
            let table = table.with_notes(notes(entries).collect());
            let table = table.without_if_narrow(&["points", "machine", "added", "commit"]);
            Ok(for_people(format, &[table], Screen { paint: Paint::Plain, ..screen }))
        }
        Format::Csv => {
            Ok(Frame::new(&record(&Entry::default()), entries.iter().map(record)).csv()?)
        }
        Format::Json => Ok(json_text(entries)?),
    }
}

fn cells(entry: &Entry) -> [String; 8] {
    let run = &entry.run;
    let series = match &run.suite {
        Some(_) => format!("{}: {}", run.series.escaped(), run.tasks.escaped()),
        None => run.tasks.escaped().to_string(),
    };
    let points = match run.invalid {
        0 => run.points.to_string(),
        invalid => format!("{} (+ {invalid} not valid)", run.points),
    };
    let commit = known(run.git_commit.as_deref(), short_commit);
    let mark = mark(entry).to_owned();
    let added = run.added.clone();
    let host = known(run.host_name.as_deref(), |host| host.escaped().to_string());
    let machine = short(&run.machine_key);
    [run.id.escaped().to_string(), machine, host, series, commit, points, added, mark]
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
        notes.map(|note| format!("{}: {}", entry.run.id.escaped(), note.replace('\n', " ")))
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

fn record(entry: &Entry) -> Record<'_> {
    let run = &entry.run;
    Record::default()
        .with("id", &run.id)
        .with("order", run.order)
        .with("added", Cell::Time(&run.added))
        .with("started", Cell::Time(&run.started))
        .with("finished", Cell::Time(run.finished.as_deref().unwrap_or_default()))
        .with("machine_key", &run.machine_key)
        .with("cpu_model", &run.cpu_model)
        .with("host_name", run.host_name.as_deref())
        .with("gpus", run.gpus.join("+"))
        .with("series", &run.series)
        .with("suite", run.suite.as_deref())
        .with("tasks", &run.tasks)
        .with("git_commit", run.git_commit.as_deref())
        .with("points", run.points)
        .with("invalid", run.invalid)
        .with("problem", run.problem.as_deref())
        .with("accepted", entry.accepted)
        .with("notes", entry.notes.join("; "))
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
        assert_eq!(reader.headers().expect("a header").len(), 18);
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        assert_eq!(rows.expect("a field for each column").len(), 2);
        let json = render(Format::Json, &entries()).expect("a text");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[0]["accepted"], true);
        assert_eq!(json[1]["problem"], "gone");
        let text = render(Format::Csv, &[]).expect("a text");
        assert!(text.starts_with("id,order,added,") && text.lines().count() == 1, "{text}");
    }
}
