//! Runs, files and words of others: whatever is in them, what bench prints is text, on lines of
//! bench's own.

use std::fs;
use std::path::Path;

use reports::record::{SampleRow, SummaryRow};
use sha2::{Digest, Sha256};

use crate::common::fake::write_run;
use crate::common::{Folder, Run, edit_record, edit_rows, folder, rows_of};

/// Titles a window, clears a screen, turns what follows around, and fakes a line.
const HOSTILE: &str = "\u{1b}]0;pwned\u{7}\u{1b}[2J\r\u{9b}\u{202e}\u{200b}\nbench: all is well\t";

/// No line of ours is longer: sentences of others end at 1,000 characters, and a row has several.
const LONGEST: usize = 6_000;

/// Of 120 kB.
fn long() -> String {
    "x".repeat(120_000)
}

/// Rewrites the names of a run.
fn spoil(run: &Path, name: &str) {
    edit_rows(&run.join("summary.csv"), |row: &mut SummaryRow| {
        row.variant = format!("{}{name}", row.variant);
        row.stage = row.stage.replace("kernel", name);
        row.note = name.to_owned();
        row.params = format!("digis=1000;order={}", name.replace([';', '='], ""))
            .parse()
            .expect("parameters");
    });
    let rows = reports::store::read_summary(run).expect("readable");
    let mut samples = csv::Writer::from_path(run.join("samples.csv")).expect("writable");
    for (i, row) in rows.iter().enumerate() {
        for round in 0..20 {
            let seconds = row.median_s.expect("a time") * (1.0 + 0.001 * (round % 3) as f64);
            let sample = SampleRow::new(&row.point(), &row.stage, round, i, seconds);
            samples.serialize(sample).expect("written");
        }
    }
    samples.flush().expect("written");
    edit_record(run, |record| {
        record["machine"]["cpu_model"] = name.into();
        record["software"]["git_commit"] = name.into();
        record["suite"] = serde_json::json!({"name": name, "hash": name, "points": 2});
        record["notes"] = serde_json::json!([name]);
    });
}

/// Two runs with such names, `base` and `new`, in a folder.
fn runs(name: &str) -> Folder {
    let folder = folder();
    let medians = [("one", 0.001), ("two", 0.002)];
    write_run(&folder, "base", "2027-01-01T00:00:00Z", 1, &medians);
    write_run(&folder, "new", "2027-01-02T00:00:00Z", 1, &medians.map(|(v, t)| (v, 1.2 * t)));
    for run in ["base", "new"] {
        spoil(&folder.join(run), name);
    }
    folder
}

