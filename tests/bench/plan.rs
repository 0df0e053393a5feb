//! `bench plan`.

use reports::record::{RunRecord, SCHEMA_VERSION, YesNo};
use reports::store::ThroughputFolder;
use reports::throughput::ThroughputRow;
use serde_json::Value;

use crate::common::{Folder, Run, folder, in_repository, measuring};

/// 10 M items per second, of which a node takes half of what it can do.
const NEED: &str = r#"name = "farm"
task = "sts"
items_per_s = 10e6
headroom = 0.5
years = 5
electricity_eur_per_kwh = 0.25
pue = 1.25
"#;

/// A node of 10 000 € with 100 to 300 W.
const MACHINES: &str = r#"[[machine]]
name = "node"
price_eur = 10000
idle_w = 100
peak_w = 300
rack_units = 2
network_gbit_s = 10
results = "runs/one"
"#;

const PLAN: &str = "plan --need need.toml --machines machines.toml";

/// A row with events of 1000 items of 16 bytes each, and ± 20 % of the rate.
fn row(task: &str, rate: f64) -> ThroughputRow {
    ThroughputRow {
        point_id: format!("{task}-{rate}"),
        algorithm: task.into(),
        variant: "quick".into(),
        backend: "cpu".into(),
        device: "cpu".into(),
        threads: 1,
        cpu_sets: "none".into(),
        bind: "false".into(),
        params: "preset=cbm-auau;scale=0.1".parse().expect("well formed"),
        streams: 1,
        batch: 2,
        processes: 1,
        items: 1000.0,
        item_unit: "digi".into(),
        bytes_min: 16_000.0,
        events: 1000,
        items_per_s: Some(rate),
        items_per_s_low: Some(0.8 * rate),
        items_per_s_high: Some(1.2 * rate),
        p99_s: Some(0.01),
        cores_share: Some(0.95),
        others_share: Some(0.0),
        valid: YesNo::Yes,
        ..ThroughputRow::default()
    }
}

/// Writes the folder of a run.
fn keep(folder: &Folder, name: &str, rows: &[ThroughputRow]) {
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        finished: Some("2026-11-28T00:00:00Z".into()),
        ..RunRecord::default()
    };
    let mut run = ThroughputFolder::create(&folder.join(name), &record).expect("made");
    for row in rows {
        run.append(row, &[]).expect("written");
    }
}

/// A folder with a need, a machine and a run of these rows.
fn prepared(rows: &[ThroughputRow]) -> Folder {
    let folder = folder();
    std::fs::create_dir(folder.join("runs")).expect("made");
    keep(&folder, "runs/one", rows);
    folder.write("need.toml", NEED);
    folder.write("machines.toml", MACHINES);
    folder
}

fn planned(folder: &Folder, line: &str) -> Value {
    folder.bench(format!("{line} --format json")).exits(0).json()
}

#[track_caller]
fn is_close(value: &Value, key: &str, expected: f64) {
    let value = value[key].as_f64().unwrap_or_else(|| panic!("{key}: {value}"));
    assert!((value - expected).abs() <= 1e-9 * (1.0 + expected), "{key}: {value}, not {expected}");
}

#[test]
fn a_farm_is_planned_by_the_largest_valid_rate() {
    let wrong = ThroughputRow { valid: YesNo::No, ..row("sts", 9e6) };
    let folder = prepared(&[row("sts", 0.5e6), row("sts", 1e6), wrong, row("velo", 7e6)]);
    folder.bench(format!("{PLAN} --format json=plan.json")).exits(0);
    let plan: Value = serde_json::from_str(&folder.read("plan.json")).expect("JSON");
    let [machine] = &plan["machines"].as_array().expect("a list")[..] else { panic!("{plan}") };
    // 10 M / (1 M × 0.5); 20 nodes × (100 W + 0.5 × 200 W) × 1.25; 5 kW × 8760 h × 0.25 €.
    for (key, expected) in [
        ("nodes", 20.0),
        ("nodes_low", 17.0),
        ("nodes_high", 25.0),
        ("gpus", 0.0),
        ("kw", 5.0),
        ("rack_units", 40.0),
        ("eur_purchase", 200_000.0),
        ("eur_per_year", 40_000.0 + 10_950.0),
        ("j_per_event", 0.5),
        ("eur_per_million_events", 50_950.0 / (1e4 * 8760.0 * 3600.0) * 1e6),
    ] {
        is_close(machine, key, expected);
    }
    assert_eq!((&machine["name"], &machine["limited_by"]), (&"node".into(), &"cores".into()));
}

