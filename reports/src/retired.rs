//! Variants that were retired: the program no longer has them. Their runs stay in histories, and a
//! comparison with a run that has them is complete without them.
//!
//! The table is `assets/retired.csv`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::aliases::backend_of;
use crate::record::Point;

const TABLE: &str = include_str!("../assets/retired.csv");

static RETIRED: LazyLock<Vec<Retired>> = LazyLock::new(|| parse(TABLE));

/// A variant that was retired.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Retired {
    /// Name of the task.
    pub task: String,
    /// `cpu`, `cuda` or `wgpu`; empty for all of them.
    pub backend: String,
    /// Name of the variant.
    pub variant: String,
    /// First version of the program without the variant.
    pub since: String,
}

/// Parses the table.
///
/// # Panics
/// If a row of the program's own table is malformed.
fn parse(text: &str) -> Vec<Retired> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.expect("each row of the program's table is a retired variant")
}

/// All retired variants.
pub fn all() -> &'static [Retired] {
    &RETIRED
}

/// The retired variant that a point is of, or `None` if the program still has it.
pub fn find(point: &Point) -> Option<&'static Retired> {
    let backend = backend_of(&point.device);
    all().iter().find(|retired| retired.is(&point.algorithm, backend, &point.variant))
}

impl Retired {
    /// True if it is this variant of a task on a backend.
    pub fn is(&self, task: &str, backend: &str, variant: &str) -> bool {
        let is_backend = self.backend.is_empty() || self.backend == backend;
        is_backend && self.task == task && self.variant == variant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(algorithm: &str, variant: &str, device: &str) -> Point {
        let mut point = crate::report::fixture::comparison(&[crate::compare::Verdict::Same])
            .points
            .remove(0)
            .key
            .point;
        point.algorithm = algorithm.to_owned();
        point.variant = variant.to_owned();
        point.device = device.to_owned();
        point
    }

    #[test]
    fn a_name_is_retired_on_its_backend_only() {
        assert!(find(&point("presort", "lookup-table", "cuda:0")).is_some());
        assert_eq!(find(&point("presort", "lookup-table", "cpu")), None);
        assert!(find(&point("presort", "lookup-table", "emulator")).is_some());
        assert!(find(&point("presort", "lookup-table", "hip:0")).is_some());
        assert!(find(&point("sts", "resident", "wgpu:1")).is_some());
        assert_eq!(find(&point("sts", "balanced", "cuda:0")), None);
        assert_eq!(find(&point("cluster", "resident", "cuda:0")), None);
    }
}
