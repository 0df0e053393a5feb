//! The command line as one piece: formats, files of defaults, lists, budgets, stores.

use std::ffi::OsString;
use std::fs;

use crate::common::{Run, edit_record, folder, in_repository, measuring, toml_example};
use harness::cli::{CommandEnvironment, parse_in};
use harness::suite::built_in;
use reports::history::{Filter, Store};
use serde_json::Value;

fn document(name: &str) -> String {
    fs::read_to_string(in_repository("docs").join(name)).expect("readable")
}

#[test]
fn the_documents_and_the_help_list_all_suites() {
    let page = document("suites.md");
    let folder = folder();
    let long = folder.bench("run --help").stdout;
    let short = folder.bench("run -h").stdout;
    crate::common::set_tasks();
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
    let table = folder.bench("list --suites").stdout;
    let suites: Vec<Value> = folder.bench("list --suites --format json").json();
    crate::common::set_tasks();
    assert_eq!(suites.len(), built_in::names().len());
    for suite in suites {
        let name = suite["name"].as_str().expect("a name");
        assert!(table.contains(name), "{name}");
        assert_eq!(suite["needs_gpu"], name.starts_with("gpu-"), "{name}");
    }
}

#[test]
fn a_list_of_one_task_names_no_other() {
    let run = folder().bench("list merge");
    let is_alone = run.stdout.starts_with("merge: ") && !run.stdout.contains("\nsort: ");
    assert!(is_alone, "{}", run.stdout);
    run.prints("[10M]");
    folder().check(r#"2 | list srot | did you mean "sort"?"#);
}

#[test]
fn examples_are_in_the_long_help_only() {
    let folder = folder();
    for command in ["run ", "sort ", "compare ", "history "] {
        let long = folder.bench(format!("{command}--help")).stdout;
        let short = folder.bench(format!("{command}-h")).stdout;
        assert!(long.contains("Examples:"), "{command}");
        assert!(!short.contains("Examples:"), "{command}");
        assert!(short.lines().count() < long.lines().count(), "{command}");
        assert!(!long.contains('\u{1b}'), "no terminal, no colours");
    }
    let colored = folder.bench("--color always --help").stdout;
    assert!(colored.contains('\u{1b}'));
}

#[test]
fn formats_go_to_files_next_to_standard_output() {
    let folder = folder();
    let line = "list --format json=tasks.json --format table=tasks.txt";
    let run = folder.bench(line).exits(0);
    assert_eq!(run.stdout, folder.read("tasks.txt"));
    let json: Value = serde_json::from_str(&folder.read("tasks.json")).expect("JSON");
    assert!(json[0]["variants"].is_array());
    folder.check(
        "
            2 | list --format json --format table | --format table=FILE
            1 | list --format json=no/such/folder.json | no/such/folder.json
        ",
    );
}

#[test]
fn a_task_can_be_dry_run() {
    let folder = folder();
    let line = "sort --segments 24 --digis 1M,2M --threads 1 --variant std-* --dry-run";
    let run = folder.bench(line).exits(0);
    let total = "sort: 2 inputs, 4 candidates, at most 10s of sampling; inputs, checks and charts take more\n";
    assert!(run.stdout.ends_with(total), "{}", run.stdout);
    let run = folder.bench(format!("{line} --budget 4s --format json"));
    let json: Value = run.json();
    assert_eq!(json["task"], "sort");
    assert_eq!(json["inputs"][0]["at_most_s"], 2.0);
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

#[test]
fn defaults_come_from_the_nearest_file() {
    let folder = folder();
    let below = folder.join("a/b");
    fs::create_dir_all(&below).expect("made");
    let dry_run = |flags: &str| {
        let mut command = folder.command(&format!("sort --dry-run {flags}"));
        Run::from_command(command.current_dir(&below))
    };
    let sort = "threads = 1\ndigis = \"1M\"\nvariant = [\"std-stable\"]\nmax-time = \"3s\"\n";
    folder.write("recobench.toml", format!("[sort]\n{sort}"));
    let run = dry_run("");
    run.prints("1 M digis").prints("sort: 1 input, 1 candidate, at most 3s of sampling; ");
    dry_run("--digis 2M,3M").prints("sort: 2 inputs");
    folder.write("bad.toml", "[sort]\nthread = 1\n");
    folder.check(
        r#"
            2 | sort --config bad.toml | bad.toml:2:1: unknown flag "thread"; did you mean "threads"?
            2 | sort --config gone.toml | gone.toml:
        "#,
    );
    // The help works with a broken file.
    folder.bench("sort -h --config bad.toml").exits(0);
}

#[test]
fn the_documented_file_of_defaults_is_one() {
    let folder = folder();
    let page = document("configuration.md");
    folder.write("recobench.toml", toml_example(&page));
    let here = CommandEnvironment { folder: Some(folder.path().to_owned()), variable: None };
    let arguments = ["bench", "sort"].map(OsString::from);
    crate::common::set_tasks();
    let problem = parse_in(arguments, &here).err().map(|answer| answer.text());
    assert_eq!(problem, None);
}

#[test]
fn a_mistyped_folder_is_called_one() {
    folder().check(
        "
            2 | report gone | gone: no such folder, and no run
            2 | export gone --format csv | gone: no such folder, and no run
        ",
    );
}

#[test]
fn a_measuring_command_stores_its_run_with_the_file_of_its_defaults() {
    let Some(folder) = measuring() else { return };
    let file = "[sort]\nsamples = \"3\"\nno-charts = true\n";
    folder.write("recobench.toml", file);
    let line = "sort --segments 24 --digis 5k --threads 1 --variant std-* --store s --out r \
                --format csv=rows.csv -q";
    folder.bench(line).exits(0);
    let store = Store::open(&folder.join("s")).expect("a store");
    assert_eq!(store.list(&Filter::default()).expect("listed").len(), 1);
    let mut notes = folder.record("r").notes.into_iter();
    let note = notes.find(|note| note.starts_with("defaults of flags from"));
    assert!(note.is_some_and(|note| note.ends_with("recobench.toml")));
    assert_eq!(folder.read("rows.csv"), folder.read("r/summary.csv"));
}

#[test]
fn the_same_command_resumes_where_it_was_stopped() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24 --digis 5k --threads 1 --variant std-* --samples 3 \
                --no-charts --out r";
    folder.bench(line).exits(0);
    // As if it had been killed after the first variant.
    edit_record(&folder.join("r"), |record| record["finished"] = Value::Null);
    let whole = folder.read("r/summary.csv");
    let kept: Vec<&str> = whole.lines().take(2).collect();
    folder.write("r/summary.csv", kept.join("\n") + "\n");
    let other = folder.bench(line.replace("5k", "6k")).exits(2);
    other.says("of another command");
    let run = folder.bench(line).exits(0);
    run.says("1 of 2 points are done");
    let rows = folder.rows("r");
    assert_eq!(rows.len(), 2);
    assert_eq!(kept[1].split(',').nth(1), Some(rows[0].variant.as_str()));
    // A run that has ended stays as it is.
    folder.bench(line).exits(2);
}
