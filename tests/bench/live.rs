//! Live metrics of a stream, pulled and pushed, with test servers and, if installed, real ones.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::common::servers::{Servers, are_installed, curl, port, retried, words};
use crate::common::{Folder, Run, can_measure, folder, in_repository, measuring};

/// 1.25 ms of mCBM, on the host, at two speeds.
const SMALL: &str = "stream --preset mcbm-2024 --scale 0.0005 --ring 2 --speed 0.05,0.1 --check-every 2 \
     --events";

/// Final metrics of each speed, and the columns of `stream.csv` with the same values.
const SAME: [(&str, &str); 14] = [
    ("timeslices_due_total", "due"),
    ("timeslices_emitted_total", "emitted"),
    ("timeslices_total{state=done}", "done"),
    ("timeslices_total{state=lost}", "lost"),
    ("timeslices_total{state=dropped}", "dropped"),
    ("timeslices_total{state=backlog}", "backlog"),
    ("timeslices_repeated_total", "repeated"),
    ("timeslices_checked_total", "checked"),
    ("digis_total", "done_items"),
    ("events_total", "events"),
    ("event_digis_total", "event_items"),
    ("latency_seconds_count", "done"),
    ("emission_lateness_seconds_count", "emitted"),
    ("workers_lost_total", "workers_lost"),
];

/// Numbers of a speed by `NAME` or `NAME{LABEL=VALUE}`, without what all have in common.
type Numbers = BTreeMap<String, f64>;

/// The labels that all numbers have.
const OF_ALL: [&str; 4] = ["device", "host", "speed", "variant"];

/// Adds a number to those of its speed.
fn add(speeds: &mut BTreeMap<String, Numbers>, name: &str, labels: &str, value: &str) {
    let labels = labels.replace('"', "");
    let labels: HashMap<&str, &str> =
        labels.split(',').filter_map(|it| it.split_once('=')).collect();
    let own = labels.iter().find(|(label, _)| !OF_ALL.contains(label));
    let own = own.map_or(String::new(), |(label, value)| format!("{{{label}={value}}}"));
    let name = name.trim_start_matches("recobench_stream_");
    let numbers = speeds.entry(labels["speed"].to_owned()).or_default();
    numbers.insert(format!("{name}{own}"), value.parse().expect("a number"));
}

/// The numbers of a page for Prometheus, by speed.
fn scraped(page: &str) -> BTreeMap<String, Numbers> {
    let mut speeds = BTreeMap::new();
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let (name, labels) = series.trim_end_matches('}').split_once('{').expect("labels");
        add(&mut speeds, name, labels, value);
    }
    speeds
}

/// The last numbers of lines for InfluxDB, by speed.
fn pushed(lines: &str) -> BTreeMap<String, Numbers> {
    let mut speeds = BTreeMap::new();
    for line in lines.lines() {
        let [series, fields, _] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let tags = series.strip_prefix("recobench_stream,").expect("tags");
        for field in fields.split(',') {
            let (name, value) = field.split_once('=').expect("a value");
            add(&mut speeds, name, tags, value);
        }
    }
    speeds
}

/// The page of an endpoint, if it is there.
fn page(address: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    Some(body.to_owned())
}

/// Waits until a `bench` has printed the address of its metrics.
fn address(bench: &mut Child) -> (String, BufReader<std::process::ChildStderr>) {
    let mut said = BufReader::new(bench.stderr.take().expect("piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("metrics are at http://").expect("an address");
    (address.trim_end_matches("/metrics").to_owned(), said)
}

/// A server for lines that answers all of them alike; what it was sent is kept.
fn server(status: &'static str, body: &'static str) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/write?db=lab&p=secret", listener.local_addr().expect("known"));
    let sent = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&sent);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let lines = body_of(&stream);
            kept.lock().expect("kept").push_str(&lines);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
            (&stream).write_all(head.as_bytes()).expect("heard");
        }
    });
    (url, sent)
}

fn body_of(stream: &TcpStream) -> String {
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        stream.read_line(&mut line).expect("a head");
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    String::from_utf8(body).expect("a text")
}

/// A row of a table by column.
type Row = HashMap<String, String>;

fn table(text: &str) -> Vec<Row> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row.expect("a row")).collect()
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().expect("a number")
}

/// The speeds of `stream.csv`.
fn rows(folder: &Folder) -> Vec<Row> {
    table(&folder.read("run/stream.csv"))
}

