//! Schemas in `docs/schema/`, generated from the types.
//!
//! They are generated here and compared with the files; `BLESS=1 cargo test -p reports schema`
//! updates the files.

use std::path::{Path, PathBuf};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};
use text::Untrusted;

use crate::compare::Comparison;
use crate::export::ColumnsDocument;
use crate::frame::Document;
use crate::history::Entry;
use crate::machines::MachinesDocument;
use crate::mixed::LoadRow;
use crate::plan::PlanDocument;
use crate::portability::PortableKernel;
use crate::record::{CeilingsRecord, RunRecord, SelfTest, SummaryRow};
use crate::stream::StreamRow;
use crate::submission::{Manifest, SubmissionFinding};
use crate::throughput::ThroughputRow;
use crate::trend::Trend;
use crate::winners::Winner;

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

fn load_rows() -> Value {
    let differ = [
        params(),
        ("alone_unbounded", flag("Whether the backlog of an open loop grows alone.")),
        ("together_unbounded", flag("Whether the backlog of an open loop grows together.")),
        ("limits_mix", flag("Whether the load permits the fewest mixes.")),
        ("valid", flag("Whether all outputs were right, before and after each window.")),
    ];
    rows::<LoadRow>("Loads of a mix", &["axis"], &differ)
}

fn stream_rows() -> Value {
    let kept_up = ("kept_up", flag("Whether workers kept up."));
    let valid = ("valid", flag("Whether all results that were compared were right."));
    let title = "Timeslices that come when they are due";
    rows::<StreamRow>(title, &["axis"], &[params(), kept_up, valid])
}

/// Rows of a run: flags are booleans there, points have their id, and columns their unit.
fn run_rows() -> Value {
    let differ = [
        ("stable", flag("Whether equal keys keep their order.")),
        ("valid", flag("Whether the output was right on this very input.")),
        ("point_id", json!({ "description": "The same in every run.", "type": "string" })),
    ];
    let mut schema = rows::<SummaryRow>("The rows of a run", &["axis", "metric"], &differ);
    let properties = &mut schema["$defs"]["SummaryRow"]["properties"];
    for (column, unit) in SummaryRow::UNITS.iter().filter(|(_, unit)| !unit.is_empty()) {
        properties[column]["unit"] = json!(unit);
    }
    schema
}

fn schemas() -> [(&'static str, Value); 17] {
    [
        ("run", schema::<RunRecord>("run.json")),
        ("rows", run_rows()),
        ("columns", schema::<ColumnsDocument<'_>>("Columns of a table")),
        ("winners", rows::<Winner<'_>>("Winner of each setting", &["axis"], &[])),
        ("comparison", schema::<Comparison>("A comparison of two runs")),
        ("changes", schema::<Vec<Trend>>("Points over many runs")),
        ("runs", schema::<Vec<Entry>>("The runs of a store")),
        ("selftest", schema::<SelfTest>("selftest.json")),
        ("ceilings", schema::<CeilingsRecord>("ceilings.json")),
        ("portability", rows::<PortableKernel<'_>>("What portable kernels cost", &["axis"], &[])),
        ("throughput", throughput_rows()),
        ("stream", stream_rows()),
        ("loads", load_rows()),
        ("plan", schema::<PlanDocument<'_>>("A plan of farms")),
        ("submission", schema::<Vec<SubmissionFinding<'_>>>("Checks of submissions")),
        ("manifest", schema::<Manifest>("manifest.json")),
        ("machines", schema::<MachinesDocument<'_>>("Machines side by side")),
    ]
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
