//! Energy: counters of a fake machine, commands that print power, and what comes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Folder, Run, folder, measuring};

/// Two sorts, measured for long enough that there are windows for an interval.
const SORT: &str = "sort --segments 24 --digis 100k --threads 1 --no-charts --max-time 20s \
                    --samples 6..8 --device cpu";
const TWO: &str = "--variant std-stable,std-unstable --quiet";

/// A suite of two inputs, measured for as long.
const SUITE: &str = r#"name = "two"

[defaults]
max-time = "20s"
samples = "6..8"

[[task]]
name = "sort"
variants = ["std-stable"]

[task.axes]
segments = 24
digis = ["100k", "200k"]
"#;

/// Runs until one has all energies.
const ATTEMPTS: usize = 5;

/// A processor with counters that takes constant power.
struct Machine {
    stop: Arc<AtomicBool>,
    clock: Option<JoinHandle<()>>,
    powercap: PathBuf,
}

impl Machine {
    fn start(folder: &Folder, watts: f64) -> Self {
        let powercap = folder.join("powercap");
        let zone = powercap.join("intel-rapl:0");
        fs::create_dir_all(&zone).expect("made");
        for (file, text) in [
            ("name", "package-0"),
            ("max_energy_range_uj", "1000000000"),
            ("constraint_0_name", "long_term"),
            ("constraint_0_power_limit_uw", "125000000"),
        ] {
            fs::write(zone.join(file), text).expect("written");
        }
        let start = Instant::now();
        // It wraps around soon.
        let count = move |zone: &Path| {
            let joules = (990.0 + watts * start.elapsed().as_secs_f64()) % 1000.0;
            fs::write(zone.join("draft"), format!("{:.0}\n", joules * 1e6)).expect("written");
            fs::rename(zone.join("draft"), zone.join("energy_uj")).expect("renamed");
        };
        count(&zone);
        let stop = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&stop);
        let clock = thread::spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                count(&zone);
                thread::sleep(Duration::from_millis(1));
            }
        });
        Machine { stop, clock: Some(clock), powercap }
    }

    fn bench(&self, folder: &Folder, line: &str) -> Run {
        Run::from_command(folder.command(line).env("RECOBENCH_POWERCAP", &self.powercap))
    }

    /// Folder of a run with the energy of all rows. On a busy machine windows with runs may take no
    /// longer than those without: then it is measured again.
    fn measured(&self, folder: &Folder) -> String {
        for _ in 0..ATTEMPTS {
            let name = format!("run-{}", fs::read_dir(folder.path()).expect("readable").count());
            let run = self.bench(folder, &format!("{SORT} {TWO} --out {name}")).exits(0);
            let rows = folder.rows(&name);
            let totals = || rows.iter().filter(|row| row.stage == "total");
            if totals().all(|row| row.joules_per_item().is_some()) {
                assert!(run.stdout.contains("J/item"), "{}", run.stdout);
                return name;
            }
        }
        panic!("no energy in {ATTEMPTS} runs");
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        self.clock.take().map(JoinHandle::join);
    }
}

/// `bench` with a power command.
fn with_command(folder: &Folder, line: &str, script: &str) -> Run {
    let mut command: Command = folder.command(line);
    command.args(["--power-command", script]);
    Run::from_command(command.env("RECOBENCH_POWERCAP", folder.join("none")))
}

#[test]
fn without_counters_energy_is_not_available() {
    let Some(folder) = measuring() else { return };
    let line = format!("{SORT} {TWO} --out r");
    let none = folder.join("none");
    let run = Run::from_command(folder.command(&line).env("RECOBENCH_POWERCAP", &none)).exits(0);
    assert!(!run.stdout.contains("J/item"), "{}", run.stdout);
    let rows = folder.rows("r");
    assert!(rows.iter().all(|row| row.joules_per_item().is_none() && row.energy_source.is_empty()));
    let header = folder.read("r/summary.csv");
    assert!(header.lines().next().is_some_and(|header| header.contains(",j_per_item,")));
    let record = folder.record("r");
    let processors = record.energy.expect("recorded").processors;
    assert!(processors.starts_with("not available: "), "{processors}");
    assert!(processors.contains("has no energy counters of processors (RAPL)"), "{processors}");
    folder.bench("winners r --by energy").exits(5).says("energy is not available").says("RAPL");
}