/// Asserts that the final metrics of a speed equal `stream.csv` and `timeslices.csv`.
fn assert_same(folder: &Folder, row: &Row, reported: &Numbers) {
    for (metric, column) in SAME {
        assert_eq!(reported[metric], number(row, column), "{metric}: {reported:?}");
    }
    let mut done = table(&folder.read("run/timeslices.csv"));
    done.retain(|it| it["point_id"] == row["point_id"] && it["fate"] == "done");
    let total = |column| done.iter().map(|it| number(it, column)).sum::<f64>();
    let worked = total("ended_s") - total("begun_s");
    let busy = reported["worker_busy_seconds_total{worker=0}"]
        + reported["worker_busy_seconds_total{worker=1}"];
    for (reported, expected) in [
        (reported["digis_total"], total("digis")),
        (reported["clusters_total"], total("clusters")),
        (reported["hits_total"], total("hits")),
        (reported["latency_seconds_sum"], total("ended_s") - total("due_s")),
        (reported["work_seconds_sum"], worked),
        (busy, worked),
    ] {
        assert!(
            expected > 0.0 && (reported / expected - 1.0).abs() < 1e-6,
            "{reported} {expected}"
        );
    }
}

#[test]
fn pulled_and_pushed_metrics_end_as_the_tables_do() {
    let Some(folder) = measuring() else { return };
    let (url, sent) = server("204 No Content", "");
    let own = format!("--metrics 127.0.0.1:0 --influx {url} --duration 400ms --out run");
    let mut bench = folder.start(&format!("{SMALL} {own}"));
    let (address, mut said) = address(&mut bench);
    let mut last = String::new();
    while let Some(page) = page(&address) {
        last = page;
        thread::sleep(Duration::from_millis(5));
    }
    Run::end_of(bench).exits(0);
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("a text");
    assert!(!rest.contains("deliver"), "{rest}");
    let scraped = scraped(&last);
    let pushed = pushed(&sent.lock().expect("kept"));
    let rows = rows(&folder);
    assert_eq!((rows.len(), pushed.len()), (2, 2));
    assert_same(&folder, &rows[0], &scraped["0.05"]);
    for row in rows {
        assert_same(&folder, &row, &pushed[&row["speed"]]);
        assert_eq!(pushed[&row["speed"]]["running"], 0.0);
    }
    for metric in named(&dashboard().to_string()) {
        let head = format!("{metric}{{device=\"cpu\",speed=\"0.05\",variant=\"time-sweep\"");
        assert!(last.contains(&head), "the dashboard names {metric}, which is not there");
    }
}

#[test]
fn what_can_t_be_delivered_is_reported_and_ends_nothing() {
    let Some(folder) = measuring() else { return };
    let (url, _) = server("404 Not Found", r#"{"error":"database not found: \"lab\""}"#);
    let reported =
        folder.bench(format!("{SMALL} --influx {url} --duration 300ms --no-charts --out run"));
    let reported = reported.exits(0);
    reported
        .says("it refuses with status 404: {\"error\":\"database not found")
        .says("create the database");
    reported.says("the stream continues").says("deliveries of metrics to");
    assert!(!reported.stderr.contains("secret"), "{}", reported.story());
    let notes = folder.record("run").notes;
    assert!(notes.iter().any(|note| note.contains("deliveries of metrics to http")), "{notes:?}");
    assert_eq!(rows(&folder)[0]["valid"], "yes");
}

#[test]
fn a_port_that_is_taken_is_reported_before_anything_begins() {
    let Some(folder) = measuring() else { return };
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("known");
    let line = format!("{SMALL} --metrics {address} --out run");
    let reported = folder.bench(line).exits(1);
    reported.says(format!("metrics can't be served at {address}: Address already in use"));
    reported.says("with --metrics");
    folder.check(
        "
        2 | stream --metrics 9464 --out run | such as 127.0.0.1:9464
        2 | stream --influx localhost:8086 --out run | such as http://localhost:8086/write?db=lab
        2 | stream --influx https://localhost/write --out run | by plain HTTP
        1 | stream --metrics no.such.host.invalid:9464 --out run | no.such.host.invalid:9464
        ",
    );
    let mut odd =
        folder.command(&format!("{SMALL} --influx {} --out run", "http://127.0.0.1:1/write"));
    Run::from_command(odd.env("INFLUX_TOKEN", "two words"))
        .exits(1)
        .says("INFLUX_TOKEN has characters");
    assert!(!folder.join("run").exists());
}

/// The dashboard for Grafana.
fn dashboard() -> Value {
    let text = fs::read_to_string(in_repository("docs/grafana/stream.json")).expect("there");
    serde_json::from_str(&text).expect("JSON")
}

/// The queries of its panels, of all devices, variants and speeds.
fn queries() -> Vec<String> {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let queries = targets.map(|target| target["expr"].as_str().expect("a query").to_owned());
    let queries = queries.map(|query| query.replace("$__rate_interval", "5s"));
    let queries = queries.map(|query| {
        ["device", "variant", "speed"]
            .iter()
            .fold(query, |query, name| query.replace(&format!("\"${name}\""), "\".+\""))
    });
    queries.collect()
}

/// The metrics of a stream that a text names.
fn named(text: &str) -> Vec<&str> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter| !is_of_name(letter));
    words.filter(|word| word.starts_with("recobench_stream_")).collect()
}

