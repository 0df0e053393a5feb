//! Identity of a measured series: equal points of two runs can be compared.

use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::Params;

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

/// A point with its id, for programs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Point"))]
struct Identified<'a> {
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
    #[serde(rename = "places")]
    cpu_sets: &'a str,
    /// Binding of the threads to CPU sets; `false` without binding.
    bind: &'a str,
    /// `hot` or `cold`.
    cache: &'a str,
    /// The data shape and the task's other axes.
    params: &'a Params,
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Point { algorithm, variant, device, threads, cpu_sets, bind, cache, params } = self;
        let point = Identified {
            point_id: self.id(),
            algorithm,
            variant,
            device,
            threads: *threads,
            cpu_sets,
            bind,
            cache,
            params,
        };
        point.serialize(serializer)
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
}
