//! `bench run`: suites as files and by name.

use std::fs;
use std::path::Path;

use crate::common::{bench_in, folder};
use harness::suite::Suite;

#[test]
fn a_dry_run_lists_inputs_and_measures_nothing() {
    let folder = folder();
    let run = bench_in(folder.path(), "run smoke --dry-run");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout
            .contains("smoke: 12 inputs, 46 candidates, at most 28s"),
        "{}",
        run.stdout
    );
    let left = fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(left, 0);
}

#[test]
fn a_dry_run_honours_shard_and_budget() {
    let folder = folder();
    let run = bench_in(
        folder.path(),
        "run smoke --dry-run --shard 2/2 --budget 17s",
    );
    let total = "smoke, shard 2/2: 6 inputs, 19 candidates, at most 11s with a budget of 17s";
    assert!(
        run.stdout.ends_with(&format!("{total}\n")),
        "{}",
        run.stdout
    );
    let run = bench_in(folder.path(), "run smoke --dry-run --shard 13/13");
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(
        run.stderr.contains("fewer inputs than shards"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_dry_run_is_told_to_machines_too() {
    let folder = folder();
    let json = bench_in(folder.path(), "run smoke --dry-run --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["inputs"].as_array().map(Vec::len), Some(12));
    let csv = bench_in(folder.path(), "run smoke --dry-run --format csv").stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let candidates = reader
        .records()
        .map(|row| row.expect("a row")[2].parse::<usize>());
    assert_eq!(candidates.sum::<Result<usize, _>>(), Ok(46));
}

#[test]
fn a_suite_with_unknown_names_is_refused_with_all_of_them() {
    let folder = folder();
    let text =
        "name = \"t\"\n[[task]]\nname = \"sort\"\nvariants = \"rdts\"\n[task.axes]\nsegmets = 24\n";
    fs::write(folder.path().join("bad.toml"), text).expect("written");
    for line in ["run bad.toml", "run bad.toml --dry-run"] {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.starts_with("bench: 2 problems in bad.toml\n"),
            "{}",
            run.stderr
        );
        for problem in [
            "\nbad.toml:4:12: unknown variant \"rdts\"; did you mean \"rdst\"?",
            "\nbad.toml:6:1: unknown axis \"segmets\" of sort; did you mean \"segments\"?",
        ] {
            assert!(run.stderr.contains(problem), "{}", run.stderr);
        }
    }
}

#[test]
fn what_is_no_suite_is_refused() {
    let folder = folder();
    fs::create_dir(folder.path().join("folder")).expect("made");
    fs::write(folder.path().join("binary.toml"), [0xff, 0xfe]).expect("written");
    for (line, code, message) in [
        ("run smok", 2, "did you mean \"smoke\"?"),
        (
            "run missing/suite.toml",
            2,
            "there is no file missing/suite.toml",
        ),
        ("run folder", 1, "folder: "),
        ("run binary.toml", 1, "binary.toml: "),
        ("run smoke --shard 3/2", 2, "1 ≤ I ≤ N"),
        ("run smoke --merge a --shard 1/2", 2, "--shard"),
    ] {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_file_goes_before_a_built_in_suite() {
    let folder = folder();
    let text = "name = \"mine\"\n[[task]]\nname = \"sort\"\nvariants = \"rdst\"\nthreads = 1\n";
    fs::write(folder.path().join("smoke"), text).expect("written");
    let run = bench_in(folder.path(), "run smoke --dry-run");
    assert!(
        run.stdout.contains("mine: 1 input, 1 candidate, "),
        "{}",
        run.stdout
    );
}

#[test]
fn the_documented_example_is_a_suite() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/suites.md");
    let text = fs::read_to_string(page).expect("readable");
    let example = text
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let suite = Suite::parse("example", example.expect("an example"));
    assert!(suite.is_ok(), "{:?}", suite.err());
}
