//! `bench run`: suites as files and by name.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::{BENCH, Run, folder, in_repository, toml_example};
use harness::suite::Suite;

#[test]
fn a_dry_run_lists_inputs_and_measures_nothing() {
    let folder = folder();
    let dry_run = |flags: &str| folder.bench(format!("run smoke --dry-run {flags}")).exits(0);
    dry_run("").prints("smoke: 18 inputs, 64 candidates, at most 38s of sampling; inputs, checks and charts take more");
    let part =
        "smoke, shard 2/2: 9 inputs, 27 candidates, at most 16s of sampling; 17s for all of it\n";
    dry_run("--shard 2/2 --budget 17s").prints(part);
    folder.check("5 | run smoke --dry-run --shard 19/19 | fewer inputs than shards");
    let json: Value = dry_run("--format json").json();
    assert_eq!(json["inputs"].as_array().map(Vec::len), Some(18));
    let csv = dry_run("--format csv").stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.records().map(|row| row.expect("a row"));
    let candidates = rows.map(|row| row[2].parse::<usize>());
    assert_eq!(candidates.sum::<Result<usize, _>>(), Ok(64));
    let left = fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(left, 0);
}

#[test]
fn a_suite_is_read_once_as_a_pipe_has_to_be() {
    let folder = folder();
    let suite = "name = \"piped\"\n[[task]]\nname = \"sort\"\nvariants = \"std-stable\"\n\
        [task.axes]\ndigis = 1000\n";
    folder.write("suite.toml", suite);
    let script = format!("cat suite.toml | {BENCH} run /dev/stdin --dry-run");
    let run =
        Run::from_command(Command::new("sh").args(["-c", &script]).current_dir(folder.path()));
    run.exits(0).prints("piped: 1 input, 1 candidate");
}

#[test]
fn a_suite_with_unknown_names_is_refused_with_all_of_them() {
    let folder = folder();
    let text =
        "name = \"t\"\n[[task]]\nname = \"sort\"\nvariants = \"rdts\"\n[task.axes]\nsegmets = 24\n";
    folder.write("bad.toml", text);
    for line in ["run bad.toml", "run bad.toml --dry-run"] {
        let run = folder.bench(line).exits(2);
        run.says("bench: 2 problems in bad.toml\n")
            .says("\nbad.toml:4:12: unknown variant \"rdts\"; did you mean \"rdst\"?")
            .says("\nbad.toml:6:1: unknown axis \"segmets\" of sort; did you mean \"segments\"?");
    }
}

#[test]
fn an_invalid_suite_is_refused() {
    let folder = folder();
    fs::create_dir(folder.join("folder")).expect("made");
    folder.write("binary.toml", [0xff, 0xfe]);
    folder.check(
        r#"
            2 | run smok | did you mean "smoke"?
            2 | run missing/suite.toml | there is no file missing/suite.toml
            1 | run folder | folder:
            1 | run binary.toml | binary.toml:
            2 | run smoke --shard 3/2 | 1 ≤ I ≤ N
            2 | run smoke --merge a --shard 1/2 | --shard
        "#,
    );
}

#[test]
fn a_file_goes_before_a_built_in_suite() {
    let folder = folder();
    let text = "name = \"mine\"\n[[task]]\nname = \"sort\"\nvariants = \"rdst\"\nthreads = 1\n";
    folder.write("smoke", text);
    let run = folder.bench("run smoke --dry-run");
    run.prints("mine: 1 input, 1 candidate, ");
}

#[test]
fn the_documented_example_is_a_suite() {
    let page = fs::read_to_string(in_repository("docs/suites.md")).expect("readable");
    let suite = Suite::parse("example", toml_example(&page));
    assert!(suite.is_ok(), "{:?}", suite.err());
}