#[test]
fn documents_and_dashboard_have_all_metrics_and_no_others() {
    use reports::export::live::{Kind, METRICS};
    let page = fs::read_to_string(in_repository("docs/monitoring.md")).expect("there");
    for metric in &METRICS {
        assert!(page.contains(&format!("`{}`", metric.name)), "{} is in no table", metric.name);
    }
    let is_known = |name: &&str| {
        METRICS.iter().any(|metric| match name.strip_prefix(metric.name) {
            Some("") => metric.kind != Kind::Histogram,
            Some("_bucket" | "_sum" | "_count") => metric.kind == Kind::Histogram,
            _ => false,
        })
    };
    let dashboard = dashboard().to_string();
    let named = named(&dashboard);
    assert!(named.len() > 20, "{named:?}");
    let unknown: Vec<_> = named.iter().filter(|name| !is_known(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    for query in queries() {
        assert!(!query.contains('$'), "{query}");
    }
}

const PROMETHEUS: &str = "global:
  scrape_interval: 1s
scrape_configs:
  - job_name: recobench
    static_configs:
      - targets: ['TARGET']
";

#[test]
fn prometheus_takes_what_is_served_and_answers_the_dashboard() {
    if !can_measure() || !are_installed(&["promtool", "prometheus", "curl"]) {
        return;
    }
    let folder = folder();
    let line = format!("{SMALL} --metrics 127.0.0.1:0 --duration 1h --no-charts --out run");
    let mut bench = folder.start(&line);
    let (address, said) = address(&mut bench);
    let mut servers = Servers::default();
    let own = format!("127.0.0.1:{}", port());
    folder.write("prometheus.yml", PROMETHEUS.replace("TARGET", &address));
    let mut prometheus = Command::new("prometheus");
    prometheus.args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"]);
    prometheus.arg(format!("--web.listen-address={own}")).current_dir(folder.path());
    servers.start(prometheus.stdout(Stdio::null()).stderr(Stdio::null()));
    let url = format!("http://{own}/api/v1/query");
    for query in queries() {
        let query = format!("query={query}");
        // Rates are there once there are two numbers to be compared.
        let answered = retried(|| {
            let answer = curl(&["-G", &url, "--data-urlencode", &query])?;
            let answer: Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["status"], "success", "{query}: {answer}");
            let values = answer["data"]["result"].as_array().expect("a list");
            (!values.is_empty()).then_some(())
        });
        assert!(answered.is_some(), "no answer to {query}");
    }
    folder.write("page", page(&address).expect("it runs"));
    let mut check = Command::new("promtool");
    let page = fs::File::open(folder.join("page")).expect("there");
    let checked = check.args(["check", "metrics"]).stdin(page).output().expect("promtool");
    assert!(checked.status.success() && words(&checked).is_empty(), "{}", words(&checked));
    drop(said);
    bench.kill().expect("killed");
    bench.wait().expect("gone");
}

#[test]
fn influxdb_has_in_the_end_what_the_table_has() {
    if !can_measure() || !are_installed(&["influxd", "curl"]) {
        return;
    }
    let folder = folder();
    let mut servers = Servers::default();
    let url = servers.start_influxdb(&folder);
    let line = format!("{SMALL} --influx {url}/write?db=lab --duration 2s --no-charts --out run");
    let reported = folder.bench(line).exits(0);
    assert!(!reported.stderr.contains("deliver"), "{}", reported.story());
    let query = "q=SELECT last(timeslices_total) FROM recobench_stream WHERE state='done' \
                 GROUP BY speed";
    let answer = curl(&["-G", &format!("{url}/query?db=lab"), "--data-urlencode", query]);
    let answer: Value = serde_json::from_str(&answer.expect("an answer")).expect("JSON");
    let series = answer["results"][0]["series"].as_array().expect("series");
    assert_eq!(series.len(), 2, "{answer}");
    for row in rows(&folder) {
        let of_speed = |it: &&Value| it["tags"]["speed"] == row["speed"].as_str();
        let last = &series.iter().find(of_speed).expect("there")["values"][0][1];
        assert_eq!(last.as_f64(), Some(number(&row, "done")), "{answer}");
    }
    let unknown =
        format!("{SMALL} --influx {url}/write?db=none --duration 100ms --no-charts --out r");
    folder.bench(unknown).exits(0).says("database not found").says("create the database");
}
