//! `bench history changes` from the outside.

use crate::common::{Folder, edit_record, folder, made_up};

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
        made_up::write_run(folder, &name, &date, 1, &medians);
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
            made_up::write_run(&folder, &name, &date, 1, &medians);
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
