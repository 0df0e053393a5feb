//! The command line as one piece: formats, files of defaults, lists, budgets, stores.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::common::{bench_in, can_measure, folder};
use harness::cli::{Surroundings, parse_in};
use harness::suite::built_in;
use reports::history::{Filter, Store};
use reports::store::{read_run, read_summary};

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("readable")
}

fn document(name: &str) -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs"), name)
}

#[test]
fn the_documents_and_the_help_list_all_suites() {
    let page = document("suites.md");
    let folder = folder();
    let long = bench_in(folder.path(), "run --help").stdout;
    let short = bench_in(folder.path(), "run -h").stdout;
    for suite in built_in::list() {
        let gpu = if suite.needs_gpu { "yes" } else { "" };
        let row = format!("| `{}` | {gpu} | {} |", suite.name, suite.description);
        assert!(page.contains(&row), "docs/suites.md lacks: {row}");
        assert!(long.contains(suite.name) && short.contains(suite.name));
    }
}

#[test]
fn suites_are_listed_for_people_and_for_programs() {
    let folder = folder();
    let table = bench_in(folder.path(), "list --suites").stdout;
    let json = bench_in(folder.path(), "list --suites --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let suites = json.as_array().expect("a list");
    assert_eq!(suites.len(), built_in::names().len());
    for suite in suites {
        let name = suite["name"].as_str().expect("a name");
        assert!(table.contains(name), "{name}");
        assert_eq!(suite["needs_gpu"], name.starts_with("gpu-"), "{name}");
    }
}

#[test]
fn a_list_of_one_task_names_no_other() {
    let folder = folder();
    let run = bench_in(folder.path(), "list merge");
    assert!(run.stdout.starts_with("merge: "), "{}", run.stdout);
    assert!(!run.stdout.contains("\nsort: "), "{}", run.stdout);
    assert!(run.stdout.contains("[10M]"), "{}", run.stdout);
    let run = bench_in(folder.path(), "list srot");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("did you mean \"sort\"?"),
        "{}",
        run.stderr
    );
}

#[test]
fn examples_are_in_the_long_help_only() {
    let folder = folder();
    for command in ["", "sort ", "compare ", "history "] {
        let long = bench_in(folder.path(), &format!("{command}--help")).stdout;
        let short = bench_in(folder.path(), &format!("{command}-h")).stdout;
        assert!(long.contains("Examples:"), "{command}");
        assert!(!short.contains("Examples:"), "{command}");
        assert!(short.lines().count() < long.lines().count(), "{command}");
        assert!(!long.contains('\u{1b}'), "no terminal, no colours");
    }
    let colored = bench_in(folder.path(), "--color always --help").stdout;
    assert!(colored.contains('\u{1b}'));
}

