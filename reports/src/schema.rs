//! Schemas in `docs/schema/`, generated from the types.
//!
//! They are generated here and compared with the files; `BLESS=1 cargo test -p reports schema`
//! updates the files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value, json};
use text::Untrusted;

use crate::compare::Comparison;
use crate::frame::{Cell, Document, Frame, summary};
use crate::history::Entry;
use crate::portability::ClaimVerdict;
use crate::record::{CeilingsRecord, RunRecord, SelfTest, SummaryRow};
use crate::stream::StreamRow;
use crate::throughput::ThroughputRow;
use crate::trend::Trend;
use crate::winners::Evidence;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema")
}

/// The schema of a type as it is serialised.
fn schema<T: JsonSchema>(title: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    titled(title, settings.into_generator().into_root_schema_for::<T>())
}

fn titled(title: &str, mut schema: Schema) -> Value {
    schema.insert("title".to_owned(), json!(title));
    schema.to_value()
}

/// An interval of the crate `statistics`.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is of use")]
pub struct Interval {
    /// Its lower end.
    low: f64,
    /// Its upper end.
    high: f64,
}

/// A row of `bench winners`.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is of use")]
struct Winner {
    /// The task.
    algorithm: String,
    /// The winner's point: see the rows of the run.
    point_id: String,
    /// The variant with the smallest median.
    winner: String,
    /// Device of the winner.
    device: String,
    /// Stage of the median: `total` or `kernel`.
    stage: String,
    /// Median in seconds.
    median_s: Option<f64>,
    /// Lower end of the 95 % confidence interval of the median, in seconds.
    ci95_low_s: Option<f64>,
    /// Upper end of the 95 % confidence interval of the median, in seconds.
    ci95_high_s: Option<f64>,
    /// The second variant; empty without one.
    next: String,
    /// Device of the second.
    next_device: String,
    /// The second's point.
    next_point_id: String,
    /// The second's median over the winner's.
    lead: Option<f64>,
    /// Certainty of the lead.
    evidence: Evidence,
}

/// A row of `bench portability`.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is of use")]
struct PortableKernel {
    /// The task.
    algorithm: String,
    /// The native variant.
    native_variant: String,
    /// Device of the native variant.
    native_device: String,
    /// Its point: see the rows of the run.
    native_point_id: String,
    /// Source of the other one: `shaders`, or `native, once more`.
    written_as: String,
    /// The other variant.
    variant: String,
    /// Device of the other variant.
    device: String,
    /// Point of the other variant.
    point_id: String,
    /// The input.
    params: String,
    /// The median time of all native kernels, in seconds.
    native_kernel_s: Option<f64>,
    /// The median time of all kernels of the other one, in seconds.
    kernel_s: Option<f64>,
    /// Time over that of the native kernels, by samples of the same rounds.
    ratio: Option<f64>,
    /// The lower end of its 95 % interval.
    ci95_low: Option<f64>,
    /// The upper end of its 95 % interval.
    ci95_high: Option<f64>,
    /// Blocks of samples of the mean.
    visits: Option<u64>,
    /// Maximum distance from 1 of the interval of native kernels over themselves.
    noise: Option<f64>,
    /// Verdict on the claim of the publication.
    within_claim: Option<ClaimVerdict>,
    /// The longest native kernel.
    native_kernel: String,
    /// Its registers per thread.
    native_registers: Option<f64>,
    /// Its bytes of local memory per thread.
    native_local_bytes: Option<f64>,
    /// Its bytes of shared memory per block.
    native_shared_bytes: Option<f64>,
    /// Its resident threads over the maximum of a multiprocessor.
    native_occupancy: Option<f64>,
    /// The longest kernel of the other one.
    kernel: String,
    /// Its registers per thread; unknown for shaders.
    registers: Option<f64>,
    /// Its bytes of local memory per thread; unknown for shaders.
    local_bytes: Option<f64>,
    /// Its bytes of shared memory per block; unknown for shaders.
    shared_bytes: Option<f64>,
    /// Its resident threads over the maximum of a multiprocessor; unknown for shaders.
    occupancy: Option<f64>,
    /// Further differences.
    differs: String,
    /// Reason why there is no ratio.
    why_missing: Option<String>,
}

/// The schema of rows in a document; further columns have one of these prefixes.
fn rows<Row: JsonSchema>(title: &str, prefixes: &[&str], differ: &[(&str, Value)]) -> Value {
    let mut schema = schema::<Document<Vec<Row>>>(title);
    let name = Row::schema_name().into_owned();
    let row = &mut schema["$defs"][name];
    for (column, differs) in differ {
        row["properties"][column] = differs.clone();
    }
    let value = json!({ "type": ["string", "number", "null"] });
    let prefixes = prefixes.iter().map(|prefix| (format!("^{prefix}_"), value.clone()));
    row["patternProperties"] = Value::Object(prefixes.collect::<Map<_, _>>());
    row["additionalProperties"] = json!(false);
    schema
}

