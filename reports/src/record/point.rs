//! Identity of a measured series: equal points of two runs can be compared. Its axes with their
//! values are one text: `digis=2000000;segments=24`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use text::Untrusted;

use super::Quantities;
use crate::row::{Cell, row};

/// One variant on one device with one set of parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
pub struct Point {
    /// The subcommand's name: `sort`.
    pub algorithm: String,
    /// The variant's name: `block-merge`.
    pub variant: String,
    /// `cpu`, `cuda:0`.
    pub device: String,
    /// Threads on the host.
    pub threads: usize,
    /// CPU sets of the threads; `none` without placement.
    #[serde(rename = "places")]
    pub cpu_sets: String,
    /// Binding of the threads to CPU sets; `false` without binding.
    pub bind: String,
    /// `hot` or `cold`.
    pub cache: String,
    /// The data shape and the task's other axes.
    pub params: Params,
}

impl Point {
    /// A short id, equal for equal points in any run.
    pub fn id(&self) -> String {
        let threads = self.threads.to_string();
        let params = self.params.to_string();
        let fields = [
            &self.algorithm,
            &self.variant,
            &self.device,
            &threads,
            &self.cpu_sets,
            &self.bind,
            &self.cache,
            &params,
        ];
        let mut hash = Sha256::new();
        for field in fields {
            hash.update(field.as_bytes());
            hash.update([0]);
        }
        hash.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

row! {
    /// A point with its id, for programs.
    #[derive(Serialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[cfg_attr(test, schemars(rename = "Point"))]
    pub(crate) struct Identified<'a> {
        /// Equal for equal points in any run.
        point_id: String,
        /// The subcommand's name: `sort`.
        algorithm: &'a str,
        /// The variant's name: `block-merge`.
        variant: &'a str,
        /// `cpu`, `cuda:0`.
        device: &'a str,
        /// Threads on the host.
        threads: usize,
        /// CPU sets of the threads; `none` without placement.
        cpu_sets as "places": &'a str,
        /// Binding of the threads to CPU sets; `false` without binding.
        bind: &'a str,
        /// `hot` or `cold`.
        cache: &'a str,
        /// The data shape and the task's other axes.
        params: &'a Params,
    }
}

impl<'a> From<&'a Point> for Identified<'a> {
    fn from(point: &'a Point) -> Self {
        let Point { algorithm, variant, device, threads, cpu_sets, bind, cache, params } = point;
        Identified {
            point_id: point.id(),
            algorithm,
            variant,
            device,
            threads: *threads,
            cpu_sets,
            bind,
            cache,
            params,
        }
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Identified::from(self).serialize(serializer)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Point {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Identified::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Identified::json_schema(generator)
    }
}

/// Axis names with their values, sorted by name.
///
/// Written `name=value;name=value`; numbers are plain, without suffixes.
///
/// They may include the declarations of the names by their run. These are no part of their
/// identity: points are equal to those of runs without declarations.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Params {
    values: BTreeMap<String, String>,
    declared: Option<Arc<Quantities>>,
}

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Params").field(&self.values).finish()
    }
}

impl PartialEq for Params {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Eq for Params {}

impl Hash for Params {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.hash(state);
    }
}

impl PartialOrd for Params {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Params {
    fn cmp(&self, other: &Self) -> Ordering {
        self.values.cmp(&other.values)
    }
}

/// A text that is not of the form `name=value;name=value`.
#[derive(Debug, thiserror::Error)]
#[error("{} is not of the form name=value;name=value", .0.quoted())]
pub struct InvalidParams(String);

impl Params {
    /// The run's declarations of the names, if known.
    pub fn declared(&self) -> Option<&Arc<Quantities>> {
        self.declared.as_ref()
    }

    /// Adds the run's declarations of the names.
    pub fn declared_by(self, quantities: &Arc<Quantities>) -> Self {
        Params { declared: Some(Arc::clone(quantities)), ..self }
    }

    /// The value of an axis, if the point has that axis.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value of an axis as a number, if it is one.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }

    /// Sets the value of an axis.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.values.insert(name.into(), value.into());
    }

    /// Sets all values of `others`.
    pub fn extend(&mut self, others: &Params) {
        let others = others.values.iter();
        self.values.extend(others.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<'a> From<&'a Params> for Cell<'a> {
    fn from(params: &'a Params) -> Self {
        params.to_string().into()
    }
}

/// A string in files.
#[cfg(test)]
impl schemars::JsonSchema for Params {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Params".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Names with values, sorted by name: `name=value;name=value`.",
            "type": "string",
            "pattern": "^([^=;]+=[^;]*(;|$))*$",
        })
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.values.iter().enumerate() {
            let separator = if i == 0 { "" } else { ";" };
            write!(f, "{separator}{name}={value}")?;
        }
        Ok(())
    }
}

impl FromStr for Params {
    type Err = InvalidParams;

    fn from_str(text: &str) -> Result<Self, InvalidParams> {
        let pairs = text.split(';').filter(|pair| !pair.is_empty());
        let params = pairs.map(|pair| {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| InvalidParams(text.to_owned()))?;
            Ok((name.to_owned(), value.to_owned()))
        });
        Ok(Params { values: params.collect::<Result<_, _>>()?, declared: None })
    }
}

impl TryFrom<String> for Params {
    type Error = InvalidParams;

    fn try_from(text: String) -> Result<Self, InvalidParams> {
        text.parse()
    }
}

impl From<Params> for String {
    fn from(params: Params) -> String {
        params.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> Point {
        Point {
            algorithm: "sort".into(),
            variant: "std-stable".into(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: "none".into(),
            bind: "false".into(),
            cache: "hot".into(),
            params: "segments=24".parse().expect("well formed"),
        }
    }

    #[test]
    fn the_id_stays_the_same_between_versions() {
        assert_eq!(point().id(), "1b22cacf70ef");
    }

    #[test]
    fn each_field_is_part_of_the_id() {
        let base = point();
        let mut other = base.clone();
        other.cache = "cold".into();
        assert_ne!(base.id(), other.id());
        let mut other = base.clone();
        other.threads = 2;
        assert_ne!(base.id(), other.id());
    }

    #[test]
    fn text_and_params_convert_into_each_other() {
        let text = "digis=2000000;order=jitter:64;segments=24";
        let params: Params = text.parse().expect("well formed");
        assert_eq!(params.to_string(), text);
        assert_eq!(params.number("segments"), Some(24.0));
        assert_eq!(params.number("order"), None);
    }

    #[test]
    fn names_are_sorted() {
        let params: Params = "segments=24;digis=1".parse().expect("well formed");
        assert_eq!(params.to_string(), "digis=1;segments=24");
    }

    #[test]
    fn a_name_without_a_value_is_refused() {
        assert!("segments".parse::<Params>().is_err());
    }
}