#[test]
fn formats_go_to_files_beside_standard_output() {
    let folder = folder();
    let line = "list --format json=tasks.json --format table=tasks.txt";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, read(folder.path(), "tasks.txt"));
    let json: serde_json::Value =
        serde_json::from_str(&read(folder.path(), "tasks.json")).expect("JSON");
    assert!(json[0]["variants"].is_array());
    let refused = bench_in(folder.path(), "list --format json --format table");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("--format table=FILE"),
        "{}",
        refused.stderr
    );
    let refused = bench_in(folder.path(), "list --format json=no/such/folder.json");
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("no/such/folder.json"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_task_can_be_dry_run() {
    let folder = folder();
    let line = "sort --segments 24 --digis 1M,2M --threads 1 --variant std-* --dry-run";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let total = "sort: 2 inputs, 4 candidates, at most 40s\n";
    assert!(run.stdout.ends_with(total), "{}", run.stdout);
    let run = bench_in(folder.path(), &format!("{line} --budget 8s --format json"));
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(json["task"], "sort");
    assert_eq!(json["inputs"][0]["at_most_s"], 4.0);
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

#[test]
fn defaults_come_from_the_nearest_file() {
    let folder = folder();
    let below = folder.path().join("a/b");
    fs::create_dir_all(&below).expect("made");
    let file =
        "[sort]\nthreads = 1\ndigis = \"1M\"\nvariant = [\"std-stable\"]\nmax-time = \"3s\"\n";
    fs::write(folder.path().join("recobench.toml"), file).expect("written");
    let run = bench_in(&below, "sort --dry-run");
    let total = "sort: 1 input, 1 candidate, at most 3s\n";
    assert!(run.stdout.ends_with(total), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("1 M digis"), "{}", run.stdout);
    let run = bench_in(&below, "sort --dry-run --digis 2M,3M");
    assert!(run.stdout.contains("sort: 2 inputs"), "{}", run.stdout);
    fs::write(folder.path().join("bad.toml"), "[sort]\nthread = 1\n").expect("written");
    let run = bench_in(folder.path(), "sort --dry-run --config bad.toml");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let problem = "bad.toml:2:1: unknown flag \"thread\"; did you mean \"threads\"?";
    assert!(run.stderr.contains(problem), "{}", run.stderr);
    let run = bench_in(folder.path(), "sort --config gone.toml");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("gone.toml: "), "{}", run.stderr);
    // Who has broken the file needs the help.
    assert_eq!(
        bench_in(folder.path(), "sort -h --config bad.toml").code,
        Some(0)
    );
}

#[test]
fn the_documented_file_of_defaults_is_one() {
    let page = document("configuration.md");
    let example = page.split("```toml\n").nth(1);
    let example = example.and_then(|rest| rest.split("```").next());
    let folder = folder();
    let path = folder.path().join("recobench.toml");
    fs::write(&path, example.expect("an example")).expect("written");
    let here = Surroundings {
        folder: Some(folder.path().to_owned()),
        variable: None,
    };
    let arguments = ["bench", "sort"].map(OsString::from);
    let parsed = parse_in(arguments, &here);
    assert!(
        parsed.is_ok(),
        "{:?}",
        parsed.err().map(|answer| answer.text())
    );
}

#[test]
fn a_mistyped_folder_is_called_one() {
    let folder = folder();
    for line in ["report gone", "export gone --format csv"] {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.contains("gone: no such folder, and no run"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_measuring_command_stores_its_run_with_the_file_of_its_defaults() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let file = "[sort]\nsamples = \"3\"\nno-charts = true\n";
    fs::write(folder.path().join("recobench.toml"), file).expect("written");
    let line = "sort --segments 24 --digis 5k --threads 1 --variant std-* --store s --out r \
                --format csv=rows.csv -q";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let store = Store::open(&folder.path().join("s")).expect("a store");
    assert_eq!(store.list(&Filter::default()).expect("listed").len(), 1);
    let record = read_run(&folder.path().join("r")).expect("a record");
    let note = record
        .notes
        .iter()
        .find(|note| note.starts_with("defaults of flags from"));
    assert!(
        note.is_some_and(|note| note.ends_with("recobench.toml")),
        "{:?}",
        record.notes
    );
    let rows = read(folder.path(), "rows.csv");
    assert_eq!(rows, read(&folder.path().join("r"), "summary.csv"));
}

#[test]
fn the_same_command_goes_on_where_it_was_stopped() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = "sort --segments 24 --digis 5k --threads 1 --variant std-* --samples 3 \
                --no-charts --out r";
    assert_eq!(bench_in(folder.path(), line).code, Some(0));
    let at = folder.path().join("r");
    // As if it had been killed after the first variant.
    let mut record = read_run(&at).expect("a record");
    record.finished = None;
    fs::write(
        at.join("run.json"),
        serde_json::to_string(&record).expect("JSON"),
    )
    .expect("written");
    let whole = read(&at, "summary.csv");
    let kept: Vec<&str> = whole.lines().take(2).collect();
    fs::write(at.join("summary.csv"), kept.join("\n") + "\n").expect("written");
    let other = bench_in(folder.path(), &line.replace("5k", "6k"));
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(
        other.stderr.contains("of another command"),
        "{}",
        other.stderr
    );
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("1 of 2 points are done"),
        "{}",
        run.stderr
    );
    let rows = read_summary(&at).expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(
        rows[0].variant,
        kept[1].split(',').nth(1).expect("a variant")
    );
    let again = bench_in(folder.path(), line);
    assert_eq!(again.code, Some(2), "a run that has ended stays as it is");
}
