//! `bench history` from the outside.

use std::fs;

use serde_json::Value;

use crate::common::{Folder, edit_record, fake, folder};

fn write_run(folder: &Folder, name: &str, seed: usize) {
    let medians = [("std-stable", 1e-3)];
    fake::write_run(folder, name, "2026-01-01T00:00:00Z", seed, &medians);
}

/// Returns the output of a command that succeeds.
#[track_caller]
fn succeeds(folder: &Folder, line: &str) -> String {
    folder.bench(line).exits(0).stdout
}

#[test]
fn runs_are_added_listed_accepted_shown_and_pruned() {
    let folder = folder();
    for (seed, name) in ["a", "b", "c"].into_iter().enumerate() {
        write_run(&folder, name, seed);
    }
    let added = succeeds(&folder, "history add a b c");
    assert_eq!(added.matches(": added").count(), 3, "{added}");
    folder.bench("history add a").prints("in the store already");
    let ids = added.lines().filter_map(|line| line.split(':').next());
    let ids: Vec<&str> = ids.collect();

    let accepted = folder.bench(format!("history accept {} --note good", ids[0]));
    accepted.prints("accepted for sort on machine 00ff");
    let listed = succeeds(&folder, "history --accepted");
    assert!(listed.contains(ids[0]) && !listed.contains(ids[1]));
    let latest: Vec<Value> = folder.bench("history list --last 2 --format json").json();
    assert!(latest.iter().map(|run| &run["id"]).eq([ids[2], ids[1]]));
    folder.bench("history show accepted").prints("std-stable");

    let dry = succeeds(&folder, "history prune --keep 1 --dry-run");
    assert_eq!(dry, format!("{}: would be deleted\n", ids[1]));
    let pruned = succeeds(&folder, "history prune --keep 1");
    assert_eq!(pruned, format!("{}: deleted\n", ids[1]));
    let line = "history --format csv --commit abc --since 2025-12-31";
    let left = succeeds(&folder, line);
    assert_eq!(left.lines().count(), 3, "{left}");
    succeeds(&folder, "history unaccept accepted");
    assert_eq!(succeeds(&folder, "history --accepted"), "");
}