#[test]
fn tables_chart_and_page_state_all_assumptions() {
    let folder = prepared(&[row("sts", 1e6)]);
    let run =
        folder.bench(format!("{PLAN} --out farm --format table --format csv=plan.csv")).exits(0);
    for words in
        ["17 to 25", "-30 % kernel time", "need.toml: headroom", "machines.toml: price_eur of node"]
    {
        run.prints(words);
    }
    folder.has("farm/plan.svg farm/plan.png farm/plan.html");
    let page = folder.read("farm/plan.html");
    for field in ["headroom", "years", "pue", "electricity_eur_per_kwh", "latency_p99_s"] {
        assert!(page.contains(&format!("need.toml: {field}")) || page.contains(field), "{field}");
    }
    assert!(page.contains("<svg"));
    assert!(folder.read("plan.csv").starts_with("name,nodes,nodes_low,nodes_high,gpus,kw,"));
    folder.write("farm/plan.html", "mine");
    folder.bench(format!("{PLAN} --out farm")).exits(2).says("--force");
    folder.bench(format!("{PLAN} --out farm --force")).exits(0);
}

#[test]
fn optional_fields_change_the_farm() {
    let folder =
        prepared(&[row("sts", 1e6), ThroughputRow { p99_s: Some(1.0), ..row("sts", 2e6) }]);
    is_close(&planned(&folder, PLAN)["machines"][0], "nodes", 10.0);
    folder.write("need.toml", format!("{NEED}latency_p99_s = 0.1\nspare_nodes = 3\n"));
    let plan = planned(&folder, PLAN);
    is_close(&plan["machines"][0], "nodes", 23.0);
    assert_eq!(plan["machines"][0]["limited_by"], "latency");
    let rate = NEED.replace("items_per_s = 10e6", "rate = \"1kHz\"\npreset = \"cbm-auau\"");
    folder.write("need.toml", rate);
    // 17.184 M digis per second over 1 M.
    let plan = planned(&folder, PLAN);
    is_close(&plan, "items_per_s", 17.184e6);
    is_close(&plan["machines"][0], "nodes", 18.0);
    is_close(&plan["machines"][0], "events_per_s", 1e3);
    let tasks = "[[task]]\nname = \"sts\"\nshare = 0.5\n[[task]]\nname = \"velo\"\nshare = 0.5\n";
    folder.write("need.toml", NEED.replace("task = \"sts\"\n", "") + tasks);
    keep(&folder, "two", &[row("sts", 1e6), row("velo", 1e6)]);
    folder.write("machines.toml", MACHINES.replace("results = \"runs/one\"\n", ""));
    // 0.5 / 1 M + 0.5 / 1 M per item.
    is_close(&planned(&folder, &format!("{PLAN} --results two"))["machines"][0], "nodes", 20.0);
}

/// Asserts that a plan is refused with an exit code and these words.
#[track_caller]
fn refused(folder: &Folder, code: i32, words: &str) -> Run {
    let run = folder.bench(PLAN).exits(code);
    run.says(words);
    run
}

#[test]
fn missing_unknown_and_invalid_fields_are_named_with_their_file() {
    let folder = prepared(&[row("sts", 1e6)]);
    for key in
        ["name", "task", "items_per_s", "headroom", "years", "electricity_eur_per_kwh", "pue"]
    {
        let kept: Vec<&str> = NEED.lines().filter(|line| !line.starts_with(key)).collect();
        folder.write("need.toml", kept.join("\n"));
        refused(&folder, 2, key).says("need.toml:1:1: ");
    }
    folder.write("need.toml", format!("{NEED}colour = 1\n"));
    refused(&folder, 2, "need.toml:8:1: unknown key \"colour\"");
    folder.write("need.toml", NEED.replace("0.25", "-0.25"));
    refused(&folder, 2, "need.toml:6:")
        .says("electricity_eur_per_kwh \"-0.25\": use a number above 0");
    folder.write("need.toml", NEED.replace("headroom = 0.5", "headroom = 1.0"));
    refused(&folder, 2, "use a share of 0 or more, below 1");
    folder.write("need.toml", NEED);
    folder.write("need.toml", NEED.replace("10e6", "10_000_000"));
    folder.bench(PLAN).exits(0);
    for key in ["name", "price_eur", "idle_w", "peak_w", "rack_units", "network_gbit_s"] {
        let kept: Vec<&str> = MACHINES.lines().filter(|line| !line.starts_with(key)).collect();
        folder.write("machines.toml", kept.join("\n"));
        refused(&folder, 2, key).says("machines.toml:");
    }
    folder.write("machines.toml", MACHINES.replace("10000", "0"));
    refused(&folder, 2, "price_eur \"0\": use a number above 0");
    folder.write("machines.toml", MACHINES.replace("results = \"runs/one\"\n", ""));
    refused(&folder, 2, "node has no results");
    folder.write("machines.toml", MACHINES.replace("runs/one", "runs/two"));
    refused(&folder, 2, "runs/two has neither throughput.csv nor loads.csv");
    folder.bench("plan --need none.toml --machines machines.toml").exits(1).says("none.toml: ");
    folder.bench("plan --machines machines.toml").exits(2).says("--need");
}

