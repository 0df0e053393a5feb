//! Limits of the system: exceeding them gives a message, not a panic.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::errno::Errno;
use nix::libc;

use crate::common::stub_gpu::StubGpu;
use crate::common::{BENCH, Folder, Run, folder, measuring, refuse};

/// A control group whose processes and threads are limited; there is one only for root and with
/// version 1 or 2 of the controller at its usual path.
struct Pids(PathBuf);

impl Pids {
    fn new(max: usize) -> Option<Self> {
        let roots = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map(Path::new);
        let group = |root: &Path| root.join(format!("recobench-{}-{max}", std::process::id()));
        let made = roots.into_iter().map(group).find(|group| {
            let limited = fs::create_dir(group)
                .and_then(|()| fs::write(group.join("pids.max"), max.to_string()));
            if limited.is_err() {
                let _ = fs::remove_dir(group);
            }
            limited.is_ok()
        });
        if made.is_none() {
            eprintln!("skipped: no control group can be made here");
        }
        made.map(Pids)
    }

    fn bench(&self, folder: &Folder, line: &str) -> Run {
        let procs = self.0.join("cgroup.procs");
        let script = format!("echo $$ > {} && exec {BENCH} {line}", procs.to_string_lossy());
        Run::from_command(Command::new("sh").args(["-c", &script]).current_dir(&**folder))
    }
}

impl Drop for Pids {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Runs a command that either works or reports that there are too few threads.
#[track_caller]
fn ends_well(run: &Run) {
    assert!(!run.stderr.contains("panicked"), "{}", run.story());
    let words = run.stdout.clone() + &run.stderr;
    let says_why = words.contains("Resource temporarily unavailable");
    let is_refused = says_why && matches!(run.code, Some(1 | 2 | 5));
    // Times of a few samples may differ or be inconclusive.
    let is_unjudged = run.code == Some(5) && words.contains("not judged: ");
    let is_done = matches!(run.code, Some(0 | 4)) || is_unjudged;
    assert!(is_done || is_refused, "{}", run.story());
}

#[test]
fn few_threads_are_no_panic_of_any_command() {
    let Some(folder) = measuring() else { return };
    for out in ["r", "r2"] {
        let line = "sort --segments 24 --digis 2k --samples 5..5 --threads 1 --variant std-* \
                    --store s -q --no-charts";
        folder.bench(format!("{line} --out {out}")).exits(0);
    }
    let run = folder.bench("history --store s --format csv").exits(0).stdout;
    assert_eq!(run.lines().count(), 3, "{run}");
    fs::copy(BENCH, folder.join("base")).expect("copied");
    for max in [1, 2, 3, 4, 6] {
        let Some(pids) = Pids::new(max) else { return };
        for line in [
            "generate sts --segments 24 --digis 100k --out d.bin",
            "generate tpc --sectors 1 --orbits 1 --out d.pages",
            "history --store s",
            "compare r r2",
            "report r --out r.html",
            "export r --format csv",
            "winners r",
            "verify sort --variant std-stable",
            "run smoke --shard 1/8 --against base -q",
            "sort --segments 24 --digis 2k --samples 3..3 --threads 1 --variant std-stable -q",
            "sts --preset mcbm-2024 --scale 0.001 --samples 3..3 --threads 2 --variant online -q",
            "throughput sts --preset mcbm-2024 --scale 0.001 --streams 2 --duration 100ms -q",
            "stream --preset mcbm-2024 --scale 0.001 --processes 1 --duration 200ms -q",
            "devices",
            "list sort",
        ] {
            let run = pids.bench(&folder, line);
            ends_well(&run);
            if max == 1 && line.starts_with("generate") {
                assert_eq!(run.code, Some(1), "{}", run.story());
                run.says("the system gives no thread");
            }
        }
    }
}

#[test]
fn a_small_stack_is_raised_or_refused() {
    let folder = folder();
    let run = folder.bench_with_limit("-S -s 64", "list sort");
    assert_eq!(run.code, Some(0), "{}", run.story());
    let run = folder.bench_with_limit("-s 64", "list sort");
    assert_eq!(run.code, Some(1), "{}", run.story());
    run.says("the stack is limited to 65.5 kB").says("ulimit -s 8192");
}

#[test]
fn fewer_items_are_not_advised_where_they_do_not_help() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24 --digis 2k --threads 1 --variant std-stable --out r";
    let run = folder.bench_with_limit("-v 400000", line).exits(2);
    run.says("whatever the items").says("raise the limit (ulimit -v");
    assert!(!run.stderr.contains("use fewer items"), "{}", run.story());
}