#[test]
fn a_missing_file_is_a_usage_error() {
    let folder = folder();
    folder.check(
        "
            2 | history | `bench history add RUN --store results/store` creates one
            2 | history prune | --keep
            2 | history --since yesterday | 2026-01-31
            2 | history --last 2 add a | add
        ",
    );
    write_run(&folder, "a", 1);
    succeeds(&folder, "history add a --store s");
    folder.check(
        r#"
            2 | history show 2025 --store s | did you mean 20260101T000000Z-sort-
            2 | history show accepted --store s | no run "accepted"
            2 | history unaccept latest --store s | is not accepted
            2 | history add a --store a | choose another folder
        "#,
    );
    folder.write("s/store.json", r#"{"schema_version": 9}"#);
    folder.check("1 | history --store s | schema version 9, but this program reads 1");
}

#[test]
fn a_damaged_mark_is_named_and_hides_no_run() {
    let folder = folder();
    write_run(&folder, "a", 1);
    let id = succeeds(&folder, "history add a --store s");
    fs::create_dir(folder.join("s/accepted")).expect("made");
    folder.write("s/accepted/sort@00ff.json", "{");
    let run = folder.bench("history list --store s").exits(0);
    let id = id.split(':').next().unwrap_or_default();
    run.prints(id);
    run.says("s/accepted/sort@00ff.json");
    folder.bench("history prune --keep 1 --store s").exits(1);
}

#[test]
fn a_refused_run_keeps_no_other_out() {
    let folder = folder();
    for name in ["a", "b", "cut"] {
        write_run(&folder, name, name.len());
    }
    folder.write("b/run.json", "{");
    let cut = folder.read("cut/summary.csv");
    folder.write("cut/summary.csv", cut + "sort,std");
    let run = folder.bench("history add b cut missing a").exits(1);
    run.prints(": added").says("b/run.json").says("missing");
    run.says("cut/summary.csv: line 3: the last row is incomplete");
}

#[test]
fn a_store_that_takes_no_more_bytes_says_where_the_run_still_is() {
    let folder = folder();
    write_run(&folder, "a", 1);
    succeeds(&folder, "history add a");
    write_run(&folder, "large", 2);
    let header = folder.read("large/samples.csv");
    let known = "0,sort,std-stable,total,cpu,2,digis=1000,0,0,0.5,0";
    let others = header.split(',').count() - known.split(',').count();
    let line = format!("{known}{}\n", ",".repeat(others));
    folder.write("large/samples.csv", header + &line.repeat(2000));
    let run = folder.bench_with_file_limit(32, "history add large");
    run.exits(1).says("the run is still in large");
    let listed = succeeds(&folder, "history --format csv");
    assert_eq!(listed.lines().count(), 2);
    succeeds(&folder, "history add large");
}

/// Adds a run of each day of January; `slow` takes 10 % more from the 21st on.
fn fill_store(folder: &Folder, days: usize) {
    let mut line = "history add --store s".to_owned();
    for day in 1..=days {
        // Not quite the same each time, as times are.
        let noise = 1.0 + 0.002 * ((day * 7) % 5) as f64;
        let slow = if day > 20 { 1.1 } else { 1.0 };
        let medians = [("steady", 1e-3 * noise), ("slow", 2e-3 * noise * slow)];
        let name = format!("day-{day:02}");
        let date = format!("2026-01-{day:02}T00:00:00Z");
        fake::write_run(folder, &name, &date, 1, &medians);
        line = format!("{line} {name}");
    }
    folder.bench(line).exits(0);
}

#[test]
fn a_change_alarms_until_it_is_accepted() {
    let folder = folder();
    fill_store(&folder, 28);
    let line = "history changes --check --store s";
    let alarm = folder.bench(line).exits(4);
    alarm
        .prints("20260121T000000Z-sort-")
        .prints("SLOWER, same code: the environment changed")
        .prints("1 change, of which 1 to be looked at\n")
        .says("s/accepted-shifts.toml");
    // Without --check it is only reported.
    folder.bench("history changes --store s").exits(0);

    let accepted = "[[accepted]]\nrun = \"20260121T000000Z\"\nnote = \"a new kernel\"\n";
    folder.write("s/accepted-shifts.toml", accepted);
    let known = folder.bench(line).exits(0);
    known.prints("slower, accepted: a new kernel");
    folder.write("other.toml", "");
    let other = format!("{line} --accepted-shifts other.toml");
    folder.bench(other).exits(4);
}

#[test]
fn a_machine_that_changed_is_named_as_long_as_its_runs_are_too_few() {
    let folder = folder();
    let add = |days: std::ops::RangeInclusive<usize>, key: &str| {
        for day in days {
            let name = format!("{key}-{day:02}");
            let date = format!("2026-01-{day:02}T00:00:00Z");
            let noise = 1.0 + 0.002 * ((day * 7) % 5) as f64;
            // Three times as slow on the other machine.
            let factor = if key == "00ff" { 1.0 } else { 3.0 };
            let medians = [("steady", 1e-3 * noise * factor)];
            fake::write_run(&folder, &name, &date, 1, &medians);
            edit_record(&folder.join(&name), |record| record["machine_key"] = key.into());
            folder.bench(format!("history add {name} --store s")).exits(0);
        }
    };
    let check = "history changes --check --store s";
    add(1..=6, "00ff");
    folder.bench(check).exits(0);
    add(7..=9, "11ee");
    let run = folder.bench(check).exits(5);
    run.says("not judged: the machine of 1 point changed");
    run.says("sort steady (machine 11ee, 3 runs there, before on machine 00ff)");
    folder.bench("history changes --store s").exits(0).says("not judged");
    // The new machine has a history of its own by then, and so have two that take turns.
    add(10..=12, "11ee");
    folder.bench(check).exits(0);
    add(13..=13, "00ff");
    folder.bench(check).exits(0);
}

#[test]
fn changes_are_drawn_and_filtered() {
    let folder = folder();
    fill_store(&folder, 26);
    let changes = |flags: &str| folder.bench(format!("history changes --store s {flags}"));
    let drawn = changes("--out charts --format csv").exits(0);
    assert!(folder.join("charts/history-sort.png").exists());
    let svg = folder.read("charts/history-sort.svg");
    // Only what changed.
    assert!(svg.contains("slow ·") && !svg.contains("steady ·"));
    assert_eq!(drawn.stdout.lines().count(), 2, "{}", drawn.stdout);
    changes("--until 2026-01-20 --check").exits(0);
    let steady = changes("--variant stead* --check --all").exits(0);
    steady.prints("steady");
    for filter in ["--axis digis=1k --task so*", "--axis threads=2"] {
        let found = changes(&format!("--format csv {filter}"));
        assert_eq!(found.stdout.lines().count(), 2, "{filter}");
    }
    changes("--axis segments=23").exits(5);
}

#[test]
fn invalid_input_is_refused() {
    let folder = folder();
    fill_store(&folder, 1);
    folder.write("odd.toml", "[[accepted]]\nnote = \"x\"\n");
    folder.check(
        "
            5 | history changes --store s --task sts | no such valid point
            2 | history changes --store s --variant [ | invalid pattern
            2 | history changes --store s --axis digis | NAME=VALUE
            1 | history changes --store s --accepted-shifts gone.toml | gone.toml
            2 | history changes --store s --accepted-shifts odd.toml | odd.toml:1:1: run is needed
        ",
    );
}
