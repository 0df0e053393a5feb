//! The axes of a point with their values, as one text: `digis=2000000;segments=24`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use text::Untrusted;

use super::Quantities;

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