fn flag(what: &str) -> Value {
    json!({ "description": what, "type": "boolean" })
}

fn params() -> (&'static str, Value) {
    ("params", json!({ "description": "The data shape and other axes.", "type": "string" }))
}

fn throughput_rows() -> Value {
    let valid = ("valid", flag("Whether all outputs were right, before and after."));
    rows::<ThroughputRow>("Streams of events", &["axis"], &[params(), valid])
}

fn stream_rows() -> Value {
    let kept_up = ("kept_up", flag("Whether workers kept up."));
    let valid = ("valid", flag("Whether all results that were compared were right."));
    let title = "Timeslices that come when they are due";
    rows::<StreamRow>(title, &["axis"], &[params(), kept_up, valid])
}

/// Rows of a run: flags are booleans there, and points have their id.
fn run_rows() -> Value {
    let differ = [
        ("stable", flag("Whether equal keys keep their order.")),
        ("valid", flag("Whether the output was right on this very input.")),
        ("point_id", json!({ "description": "The same in every run.", "type": "string" })),
    ];
    rows::<SummaryRow>("The rows of a run", &["axis", "metric"], &differ)
}

fn schemas() -> [(&'static str, Value); 11] {
    [
        ("run", schema::<RunRecord>("run.json")),
        ("rows", run_rows()),
        ("winners", rows::<Winner>("Winner of each setting", &["axis"], &[])),
        ("comparison", schema::<Comparison>("A comparison of two runs")),
        ("changes", schema::<Vec<Trend>>("Points over many runs")),
        ("runs", schema::<Vec<Entry>>("The runs of a store")),
        ("selftest", schema::<SelfTest>("selftest.json")),
        ("ceilings", schema::<CeilingsRecord>("ceilings.json")),
        ("portability", rows::<PortableKernel>("What portable kernels cost", &["axis"], &[])),
        ("throughput", throughput_rows()),
        ("stream", stream_rows()),
    ]
}

/// The header of a file of rows.
pub fn header<R: Serialize + Default>() -> String {
    let mut rows = csv::Writer::from_writer(Vec::new());
    rows.serialize(R::default()).expect("written");
    let text = String::from_utf8(rows.into_inner().expect("written")).expect("a text");
    text.lines().next().expect("a header").to_owned()
}

/// The columns of rows in a document, and those of their schema, except for axes.
pub fn columns(schema: &str, row: &str, document: &str) -> [BTreeSet<String>; 2] {
    let schemas = schemas();
    let (_, schema) = schemas.iter().find(|(name, _)| *name == schema).expect("a schema");
    let document: Value = serde_json::from_str(document).expect("JSON");
    let keys = |object: &Value| {
        let keys = object.as_object().expect("an object").keys();
        keys.filter(|key| !key.starts_with("axis_")).cloned().collect()
    };
    [keys(&document["rows"][0]), keys(&schema["$defs"][row]["properties"])]
}

#[test]
fn the_files_are_those_of_the_types() {
    for (name, schema) in schemas() {
        let path = folder().join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("written");
        }
        let file = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(file == text, "{} is not that of the types; BLESS=1 writes it", path.escaped());
    }
}

/// The schemas written by hand above have the columns of the output.
#[test]
fn rows_have_the_columns_of_their_schema() {
    let properties = |schema: &Value, row: &str| {
        let properties = schema["$defs"][row]["properties"].as_object().expect(row);
        properties.keys().cloned().collect::<BTreeSet<_>>()
    };
    let frame = Frame::new(&summary(&SummaryRow::default()), []);
    let columns = frame.names().map(str::to_owned).collect();
    assert_eq!(properties(&run_rows(), "SummaryRow"), columns);
    let rows = [crate::charts::fixture::row("a", "digis=1", 1.0)];
    let text = crate::winners::render(
        crate::table::Format::Json,
        &crate::charts::fixture::run(),
        &rows,
        crate::run_table::View::default(),
    );
    let document: Value = serde_json::from_str(&text.expect("JSON")).expect("JSON");
    let keys = document["rows"][0].as_object().expect("a row").keys();
    let columns = keys.filter(|key| !key.starts_with("axis_")).cloned().collect();
    assert_eq!(properties(&schemas()[2].1, "Winner"), columns);
    let of_document = |value: &Value, key: &str| {
        let keys = value[key].as_object().expect(key).keys();
        keys.cloned().collect::<BTreeSet<_>>()
    };
    let whole = json!({ "document": document });
    assert_eq!(of_document(&run_rows(), "properties"), of_document(&whole, "document"));
    assert_eq!(Cell::named(Evidence::TooFew), Cell::from("too-few"));
}
