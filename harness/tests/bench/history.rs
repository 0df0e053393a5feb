//! `bench history` from the outside.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{BENCH, Run, bench_in, folder};

const RECORD: &str = r#"{"schema_version": 1, "command": ["bench", "sort"],
  "started": "2026-01-01T00:00:00Z", "finished": "2026-01-01T00:01:00Z", "seed": SEED,
  "software": {"version": "0.1.0", "git_commit": "abc123", "compiler": "rustc",
    "build_profile": "release", "target": "x86_64", "target_features": ""},
  "machine_key": "00ff",
  "machine": {"cpu_model": "Model", "architecture": "x86_64", "packages": 1, "cores": 2,
    "hardware_threads": 2, "numa_nodes": 1, "caches": [], "memory_bytes": 1024, "gpus": []},
  "environment": {"kernel": "Linux", "governor": null, "transparent_huge_pages": null,
    "load_1min": 0.5, "available_memory_bytes": 1024, "usable_threads": 2},
  "ceilings": {}, "notes": []}"#;

const ROW: &str = "sort,std-stable,total,cpu,cpu,2,none,false,hot,digis=1000;segments=24,1000,digi,\
    16000,1,samples,0.001,0.001,0,0.001,0.001,0.001,0.001,,,1e6,1.6e7,,16000,2,yes,yes,abc,,";

/// A run folder as `bench sort` leaves it.
fn write_run(folder: &Path, name: &str, seed: usize) {
    use reports::record::{SampleRow, SummaryRow};
    let path = folder.join(name);
    fs::create_dir(&path).expect("made");
    let write = |name: &str, text: String| fs::write(path.join(name), text).expect("written");
    write("run.json", RECORD.replace("SEED", &seed.to_string()));
    write("summary.csv", format!("{}\n{ROW}\n", SummaryRow::COLUMNS));
    write("samples.csv", format!("{}\n", SampleRow::COLUMNS));
}

fn succeeds(folder: &Path, line: &str) -> String {
    let run = bench_in(folder, line);
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    run.stdout
}

#[test]
fn runs_are_added_listed_accepted_shown_and_pruned() {
    let folder = folder();
    let path = folder.path();
    for (seed, name) in ["a", "b", "c"].into_iter().enumerate() {
        write_run(path, name, seed);
    }
    let added = succeeds(path, "history add a b c");
    assert_eq!(added.matches(": added").count(), 3, "{added}");
    assert!(succeeds(path, "history add a").contains("in the store already"));
    let ids: Vec<&str> = added
        .lines()
        .filter_map(|line| line.split(':').next())
        .collect();

    let accepted = succeeds(path, &format!("history accept {} --note good", ids[0]));
    assert!(
        accepted.contains("accepted for sort on machine 00ff"),
        "{accepted}"
    );
    let listed = succeeds(path, "history --accepted");
    assert!(
        listed.contains(ids[0]) && !listed.contains(ids[1]),
        "{listed}"
    );
    let json = succeeds(path, "history list --last 2 --format json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (json[0]["id"].as_str(), json[1]["id"].as_str()),
        (Some(ids[2]), Some(ids[1]))
    );
    assert!(succeeds(path, "history show accepted").contains("std-stable"));

    let dry = succeeds(path, "history prune --keep 1 --dry-run");
    assert_eq!(dry, format!("{}: would be deleted\n", ids[1]));
    assert_eq!(
        succeeds(path, "history prune --keep 1"),
        format!("{}: deleted\n", ids[1])
    );
    let left = succeeds(path, "history --format csv --commit abc --since 2025-12-31");
    assert_eq!(left.lines().count(), 3, "{left}");
    succeeds(path, "history unaccept accepted");
    assert_eq!(succeeds(path, "history --accepted"), "");
}

#[test]
fn what_is_not_there_is_a_usage_error() {
    let folder = folder();
    let path = folder.path();
    let refused = |line: &str, code: i32, message: &str| {
        let run = bench_in(path, line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    };
    refused(
        "history",
        2,
        "`bench history add RUN --store results/store` makes one",
    );
    refused("history prune", 2, "--keep");
    refused("history --since yesterday", 2, "2026-01-31");
    refused("history --last 2 add a", 2, "add");
    write_run(path, "a", 1);
    succeeds(path, "history add a --store s");
    refused(
        "history show 2025 --store s",
        2,
        "did you mean 20260101T000000Z-sort-",
    );
    refused("history show accepted --store s", 2, "no run \"accepted\"");
    refused("history unaccept latest --store s", 2, "is not accepted");
    refused("history add a --store a", 2, "choose another folder");
    fs::write(path.join("s/store.json"), r#"{"schema_version": 9}"#).expect("written");
    refused(
        "history --store s",
        1,
        "schema version 9, but this program reads 1",
    );
}

#[test]
fn a_damaged_mark_is_named_and_hides_no_run() {
    let folder = folder();
    let path = folder.path();
    write_run(path, "a", 1);
    let id = succeeds(path, "history add a --store s");
    fs::create_dir(path.join("s/accepted")).expect("made");
    fs::write(path.join("s/accepted/sort@00ff.json"), "{").expect("written");
    let run = bench_in(path, "history list --store s");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let id = id.split(':').next().unwrap_or_default();
    assert!(run.stdout.contains(id), "{}", run.stdout);
    assert!(
        run.stderr.contains("s/accepted/sort@00ff.json"),
        "{}",
        run.stderr
    );
    let run = bench_in(path, "history prune --keep 1 --store s");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
}

#[test]
fn a_refused_run_keeps_no_other_out() {
    let folder = folder();
    let path = folder.path();
    for name in ["a", "b", "cut"] {
        write_run(path, name, name.len());
    }
    fs::write(path.join("b/run.json"), "{").expect("written");
    let cut = fs::read_to_string(path.join("cut/summary.csv")).expect("read");
    fs::write(path.join("cut/summary.csv"), cut + "sort,std").expect("written");
    let run = bench_in(path, "history add b cut missing a");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains(": added"), "{}", run.stdout);
    for message in [
        "b/run.json",
        "cut/summary.csv: line 3: the last row is incomplete",
        "missing",
    ] {
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

#[test]
fn a_store_that_takes_no_more_bytes_says_where_the_run_still_is() {
    let folder = folder();
    write_run(folder.path(), "a", 1);
    succeeds(folder.path(), "history add a");
    write_run(folder.path(), "large", 2);
    let samples = folder.path().join("large/samples.csv");
    let header = fs::read_to_string(&samples).expect("read");
    let line = "0,sort,std-stable,total,cpu,2,digis=1000,0,0,0.5,0,,,,\n";
    fs::write(&samples, header + &line.repeat(2000)).expect("written");
    // A limit on the size of files, as a disk that has no more blocks.
    let script = format!("trap '' XFSZ; ulimit -f 32; exec {BENCH} history add large");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .output();
    let run = Run::from(output.expect("a shell"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("the run is still in large"),
        "{}",
        run.stderr
    );
    assert_eq!(
        succeeds(folder.path(), "history --format csv")
            .lines()
            .count(),
        2
    );
    succeeds(folder.path(), "history add large");
}
