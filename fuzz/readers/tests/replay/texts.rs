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
