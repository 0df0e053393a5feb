//! Baselines: what is accepted, when nothing is, and the nightly check.

use std::fs;
use std::process::Command;

use crate::common::{
    BENCH, Folder, Run, copy_run, edit_record, edit_rows, folder, in_repository, measuring, program,
};
use reports::record::{SummaryRow, YesNo};
use serde_json::Value;

const SUITE: &str = r#"
name = "mini"
[defaults]
threads = 1
samples = "10..20"
max-time = "100ms"
[[task]]
name = "sort"
variants = ["std-stable", "std-unstable"]
axes = { digis = "2k", segments = 24 }
"#;

/// A folder with the suite, a store, and a run `r` of the suite that is not in it.
fn measured() -> Option<Folder> {
    let folder = measuring()?;
    folder.write("mini.toml", SUITE);
    let line = "run mini.toml --no-store --no-charts --no-ceilings --quiet --out r";
    folder.bench(line).exits(0);
    Some(folder)
}

/// Adds a copy of the run to the store, changed in some way; returns its id.
fn add(folder: &Folder, name: &str, change: impl FnOnce(&mut Value)) -> String {
    copy_run(&folder.join("r"), &folder.join(name));
    edit_record(&folder.join(name), change);
    let added = folder.bench(format!("history add {name} --store s")).exits(0);
    added.stdout.split(':').next().expect("an id").to_owned()
}

/// Makes a run one of another machine.
fn of_another_machine(record: &mut Value) {
    record["machine_key"] = "0db27cc8299d456a".into();
    record["machine"]["cores"] = 4096.into();
    record["started"] = "2026-01-01T00:00:00Z".into();
}

#[test]
fn a_suite_that_is_known_gets_no_baseline_by_itself() {
    let Some(folder) = measured() else { return };
    let baseline = "history baseline mini.toml --store s";
    let none = folder.bench(baseline).exits(0);
    assert_eq!(none.says("no run of mini on machine").stdout, "");
    let elsewhere = add(&folder, "elsewhere", of_another_machine);
    assert_eq!(folder.bench(baseline).exits(0).stdout, "");
    // The first run of all may become the baseline by itself, no later one.
    folder.bench(format!("history accept {elsewhere} --if-none --store s")).exits(0);
    let here = add(&folder, "here", |_| ());
    for line in [
        baseline,
        "run mini.toml --against accepted --store s --out x",
        &format!("history accept {here} --if-none --store s"),
    ] {
        let run = folder.bench(line).exits(5);
        run.says("no baseline of mini on machine").says("any more");
        run.says(&elsewhere).says("0db27cc8299d456a").says(" instead of 4096 cores");
        assert_eq!(run.stdout, "", "{}", run.story());
    }
    assert!(!folder.join("x").exists());
    folder.bench(format!("history accept {here} --store s")).exits(0);
    assert_eq!(folder.bench(baseline).exits(0).stdout, format!("{here}\n"));
    folder.bench(format!("history accept {here} --if-none --store s")).prints("stays accepted");
}

#[test]
fn a_baseline_whose_executable_is_lost_is_not_one_that_never_was() {
    let Some(folder) = measured() else { return };
    let id = add(&folder, "lost", |record| {
        record["software"]["fingerprint"] = "code:of-another-build".into();
    });
    folder.bench(format!("history accept {id} --store s")).exits(0);
    for line in
        ["history baseline mini.toml --store s", "run mini.toml --against accepted --store s"]
    {
        let run = folder.bench(line).exits(5);
        run.says(format!("the executable that made {id} was not kept"));
    }
}