#[test]
fn verifying_is_refused_where_there_is_too_little_memory() {
    let run = folder().bench_with_limit("-v 700000", "verify tpc --seeds 1 -q").exits(2);
    run.says("verifying needs 1.07 GB of memory").says("raise the limit (ulimit -v");
}

#[test]
fn a_store_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let Some(folder) = measuring() else { return };
    // A file where folders are made refuses root as well.
    fs::create_dir(folder.join("s")).expect("made");
    folder.write("s/store.json", "{\"schema_version\": 1}\n");
    folder.write("s/runs", "");
    let line = "sort --segments 24 --digis 2k --samples 3..3 --threads 1 --variant std-stable";
    folder.bench(format!("{line} --out r --store s")).exits(1).says("s/");
    assert!(!folder.join("r").exists(), "it was measured");
    folder.write("file", "");
    folder.bench(format!("{line} --out r --store file")).exits(2);
    assert!(!folder.join("r").exists(), "it was measured");
}

#[test]
fn a_file_of_defaults_that_all_can_write_loads_no_plugin() {
    let folder = folder();
    fs::create_dir_all(folder.join("pub/me")).expect("made");
    folder.write("pub/recobench.toml", "plugin = \"./e.so\"\n");
    let list = |folder: &Folder| {
        Run::from_command(folder.command("list sort").current_dir(folder.join("pub/me")))
    };
    let mode = |mode| {
        let file = folder.join("pub/recobench.toml");
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("permitted");
    };
    mode(0o666);
    let run = list(&folder).exits(0);
    run.says("pub/recobench.toml is ignored: every user can write to it").says("--config");
    mode(0o644);
    let run = list(&folder);
    assert_ne!(run.code, Some(0), "its plugin is missing: {}", run.story());
    run.says("note: plugins that ").says("recobench.toml names: ./e.so");
}

#[test]
fn addresses_that_stay_random_are_noted_next_to_verdicts() {
    let Some(folder) = measuring() else { return };
    folder.write(
        "tiny.toml",
        r#"
name = "tiny"
[defaults]
samples = "10"
max-time = "200ms"
threads = 1
[[task]]
name = "sort"
variants = ["std-stable"]
axes = { digis = "2k", segments = 24 }
"#,
    );
    folder.bench("run tiny.toml --store s --out base -q --no-charts").exits(0);
    let mut against =
        folder.command("run tiny.toml --store s --against base --out new --no-charts");
    refuse(&mut against, libc::SYS_personality, Errno::EPERM);
    let run = Run::from_command(&mut against);
    assert!(matches!(run.code, Some(0 | 4 | 5)), "{}", run.story());
    run.prints("addresses were randomised");
    for side in ["new", "new/base"] {
        assert_eq!(folder.record(side).environment.aslr, Some(true), "{side}");
    }
}

#[test]
fn cpus_that_the_system_does_not_name_are_assumed_with_a_note() {
    let Some(folder) = measuring() else { return };
    let Some(driver) = StubGpu::new() else { return };
    // Real GPU drivers may crash if the CPUs are unknown: libnuma does, which AMD's loads.
    driver.spoil_hip_runtime();
    let line = "sort --segments 24 --digis 2k --samples 3..3 --threads 1 --variant std-stable \
                --device cpu --no-charts --out r";
    let mut sort = folder.command(line);
    driver.lend_to(&mut sort);
    refuse(&mut sort, libc::SYS_sched_getaffinity, Errno::EINVAL);
    let run = Run::from_command(&mut sort).exits(0);
    let note = "the CPUs that may be used are not known (Invalid argument)";
    run.says(note);
    assert!(folder.record("r").notes.iter().any(|known| known.starts_with(note)));
}
