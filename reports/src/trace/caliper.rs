//! Caliper's text format: times of stages as a tree of regions, which Hatchet and Thicket read.
//!
//! A file has nodes and records. Each attribute is a node whose parents are its properties and its
//! type; the regions of a path are nodes with the region before as parent. A record refers to a node
//! and has values of attributes. Ids up to [`LAST_KNOWN`] are known to readers.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use super::description;
use crate::breakdown::{Part, is_within, outermost};
use crate::rank::{KERNEL, SAMPLE, TOTAL, is_whole};
use crate::record::{RunRecord, SummaryRow};
use crate::shape;

/// Nodes of types.
const UINT: usize = 2;
const STRING: usize = 3;
const DOUBLE: usize = 5;
/// Attributes of attributes: their names and their properties.
const NAME: usize = 8;
const PROPERTIES: usize = 10;
/// Last id that every reader knows.
const LAST_KNOWN: usize = 11;

/// Properties: values in records; regions that nest; data of the whole run.
const AS_VALUE: u32 = 1;
const NESTED: u32 = 256;
const GLOBAL: u32 = 512;

/// A figure of a row.
struct Figure {
    /// Hatchet calls the first two `time` and `time (inc)`.
    name: &'static str,
    type_node: usize,
    of: fn(&SummaryRow, &[&SummaryRow]) -> Option<f64>,
}

const FIGURES: [Figure; 5] = [
    Figure { name: "sum#time.duration", type_node: DOUBLE, of: exclusive_s },
    Figure {
        name: "inclusive#sum#time.duration",
        type_node: DOUBLE,
        of: |row, _| row.valid_median(),
    },
    Figure { name: "min#inclusive#sum#time.duration", type_node: DOUBLE, of: |row, _| row.min_s },
    Figure { name: "max#inclusive#sum#time.duration", type_node: DOUBLE, of: |row, _| row.max_s },
    Figure { name: "samples", type_node: UINT, of: |row, _| Some(row.samples as f64) },
];

/// Stages of a run as a Caliper file: the median times of a run, in seconds.
pub fn text(record: &RunRecord, rows: &[SummaryRow]) -> String {
    let mut file = File::default();
    let region = file.attribute("region", STRING, NESTED);
    let figures = FIGURES.map(|figure| file.attribute(figure.name, figure.type_node, AS_VALUE));
    for points in rows.chunk_by(|a, b| a.point() == b.point()) {
        let timed: Vec<&SummaryRow> =
            points.iter().filter(|row| row.valid_median().is_some()).collect();
        for row in &timed {
            let mut parent = None;
            for name in path(row) {
                parent = Some(file.region(region, &name, parent));
            }
            let values = FIGURES.iter().zip(&figures);
            let values: Vec<(usize, String)> = values
                .filter_map(|(figure, id)| Some((*id, (figure.of)(row, &timed)?.to_string())))
                .collect();
            file.record("ctx", parent, &values);
        }
    }
    file.globals(record);
    file.text
}

/// True if a file contains nodes in this format.
pub fn is_caliper(bytes: &[u8]) -> bool {
    bytes.starts_with(b"__rec=")
}

/// Regions of a row: task, variant, setting, the whole run, and its stages.
fn path(row: &SummaryRow) -> Vec<String> {
    let mut path = vec![row.algorithm.clone(), shape::name(row), shape::words(row)];
    let leading = row.stage.split('/').next().unwrap_or_default();
    if !is_whole(leading) {
        path.push(TOTAL.to_owned());
    }
    path.extend(row.stage.split('/').map(str::to_owned));
    path.retain(|region| !region.is_empty());
    path
}