#[test]
fn runs_that_do_not_fit_are_refused_with_a_reason() {
    let folder = prepared(&[row("velo", 1e6)]);
    refused(&folder, 5, "no valid row of the task sts").says("tasks there: velo");
    let no_interval = ThroughputRow { items_per_s_low: None, ..row("sts", 1e6) };
    keep(&folder, "no-interval", &[no_interval]);
    let samples = ThroughputRow { item_unit: "sample".into(), ..row("sts", 1e6) };
    keep(&folder, "samples", &[samples]);
    keep(&folder, "right", &[row("sts", 1e6)]);
    let results = |name: &str| MACHINES.replace("runs/one", name);
    folder.write("machines.toml", results("no-interval"));
    refused(&folder, 5, "no 95 % interval");
    folder.write("machines.toml", results("right"));
    folder.write("need.toml", format!("{NEED}latency_p99_s = 1e-3\n"));
    refused(&folder, 5, "no number of nodes meets it");
    folder.write("need.toml", format!("{NEED}preset = \"mcbm-2024\"\n"));
    refused(&folder, 5, "measured with the preset cbm-auau, not mcbm-2024");
    let rate = NEED.replace("items_per_s = 10e6", "rate = 1000\npreset = \"cbm-auau\"");
    folder.write("need.toml", rate);
    folder.write("machines.toml", results("samples"));
    refused(&folder, 5, "digis and samples");
    // One machine of two: the other one is planned.
    folder.write("machines.toml", results("samples").replace("node", "other") + &results("right"));
    let plan = planned(&folder, PLAN);
    assert_eq!(
        (&plan["machines"][0]["name"], &plan["refused"][0]["name"]),
        (&"node".into(), &"other".into())
    );
}

