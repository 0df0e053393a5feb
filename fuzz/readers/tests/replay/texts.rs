//! Files that people write, values of flags, and messages between processes.

use super::Corpus;

pub fn corpora() -> Vec<Corpus> {
    let texts = |entries: &[(&'static str, &str)]| {
        entries.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect()
    };
    vec![
        ("suite", texts(&[("small", SUITE)])),
        ("defaults", texts(&[("documented", DEFAULTS)])),
        ("accepted_shifts", texts(&[("two", ACCEPTED)])),
        ("plan_need", texts(&[("interactions", NEED), ("items", NEED_OF_ITEMS)])),
        ("plan_machines", texts(&[("two", MACHINES)])),
        ("mix", texts(&[("two", MIX)])),
        ("protocol", texts(&[("asks", ASKS), ("answers", ANSWERS)])),
        ("trial", texts(&[("events", EVENTS)])),
        ("values", texts(&VALUES)),
    ]
}

const SUITE: &str = r#"name = "small"
description = "two tasks, and what is left out"

[defaults]
threads = [1, 2]
samples = "3..5"
max-time = "1s"

[[task]]
name = "sort"
variants = ["std-*", "block-merge"]

[task.axes]
segments = 24
digis = ["1k", "2k"]

[[task.exclude]]
variant = "std-*"
digis = "2k"
threads = 1

[[task.include]]
digis = "3k"

[[task]]
name = "merge"
"#;
const MIX: &str = r#"places = "cores"

[[load]]
task = "merge"
variant = "sequential"
axes = { tracks = "1k" }
weight = 4

[[load]]
name = "online"
task = "sort"
variant = "rdst"
threads = 2
rate = "200/s"
"#;
const DEFAULTS: &str = r#"store = "results/store"
quiet = true

[sort]
threads = [1, 2]
digis = "2M"
places = "cores"

[run]
budget = "30m"
format = ["table", "csv=results/latest.csv"]

[history.changes]
last = 90
"#;
const ACCEPTED: &str = r#"[[accepted]]
run = "20260131T120000Z-nightly"
note = "hits are sorted, too"
task = "sts"
variant = ["online", "time-sweep"]
params = { preset = "cbm-auau", segments = 24 }

[[accepted]]
run = "2026"
note = "another kernel"
"#;
const NEED: &str = r#"name = "CBM"
task = "sts"
rate = "10MHz"
preset = "cbm-auau"
latency_p99_s = 0.5
headroom = 0.3
availability = 0.999
years = 5
electricity_eur_per_kwh = 0.25
pue = 1.2
"#;
const NEED_OF_ITEMS: &str = r#"name = "both"
items_per_s = 1.5e9
bytes_per_item = 16
headroom = 0
spare_nodes = 2
years = 4.5
electricity_eur_per_kwh = 0.1
pue = 1

[[task]]
name = "sts"
share = 0.75

[[task]]
name = "velo"
share = 0.25
"#;
const MACHINES: &str = r#"[[machine]]
name = "two GPUs"
price_eur = 90000
idle_w = 450
peak_w = 1400
rack_units = 4
network_gbit_s = 800
gpus = 2
availability = 0.99
results = ["runs/a", "runs/b"]
stream = "runs/c"

[[machine]]
name = "cores"
price_eur = 6e3
idle_w = 0
peak_w = 450.5
rack_units = 0.5
network_gbit_s = 100
"#;
const ASKS: &str = r#"{"hello":{"protocol":1,"again":true}}
{"open":{"inputs":[{"seed":7,"points":[]}]}}
{"prepare":{"input":4}}
{"visit":{"input":1,"point":2,"round":3,"samples":5,"warm_up":true,"slowdown":0.05}}
{"finish":{"input":1,"point":2,"stopped_by":"interval","samples":[]}}
"#;
const ANSWERS: &str = r#"{"open":{"unknown":[[null,"no such variant"]],"fingerprints":[["code:12"]]}}
{"prepare":{"items":1000,"input_bytes":8000,"refused":[[]],"generating_s":0.1,"reference_s":1e-3,"checking_s":0.0}}
{"visit":{"rows":[],"seconds":0.25,"failed":[]}}
{"error":{"problem":"inputs have to be opened first"}}
"#;
const EVENTS: &str = r#"{"enter":"run"}
"leave"
{"input":"two digis"}
{"verdict":{"Ok":null}}
{"verdict":{"Err":{"kind":"wrong","text":"not sorted"}}}
"#;
const VALUES: [(&str, &str); 12] = [
    ("count", "187"),
    ("time", "500ms"),
    ("range", "10..100"),
    ("share", "0.05"),
    ("percentage", "1%"),
    ("threads", "12x4"),
    ("moment", "2026-01-31"),
    ("device", "cuda:1"),
    ("cache", "hot"),
    ("number", "12\nsort"),
    ("all", "all"),
    ("decimal", "1.5"),
];