#[test]
fn runs_without_results_are_stored_and_never_accepted() {
    let Some(folder) = measured() else { return };
    let small = |line: &str| Run::from_command(folder.command(line).env("RECOBENCH_SMALL", "1"));
    let line = "run mini.toml --store s --no-charts --quiet --out small";
    small(line).exits(0).says("RECOBENCH_SMALL is set");
    let run = folder.bench("history accept latest --store s").exits(2);
    run.says("can't be accepted").says("RECOBENCH_SMALL");
    folder.bench("history accept latest --if-none --store s").exits(2);
    folder.bench("report small --format markdown --out small.md").exits(0);
    assert!(folder.read("small.md").contains("Note: RECOBENCH_SMALL is set"));
    // A self-test of such runs is not that of the machine.
    let run = small("selftest --suite mini.toml --store s --out test").exits(0);
    run.says("not stored: RECOBENCH_SMALL is set").says("nothing was measured that counts");
    assert!(!folder.join("s/selftest").exists());
    // A run with a variant that was wrong.
    copy_run(&folder.join("r"), &folder.join("wrong"));
    edit_rows(&folder.join("wrong/summary.csv"), |row: &mut SummaryRow| {
        if row.variant == "std-stable" {
            row.valid = YesNo::No;
            row.note = "wrong output: digi 7".into();
        }
    });
    folder.bench("history add wrong --store s").exits(0);
    let run = folder.bench("history accept latest --store s").exits(2);
    run.says("has 1 point whose output was wrong or that failed (std-stable)");
}

/// The nightly check, without its step of cargo.
fn nightly(folder: &Folder, settings: &[(&str, &str)]) -> Run {
    program(folder, "cargo", "exit 0");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut script = Command::new(in_repository("scripts/nightly.sh"));
    script.arg(folder.join("mini.toml")).current_dir(folder.path());
    script.env("PATH", format!("{}:{path}", folder.path().display()));
    script.env("BENCH", BENCH).env("STORE", folder.join("s"));
    script.env("RESULTS", folder.join("n")).env("SCHEDULES", "0").env("VERIFY", "merge");
    script.env("FLAGS", "--no-ceilings --quiet").envs(settings.iter().copied());
    Run::from_command(&mut script)
}

/// The ids of accepted runs.
fn accepted(folder: &Folder) -> Vec<String> {
    let runs: Vec<Value> = folder.bench("history --accepted --store s --format json").json();
    runs.iter().filter_map(|run| run["id"].as_str()).map(str::to_owned).collect()
}

#[test]
fn the_first_night_is_the_baseline_and_the_second_is_compared_with_it() {
    let Some(folder) = measured() else { return };
    nightly(&folder, &[("ACCEPT", "yes")]).exits(2);
    // Without a baseline, nothing passes where nothing is accepted either.
    let run = nightly(&folder, &[("ACCEPT", "0")]).exits(5);
    run.says("nothing was compared");
    assert!(accepted(&folder).is_empty());
    std::thread::sleep(std::time::Duration::from_secs(1));
    nightly(&folder, &[]).exits(0).prints("accepted for mini on machine");
    let first = accepted(&folder);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let run = nightly(&folder, &[]);
    assert!(matches!(run.code, Some(0 | 4)), "{}", run.story());
    assert_eq!((first.len(), accepted(&folder)), (1, first));
    let nights = fs::read_dir(folder.join("n")).expect("readable").flatten();
    let compared = nights.filter(|night| night.path().join("verdict.json").exists());
    assert_eq!(compared.count(), 1);
}

#[test]
fn a_night_on_a_machine_without_its_baseline_is_red_until_one_is_accepted() {
    let Some(folder) = measured() else { return };
    let elsewhere = add(&folder, "elsewhere", of_another_machine);
    folder.bench(format!("history accept {elsewhere} --store s")).exits(0);
    let run = nightly(&folder, &[]).exits(5);
    run.says(" instead of 4096 cores").prints("exit code: 5");
    assert_eq!(accepted(&folder), [elsewhere]);
    std::thread::sleep(std::time::Duration::from_secs(1));
    nightly(&folder, &[("ACCEPT", "1")]);
    assert_eq!(accepted(&folder).len(), 2);
}

#[test]
fn a_folder_without_a_store_has_no_baseline() {
    let folder = folder();
    folder.write("mini.toml", SUITE);
    let run = folder.bench("history baseline mini.toml").exits(0);
    run.says("there is no store");
    folder.check("2 | history baseline nothing.toml | no file nothing.toml");
}