#[test]
fn counters_are_measured_ranked_and_compared() {
    let Some(folder) = measuring() else { return };
    let machine = Machine::start(&folder, 40.0);
    let a = machine.measured(&folder);
    let rows = folder.rows(&a);
    for row in rows.iter().filter(|row| row.stage == "total") {
        let joules = row.joules_per_item().unwrap_or_else(|| panic!("not measured: {row:?}"));
        // A run takes its time at 40 W; on a busy machine it takes longer in windows.
        let expected = 40.0 * row.median_s.expect("timed") / row.items as f64;
        assert!((0.1..20.0).contains(&(joules / expected)), "{joules} of {expected}: {row:?}");
        assert_eq!(row.energy_source, "cpu");
        assert!(row.energy_s > Some(0.0), "{row:?}");
        assert!(!row.joules_of_windows().is_empty(), "{row:?}");
        assert!(row.metrics.number("cpu_j_per_item").is_some(), "{row:?}");
    }
    let record = folder.record(&a);
    assert_eq!(record.energy.expect("recorded").processors, "available");
    assert_eq!(record.environment.power_caps[0].limit_w, 125.0);
    assert!(record.variables.contains_key("RECOBENCH_POWERCAP"));
    let winners: Value =
        folder.bench(format!("winners {a} --by energy --format json")).exits(0).json();
    assert_eq!(
        (&winners["rows"][0]["by"], &winners["rows"][0]["energy_source"]),
        (&"energy".into(), &"cpu".into())
    );
    folder.bench(format!("winners {a} --by energy --charts maps")).exits(2).says("draws no map");
    let b = machine.measured(&folder);
    let compared = folder.bench(format!("compare {a} {b} --store none"));
    assert!(compared.stdout.contains("energy of 2 points: "), "{}", compared.stdout);
    let json: Value = folder.bench(format!("compare {a} {b} --store none --format json")).json();
    assert_eq!(json["energy"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["energy"][0]["base"]["source"], "cpu");
    for run in [a, b] {
        folder.bench(format!("history add {run} --store s")).exits(0);
    }
    let changes = folder.bench("history changes --by energy --all --store s").exits(0);
    assert!(changes.stdout.contains("change of energy"), "{}", changes.stdout);
    folder.bench("history changes --by energy --charts c --store s").exits(2).says("no chart");
}

#[test]
fn commands_measure_runs_streams_and_idle_power() {
    let Some(folder) = measuring() else { return };
    let script = "while :; do echo 200; sleep 0.01; done";
    let line = format!("{SORT} {TWO} --subtract-idle=1s --out r");
    with_command(&folder, &line, script).exits(0).says("measured for 1.0 s before the run");
    // Power is that of the idle machine: what is left is noise.
    let record = folder.record("r");
    let energy = record.energy.expect("recorded");
    let idle = energy.idle.expect("measured").command_w.expect("read");
    assert!((idle - 200.0).abs() < 1e-6, "{idle}");
    let command = energy.command.expect("there is one");
    assert_eq!((command.state.as_str(), command.integration.as_str()), ("available", "trapezium"));
    let streams = "throughput merge --tracks 1k --variant sequential --device cpu --batch 2 \
                   --duration 2s --streams 1 --no-charts --quiet --out t --format json";
    let json: Value = with_command(&folder, streams, script).exits(0).json();
    let row = &json["rows"][0];
    assert_eq!(row["energy_source"], "command");
    let watts = row["command_w"].as_f64().expect("known");
    assert!((watts - 200.0).abs() < 1e-6, "{watts}");
    let joules = row["j_per_item"].as_f64().expect("known");
    let expected = 200.0 / row["items_per_s"].as_f64().expect("known");
    assert!((joules / expected - 1.0).abs() < 1e-6, "{row}");
}

#[test]
fn points_of_a_suite_have_energy() {
    let Some(folder) = measuring() else { return };
    fs::write(folder.join("two.toml"), SUITE).expect("written");
    let line = "run two.toml --no-save --no-ceilings --no-charts --quiet --out r";
    with_command(&folder, line, "while :; do echo 200; sleep 0.01; done").exits(0);
    let rows = folder.rows("r");
    assert_eq!(rows.len(), 2);
    let command = folder.record("r").energy.and_then(|energy| energy.command).expect("recorded");
    assert_eq!(command.state, "available");
    for row in &rows {
        assert_eq!(row.energy_source, "command");
        assert!(row.joules_per_item().is_some_and(|joules| joules > 0.0));
    }
    let paired = with_command(&folder, "run two.toml --against latest", "yes").exits(2);
    paired.says("--power-command").says("--against");
}

#[test]
fn a_stream_has_the_energy_of_its_items() {
    let Some(folder) = measuring() else { return };
    let machine = Machine::start(&folder, 40.0);
    let line = "stream --preset mcbm-2024 --scale 0.0005 --variant time-sweep --device cpu \
                --processes 1 --duration 500ms --no-charts --quiet --out r --format json";
    let json: Value = machine.bench(&folder, line).json();
    let row = &json["rows"][0];
    assert_eq!(row["energy_source"], "cpu", "{row}");
    let watts = row["cpu_j"].as_f64().expect("known") / row["duration_s"].as_f64().expect("known");
    assert!((20.0..80.0).contains(&watts), "{watts} W: {row}");
    assert!(row["j_per_item"].as_f64().is_some_and(|joules| joules > 0.0), "{row}");
}

#[test]
fn a_command_that_fails_leaves_the_run_without_energy() {
    let Some(folder) = measuring() else { return };
    let cases = [
        ("echo 5; echo 5; exit 3", "ended with exit status: 3"),
        ("echo 5 W; sleep 60", "\"5 W\" in line 1, which is not a number in watts"),
        ("echo 5; echo -5; sleep 60", "\"-5\" in line 2: power is finite and not negative"),
        ("echo NaN; sleep 60", "\"NaN\" in line 1: power is finite"),
        ("yes 5", "more than 1000 lines in a second"),
        ("/no/such/meter", "ended with exit status: 127"),
    ];
    for (number, (script, problem)) in cases.into_iter().enumerate() {
        let line = format!(
            "sort --segments 24 --digis 5k --threads 1 --no-charts --samples 6..8 --device cpu \
             --variant std-stable --out r{number}"
        );
        let run = with_command(&folder, &line, script).exits(0);
        run.says("energy is not available").says(problem);
        let rows = folder.rows(format!("r{number}"));
        assert!(rows.iter().all(|row| row.median_s.is_some() && row.joules_per_item().is_none()));
        let command = folder.record(format!("r{number}")).energy.and_then(|energy| energy.command);
        assert!(command.is_some_and(|command| command.state.contains(problem)), "{script}");
    }
}

#[test]
fn flags_of_energy_are_checked() {
    let folder = folder();
    folder.bench("sort --subtract-idle=soon").exits(2).says("--subtract-idle");
    folder.bench("winners r --by watts").exits(2).says("time");
}