#[test]
fn runs_on_busy_machines_are_marked() {
    let folder = prepared(&[ThroughputRow { others_share: Some(0.05), ..row("sts", 1e6) }]);
    folder.bench(PLAN).exits(0).prints("WARNING: node: runs/one: other processes used 5.0 %");
    let plan = planned(&folder, PLAN);
    assert_eq!(plan["machines"][0]["warnings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn names_are_shown_as_text() {
    let folder = prepared(&[row("sts", 1e6)]);
    let hostile = r#""\u001b[2J<b>name""#;
    folder.write("need.toml", NEED.replace("\"farm\"", hostile));
    folder.write("machines.toml", MACHINES.replace("\"node\"", hostile));
    let run = folder.bench(format!("{PLAN} --out farm")).exits(0);
    let page = folder.read("farm/plan.html");
    for text in [&run.stdout, &page, &folder.read("farm/plan.svg")] {
        assert!(!text.contains('\u{1b}') && text.contains("name"), "{text}");
    }
    assert!(!page.contains("<b>name"));
    folder.write("need.toml", NEED.replace("\"sts\"", hostile));
    let run = refused(&folder, 5, "no valid row of the task");
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
}

#[test]
fn examples_are_planned_by_kept_runs() {
    let folder = folder();
    let files = |name: &str| {
        let [need, machines] = ["need", "machines"]
            .map(|kind| in_repository(&format!("examples/plan/{name}-{kind}.toml")));
        format!("plan --need {} --machines {}", need.display(), machines.display())
    };
    let cbm = planned(&folder, &files("cbm"));
    let nodes: Vec<&Value> =
        cbm["machines"].as_array().expect("a list").iter().map(|it| &it["nodes"]).collect();
    // 171.84 G over 7.62 G, 3.80 G and 335 M digis per second at 70 %, and 2 spare nodes.
    assert_eq!(nodes, [35, 67, 736]);
    assert_eq!(cbm["machines"][1]["limited_by"], "link");
    let mcbm = planned(&folder, &files("mcbm"));
    assert_eq!(mcbm["machines"][0]["nodes"], 1);
    // 210 G over 20.0 G samples per second at 70 %, and a spare one.
    let alice = planned(&folder, &files("alice"));
    assert_eq!(alice["machines"][0]["nodes"], 16);
}

#[test]
fn a_run_of_this_machine_is_planned_with() {
    let Some(folder) = measuring() else { return };
    let line = "throughput tpc --orbits 1 --sectors 1 --variant rows --device cpu --batch 2 \
                --duration 600ms --quiet --streams 1 --out streams --no-charts";
    folder.bench(line).exits(0);
    let machines: String = MACHINES
        .lines()
        .filter(|line| !line.starts_with("results"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("machines.toml", machines);
    let need = in_repository("examples/plan/alice-need.toml");
    let line = format!("plan --need {} --machines machines.toml --results streams", need.display());
    let alice = planned(&folder, &line);
    assert!(alice["machines"][0]["nodes"].as_u64().is_some_and(|nodes| nodes > 10), "{alice}");
}

#[test]
fn availability_takes_spare_nodes() {
    let folder = prepared(&[row("sts", 1e6)]);
    folder.write("need.toml", format!("{NEED}availability = 0.98\n"));
    let missing = folder.bench(PLAN).exits(2);
    missing.says("machines.toml: availability of node is missing; add it");
    folder
        .write("machines.toml", MACHINES.replace("rack_units", "availability = 0.99\nrack_units"));
    let run = folder.bench(format!("{PLAN} --format json")).exits(0);
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    // 20 of 21 nodes work for 98.1 % of the time.
    assert_eq!(document["machines"][0]["nodes"], 21);
    folder.write("need.toml", format!("{NEED}availability = 0.98\nspare_nodes = 1\n"));
    folder.bench(PLAN).exits(2).says("remove one of them");
}

#[test]
fn a_farm_is_simulated_with_a_stream() {
    let Some(folder) = measuring() else { return };
    std::fs::create_dir(folder.join("runs")).expect("made");
    keep(&folder, "runs/one", &[row("sts", 1e6)]);
    folder.write("need.toml", NEED);
    folder.write("machines.toml", format!("{MACHINES}stream = \"runs/stream\"\n"));
    let none = folder.bench(PLAN).exits(2);
    none.says("machines.toml: stream of node: ").says("has no stream.csv");
    let stream = "stream --preset cbm-auau --scale 0.01 --processes 1 --speed 0.2 --duration 1s \
                  --no-charts --out runs/stream";
    folder.bench(stream).exits(0);
    let run = folder.bench(format!("{PLAN} --format json")).exits(0);
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let node = &document["machines"][0];
    assert!(node["simulated_p99_s"].as_f64() >= node["simulated_p50_s"].as_f64());
    assert!(node["simulated_p50_s"].as_f64().is_some_and(|time| time > 0.0), "{node}");
    let share = node["simulated_left_share"].as_f64();
    assert!(share.is_some_and(|share| (0.0..=1.0).contains(&share)), "{share:?}");
    folder.bench(PLAN).exits(0).prints("node: simulated with 20 nodes");
    // A stream among the results is the stream of the machine.
    let results = |list: &str| MACHINES.replace("\"runs/one\"", list);
    folder.write("machines.toml", results("[\"runs/one\", \"runs/stream\"]"));
    folder.bench(PLAN).exits(0).prints("node: simulated with 20 nodes");
    let two = results("[\"runs/one\", \"runs/stream\"]") + "stream = \"runs/stream\"\n";
    folder.write("machines.toml", two);
    folder.bench(PLAN).exits(2).says("node has two streams").says("leave one out");
    folder.write("machines.toml", results("\"runs/stream\""));
    folder.bench(PLAN).exits(2).says("node has results of bench stream only");
    folder.write("need.toml", NEED.replace("sts", "tpc"));
    keep(&folder, "runs/tpc", &[row("tpc", 1e6)]);
    folder.write(
        "machines.toml",
        format!("{}stream = \"runs/stream\"\n", MACHINES.replace("runs/one", "runs/tpc")),
    );
    folder.bench(PLAN).exits(5).says("it has no stream of tpc");
}
