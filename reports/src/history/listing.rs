//! A list of runs as text.

use text::Untrusted;

use super::Entry;
use crate::frame::{Frame, json_text};
use crate::record::DIRTY;
use crate::row::{Cell, Record};
use crate::screen::Screen;
use crate::table::{Format, Side, Table, TableError, Tabular, for_people, known};

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

impl Tabular for [Entry] {
    fn tables(&self, _: Screen) -> Vec<Table> {
        let table = Table::new(&COLUMNS, self.iter().map(cells));
        let table = table.with_notes(notes(self).collect());
        vec![table.without_if_narrow(&["points", "machine", "added", "commit"])]
    }

    fn frame(&self) -> Frame {
        Frame::new(&record(&Entry::default()), self.iter().map(record))
    }

    fn text(&self, format: Format, screen: Screen) -> String {
        for_people(format, &self.tables(screen), screen.plain())
    }

    fn json(&self) -> Result<String, TableError> {
        Ok(json_text(self)?)
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

    fn shown(format: Format, entries: &[Entry]) -> String {
        entries.render(format, Screen::default()).expect("a text")
    }

    #[test]
    fn commits_keep_their_mark() {
        assert_eq!(short_commit("0123456789ab"), "0123456789");
        assert_eq!(short_commit("0123456789ab-dirty"), "0123456789-dirty");
    }

    #[test]
    fn people_see_marks_and_notes() {
        let text = shown(Format::Table, &entries());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("run "), "{text}");
        assert!(lines[1].contains(" 0123456789 ") && lines[1].ends_with("accepted"), "{text}");
        assert!(lines[2].ends_with("damaged"), "{text}");
        assert_eq!(lines[3], "  other: damaged: gone");
        assert_eq!(shown(Format::Table, &[]), "");
    }

    #[test]
    fn markdown_has_a_table_and_a_list() {
        let text = shown(Format::Markdown, &entries());
        assert!(text.contains("sort\\|x"), "{text}");
        assert!(text.ends_with("\n\n- other: damaged: gone\n"), "{text}");
    }

    #[test]
    fn csv_and_json_leave_nothing_out() {
        let text = shown(Format::Csv, &entries());
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().expect("a header").len(), 18);
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        assert_eq!(rows.expect("a field for each column").len(), 2);
        let json = shown(Format::Json, &entries());
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json[0]["accepted"], true);
        assert_eq!(json[1]["problem"], "gone");
        let text = shown(Format::Csv, &[]);
        assert!(text.starts_with("id,order,added,") && text.lines().count() == 1, "{text}");
    }
}