/// Makes files of a stored run what was stored, as an earlier version may have done.
fn restore(stored: &Path) {
    let mut hash = Sha256::new();
    for name in ["run.json", "samples.csv", "summary.csv"] {
        let bytes = fs::read(stored.join(name)).expect("readable");
        hash.update(name.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let path = stored.join("stored.json");
    let text = fs::read_to_string(&path).expect("readable");
    let mut receipt: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    receipt["sha256"] = hash.into();
    fs::write(path, receipt.to_string()).expect("written");
}

/// Two runs with such names in the store of a folder.
fn store(name: &str) -> Folder {
    let folder = folder();
    for (run, started) in [("a", "2027-01-01T00:00:00Z"), ("b", "2027-01-02T00:00:00Z")] {
        write_run(&folder, run, started, 1, &[("one", 0.001), ("two", 0.002)]);
        folder.bench(format!("history add {run}")).exits(0);
    }
    for entry in fs::read_dir(folder.join("results/store/runs")).expect("runs") {
        let stored = entry.expect("an entry").path();
        spoil(&stored, name);
        restore(&stored);
    }
    folder
}

/// Nothing but text on lines, none of which is another's.
#[track_caller]
fn is_text(text: &str, longest: usize) {
    let hidden = text.chars().find(|&c| c != '\n' && text::is_hidden(c));
    assert_eq!(hidden, None, "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("bench: all is well")), "{text}");
    let found = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    assert!(found <= longest, "a line of {found} characters: {}", &text[..2_000.min(text.len())]);
}

/// Checks a page, which may break lines anywhere. It contains raw data encoded.
#[track_caller]
fn is_page(page: &str) {
    let hidden = page.chars().find(|&c| c != '\n' && text::is_hidden(c));
    assert_eq!(hidden, None);
    let too_long = page.find(&"x".repeat(2_000)).map(|at| &page[at.saturating_sub(300)..at]);
    assert_eq!(too_long, None, "a name of 120 kB is in the page");
}

#[track_caller]
fn says_text(run: &Run) {
    is_text(&run.stdout, LONGEST);
    is_text(&run.stderr, LONGEST);
}

/// The commands that read runs.
const OF_RUNS: &str = "
    compare base new --format table
    compare base new --format markdown
    compare base new --format junit
    compare base new --all
    winners base
    winners base --format markdown
    report new --base base --out r.html
    report new --base base --out r.md
";

#[test]
fn runs_of_others_are_shown_as_text() {
    for name in [HOSTILE.to_owned(), long(), HOSTILE.to_owned() + &long()] {
        let folder = runs(&name);
        for [line] in rows_of(OF_RUNS) {
            let run = folder.bench(line);
            assert!(matches!(run.code, Some(0 | 4)), "{}", run.story());
            says_text(&run);
        }
        is_text(&folder.read("r.md"), LONGEST);
        is_page(&folder.read("r.html"));
    }
    let shown = runs(HOSTILE).bench("winners base").exits(0);
    shown.prints(r"one\u{1b}]0;pwned\u{7}\u{1b}[2J\r\u{9b}\u{202e}\u{200b}");
}

#[test]
fn runs_that_are_stored_already_are_listed() {
    for name in [HOSTILE.to_owned(), long()] {
        let folder = store(&name);
        for line in ["history", "history changes --all", "history --format markdown"] {
            let run = folder.bench(line);
            assert!(!run.stdout.contains("damaged"), "{}", run.story());
            says_text(&run.exits(0));
        }
        for line in ["history accept latest", "history show latest", "history show nothing"] {
            says_text(&folder.bench(line));
        }
        folder.bench("site --out site").exits(0);
        is_page(&folder.read("site/index.html"));
    }
}

#[test]
fn json_says_what_it_said_and_csv_writes_no_formulas() {
    let name = "=cmd()\u{7f}\u{202e}ä";
    let folder = runs(name);
    let store = store(name);
    let run = store.bench("history show latest --format json").exits(0);
    is_text(&run.stdout, LONGEST);
    let json: serde_json::Value = run.json();
    assert_eq!(json["machine"]["cpu_model"], "=cmd()\u{7f}\u{202e}ä");
    let csv = [(&store, "history show latest --format csv"), (&folder, "export base --format csv")];
    for (folder, line) in csv {
        let run = folder.bench(line).exits(0);
        is_text(&run.stdout, LONGEST);
        let mut rows = csv::Reader::from_reader(run.stdout.as_bytes());
        let header = rows.headers().expect("a header").clone();
        let at = header.iter().position(|name| name == "note").expect("a column");
        let first = rows.records().next().expect("a row").expect("CSV");
        assert_eq!(&first[at], r"'=cmd()\u{7f}\u{202e}ä");
    }
    for format in ["prometheus", "influx"] {
        let folder = runs(HOSTILE);
        let run = folder.bench(format!("export base --format {format}")).exits(0);
        is_text(&run.stdout.replace("\nbench: all is well", ""), LONGEST);
    }
    folder.bench("export base --out base.parquet").exits(0);
}

#[test]
fn the_files_of_a_run_are_as_they_were() {
    let folder = runs("=1+1");
    let rows = folder.rows("base");
    assert_eq!(rows[0].note, "=1+1");
    assert!(!folder.read("base/summary.csv").contains("'=1+1"));
}

#[test]
fn a_store_takes_no_names_that_can_not_be_read() {
    for (name, problem) in [("a\u{1b}[2J", "has control characters"), (&long(), "is longer than")] {
        let folder = runs(name);
        let run = folder.bench("history add base");
        says_text(&run);
        run.exits(1).says("base/run.json: cpu_model: ").says(problem);
        edit_record(&folder.join("base"), |record| {
            record["machine"]["cpu_model"] = "Model".into();
            record["software"]["git_commit"] = "abc".into();
            record["suite"] = serde_json::Value::Null;
        });
        let run = folder.bench("history add base");
        says_text(&run);
        run.exits(1).says("base/summary.csv: row 2, variant: \"one").says(problem);
    }
}

/// Words of a command line and files, each with its message.
#[test]
fn messages_repeat_words_of_others_as_text() {
    let folder = folder();
    let hostile = HOSTILE.to_owned() + &long()[..150];
    fs::create_dir(folder.join("results")).expect("made");
    let odd = "odd\u{1b}[2J\u{202e}\n.csv";
    folder.write(odd, format!("{hostile}\n1,2,3,4,5\n"));
    folder.write("header.csv", format!("{}\n", long()));
    let toml = hostile.replace(|c: char| c.is_control(), "");
    folder
        .write("s.toml", format!("\"{toml}\" = 1\n[[task]]\nname = \"{toml}\"\n\"{toml}\" = 2\n"));
    folder.write("broken.toml", format!("{hostile}\n"));
    fs::create_dir(folder.join("run")).expect("made");
    folder.write("run/run.json", format!("{{\"schema_version\": \"{toml}{}\"}}", long()));
    for (arguments, says) in [
        (&["sort", "--variant", &hostile][..], "is not a valid glob"),
        (&["sort", "--variant", "a\nb"], r#"unknown variant "a\nb"; "#),
        (&["sort", "--digis", &hostile], r"\u{1b}]0;pwned\u{7}"),
        (&["sort", "--places", &hostile], r"\nbench: all is well"),
        (&["sort", "--input", odd], r"odd\u{1b}[2J\u{202e}\n.csv, line 1: the header is "),
        (&["sort", "--input", &format!("no{odd}")], r"noodd\u{1b}[2J\u{202e}\n.csv: "),
        (&["sort", "--input", "header.csv"], "(120000 characters)"),
        (&["run", &hostile], r"there is no file "),
        (&["run", "s.toml"], "unknown task "),
        (&["run", "broken.toml"], "broken.toml:1:"),
        (&["list", &hostile], "unknown task "),
        (&["compare", &hostile, &hostile], "no such folder"),
        (&["compare", "run", "run"], "run/run.json: "),
        (&["winners", &hostile], r"no such folder"),
        (&["report", "run", "--out", &hostile], r"pwned"),
        (&["reproduce", &hostile], "unknown figure "),
        (&["export", &hostile, "--format", "csv"], "no such folder"),
        (&["history", "--store", &hostile], "there is no store of runs in "),
        (&["generate", "sts", "--out", &hostile], r"\u{1b}]0;pwned"),
        (&["sort", "--plugin", odd], r"plugin "),
        (&["sort", "--color", &hostile], "--color"),
        (&[&hostile], "unrecognized subcommand"),
        (&["sort", "--config", odd], r"\u{1b}[2J"),
    ] {
        let run = Run::from_command(folder.command("").args(arguments));
        assert!(run.code.is_some_and(|code| code > 0), "{}", run.story());
        says_text(&run);
        run.exits_in_words(says);
    }
}

impl Run {
    /// Asserts that it prints this, without a panic.
    #[track_caller]
    fn exits_in_words(self, says: &str) {
        let code = self.code.unwrap_or_default();
        self.exits(code).says(says);
    }
}
