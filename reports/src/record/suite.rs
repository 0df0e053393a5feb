//! The suite and the input files of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Params;

/// A suite, or a shard of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuitePart {
    /// The suite's name.
    pub name: String,
    /// A hash of all its points: equal hashes mean equal suites.
    pub hash: String,
    /// The shard; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Number of points of this part.
    pub points: usize,
    /// The file that it was read from; `None` for a built-in suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl SuitePart {
    /// Argument of `bench run`: the file, or the name.
    pub fn asked_for(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.name)
    }
}

/// One of several parts of a suite, each on a machine of its own: `2/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shard {
    /// Number of the shard, from 1.
    pub number: usize,
    /// Number of shards.
    pub of: usize,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err("use I/N with 1 ≤ I ≤ N, such as 2/4".to_owned()),
        }
    }
}

/// An input that was read from a file, with all that is needed to read it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputRecord {
    /// The parameters of its points.
    pub params: Params,
    /// The path, as specified.
    pub path: String,
    /// The paths of further files, if the input is of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_paths: Vec<String>,
    /// The values of flags that go with `--input`.
    pub options: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!("2/4".parse(), Ok(Shard { number: 2, of: 4 }));
        assert_eq!(Shard { number: 2, of: 4 }.to_string(), "2/4");
        for bad in ["0/4", "5/4", "2", "a/b", "1/0", "-1/4", "1/4/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