/// Time of a row that none of its stages has. The sum of all kernels counts only where the kernels
/// have no rows of their own.
fn exclusive_s(row: &SummaryRow, all: &[&SummaryRow]) -> Option<f64> {
    let inclusive_s = row.valid_median()?;
    let stage = relative(&row.stage);
    let mut parts: Vec<Part> = all.iter().filter_map(|other| part(other)).collect();
    if stage == KERNEL {
        outermost(&mut parts);
        let is_step = parts.iter().any(|part| part.stage == KERNEL);
        return Some(if is_step { inclusive_s } else { 0.0 });
    }
    if !is_whole(stage) {
        parts.retain(|part| is_within(&part.stage, stage));
    }
    outermost(&mut parts);
    let parts_s: f64 = parts.iter().map(|part| part.seconds).sum();
    Some(f64::max(inclusive_s - parts_s, 0.0))
}

fn part(row: &SummaryRow) -> Option<Part> {
    if is_whole(&row.stage) {
        return None;
    }
    let stage = relative(&row.stage).to_owned();
    Some(Part { stage, seconds: row.valid_median()?, given: String::new() })
}

/// A stage without that of a run of a subsample.
fn relative(stage: &str) -> &str {
    let part = stage.strip_prefix(SAMPLE).and_then(|rest| rest.strip_prefix('/'));
    part.unwrap_or(stage)
}

/// Text of a file, with the nodes that it has.
struct File {
    text: String,
    last: usize,
    /// Regions by parent and name.
    regions: HashMap<(Option<usize>, String), usize>,
}

impl Default for File {
    fn default() -> Self {
        File { text: String::new(), last: LAST_KNOWN, regions: HashMap::new() }
    }
}

impl File {
    /// Adds an attribute; returns its node.
    fn attribute(&mut self, name: &str, type_node: usize, properties: u32) -> usize {
        let parent = self.add(PROPERTIES, &properties.to_string(), Some(type_node));
        self.add(NAME, name, Some(parent))
    }

    /// The node of a region below another one; it is added if there is none.
    fn region(&mut self, attribute: usize, name: &str, parent: Option<usize>) -> usize {
        let key = (parent, name.to_owned());
        if let Some(known) = self.regions.get(&key) {
            return *known;
        }
        let node = self.add(attribute, name, parent);
        self.regions.insert(key, node);
        node
    }

    fn add(&mut self, attribute: usize, data: &str, parent: Option<usize>) -> usize {
        self.last += 1;
        let id = self.last;
        let parent = parent.map(|parent| format!(",parent={parent}")).unwrap_or_default();
        let data = escaped(data);
        // Writing to a `String` does not fail.
        let _ = writeln!(self.text, "__rec=node,id={id},attr={attribute},data={data}{parent}");
        id
    }

    /// Adds a record: values of attributes, at a node.
    fn record(&mut self, kind: &str, node: Option<usize>, values: &[(usize, String)]) {
        let node = node.map(|node| format!(",ref={node}")).unwrap_or_default();
        let attributes: Vec<String> = values.iter().map(|(id, _)| id.to_string()).collect();
        let data: Vec<String> = values.iter().map(|(_, value)| escaped(value)).collect();
        let attributes = attributes.join("=");
        let data = data.join("=");
        let _ = writeln!(self.text, "__rec={kind}{node},attr={attributes},data={data}");
    }

    /// Adds the description of the run.
    fn globals(&mut self, record: &RunRecord) {
        let described = description(record).map(|(name, value)| (name, words(&value)));
        let times = ("times", "seconds, medians of a run".to_owned());
        let texts = described.chain([times]).filter(|(_, text)| !text.is_empty());
        let values: Vec<(usize, String)> = texts
            .map(|(name, text)| (self.attribute(name, STRING, AS_VALUE | GLOBAL), text))
            .collect();
        self.record("globals", None, &values);
    }
}

/// A value as a text, words of a list with spaces between them.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(words).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// A value without the signs that separate values.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' => escaped.push_str(r"\n"),
            sign if text::is_hidden(sign) => escaped.push(' '),
            '\\' | ',' | '=' => escaped.extend(['\\', sign]),
            sign => escaped.push(sign),
        }
    }
    escaped
}
