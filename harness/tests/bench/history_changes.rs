//! `bench history changes` from the outside.

use std::fs;
use std::path::Path;

use crate::common::{bench_in, folder};

const RECORD: &str = r#"{"schema_version": 1, "command": ["bench", "sort"],
  "started": "DAY", "finished": "2027-01-01T00:01:00Z", "seed": 1,
  "software": {"version": "0.1.0", "git_commit": "abc123", "compiler": "rustc",
    "build_profile": "release", "target": "x86_64", "target_features": ""},
  "machine_key": "00ff",
  "machine": {"cpu_model": "Model", "architecture": "x86_64", "packages": 1, "cores": 2,
    "hardware_threads": 2, "numa_nodes": 1, "caches": [], "memory_bytes": 1024, "gpus": []},
  "environment": {"kernel": "Linux", "governor": null, "transparent_huge_pages": null,
    "load_1min": 0.5, "available_memory_bytes": 1024, "usable_threads": 2},
  "ceilings": {}, "notes": []}"#;

/// Row by its variant and median; the fingerprint never changes.
fn row(variant: &str, median: f64) -> String {
    format!(
        "sort,{variant},total,cpu,cpu,2,none,false,hot,digis=1000;segments=24,1000,digi,16000,\
         10,samples,{median},{median},0,{median},{median},{median},{median},,,1e6,1.6e7,,16000,2,\
         yes,yes,abc,,\n"
    )
}

/// Adds a run of each day of January; `slow` takes 10 % more from the 21st on.
fn fill_store(folder: &Path, days: usize) {
    use reports::record::{SampleRow, SummaryRow};
    for day in 1..=days {
        let path = folder.join(format!("day-{day:02}"));
        fs::create_dir(&path).expect("made");
        let write = |name: &str, text: String| fs::write(path.join(name), text).expect("written");
        // Not quite the same each time, as times are.
        let noise = 1.0 + 0.002 * ((day * 7) % 5) as f64;
        let slow = if day > 20 { 1.1 } else { 1.0 };
        let rows = row("steady", 1e-3 * noise) + &row("slow", 2e-3 * noise * slow);
        let date = format!("2026-01-{day:02}T00:00:00Z");
        write("run.json", RECORD.replace("DAY", &date));
        write("summary.csv", format!("{}\n{rows}", SummaryRow::COLUMNS));
        write("samples.csv", format!("{}\n", SampleRow::COLUMNS));
        let added = bench_in(folder, &format!("history add day-{day:02} --store s"));
        assert_eq!(added.code, Some(0), "{}", added.stderr);
    }
}

#[test]
fn a_change_alarms_until_it_is_accepted() {
    let folder = folder();
    let path = folder.path();
    fill_store(path, 28);
    let line = "history changes --check --store s";
    let alarm = bench_in(path, line);
    assert_eq!(alarm.code, Some(4), "{}", alarm.stderr);
    assert!(
        alarm.stdout.contains("20260121T000000Z-sort-"),
        "{}",
        alarm.stdout
    );
    let words = "SLOWER, by the same code: the environment changed";
    assert!(alarm.stdout.contains(words), "{}", alarm.stdout);
    assert!(
        alarm
            .stdout
            .ends_with("1 change, of which 1 to be looked at\n"),
        "{}",
        alarm.stdout
    );
    assert!(
        alarm.stderr.contains("s/accepted-shifts.toml"),
        "{}",
        alarm.stderr
    );
    // Without --check it is told, and no more.
    assert_eq!(bench_in(path, "history changes --store s").code, Some(0));

    let accepted = "[[accepted]]\nrun = \"20260121T000000Z\"\nnote = \"a new kernel\"\n";
    fs::write(path.join("s/accepted-shifts.toml"), accepted).expect("written");
    let known = bench_in(path, line);
    assert_eq!(known.code, Some(0), "{}", known.stdout);
    assert!(
        known.stdout.contains("slower, accepted: a new kernel"),
        "{}",
        known.stdout
    );
    fs::write(path.join("other.toml"), "").expect("written");
    let other = bench_in(path, &format!("{line} --accepted-shifts other.toml"));
    assert_eq!(other.code, Some(4), "{}", other.stderr);
}

#[test]
fn changes_are_drawn_and_filtered() {
    let folder = folder();
    let path = folder.path();
    fill_store(path, 26);
    let drawn = bench_in(path, "history changes --store s --out charts --format csv");
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    assert!(
        path.join("charts/history-sort.png").exists(),
        "{}",
        drawn.stderr
    );
    let svg = fs::read_to_string(path.join("charts/history-sort.svg")).expect("readable");
    assert!(
        svg.contains("slow ·") && !svg.contains("steady ·"),
        "only what changed"
    );
    assert_eq!(drawn.stdout.lines().count(), 2, "{}", drawn.stdout);
    let before = bench_in(path, "history changes --store s --until 2026-01-20 --check");
    assert_eq!(before.code, Some(0), "{}", before.stdout);
    let steady = bench_in(
        path,
        "history changes --store s --variant stead* --check --all",
    );
    assert_eq!(steady.code, Some(0), "{}", steady.stdout);
    assert!(steady.stdout.contains("steady"), "{}", steady.stdout);
    for (filter, lines) in [("--axis digis=1k --task so*", 2), ("--axis threads=2", 2)] {
        let line = format!("history changes --store s --format csv {filter}");
        let found = bench_in(path, &line);
        assert_eq!(
            found.stdout.lines().count(),
            lines,
            "{line}: {}",
            found.stderr
        );
    }
    let other = bench_in(path, "history changes --store s --axis segments=23");
    assert_eq!(other.code, Some(5), "{}", other.stdout);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    let path = folder.path();
    fill_store(path, 1);
    let refused = |line: &str, code: i32, message: &str| {
        let run = bench_in(path, line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    };
    refused(
        "history changes --store s --task sts",
        5,
        "no such valid point",
    );
    refused("history changes --store s --variant [", 2, "is no pattern");
    refused("history changes --store s --axis digis", 2, "NAME=VALUE");
    refused(
        "history changes --store s --accepted-shifts gone.toml",
        1,
        "gone.toml",
    );
    fs::write(path.join("odd.toml"), "[[accepted]]\nnote = \"x\"\n").expect("written");
    let line = "history changes --store s --accepted-shifts odd.toml";
    refused(line, 2, "odd.toml:1:1: run is needed");
}
