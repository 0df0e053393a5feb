//! What kernels take, as far as a driver tells.

use crate::record::{Point, SummaryRow};

/// What the longest kernel of a point takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// The kernel's name; empty if nothing is known of any.
    pub kernel: String,
    /// Registers of a thread; drivers don't tell them of shaders.
    pub registers: Option<f64>,
    /// Bytes of a thread in device memory: spilled registers and local arrays.
    pub local_bytes: Option<f64>,
    /// Bytes of shared memory of a block.
    pub shared_bytes: Option<f64>,
    /// Threads that a multiprocessor runs at once, over those that it can have.
    pub occupancy: Option<f64>,
}

impl Resources {
    /// Those of a point in a run.
    pub(super) fn of(point: &Point, rows: &[SummaryRow]) -> Self {
        let is_kernel = |row: &&SummaryRow| row.metrics.get("occupancy").is_some();
        let kernels = rows.iter().filter(is_kernel).filter(|row| row.point() == *point);
        let time = |row: &SummaryRow| row.median_s.unwrap_or(0.0);
        let longest = kernels.max_by(|a, b| time(a).total_cmp(&time(b)));
        longest.map_or_else(Resources::default, |row| Resources {
            kernel: row.stage.clone(),
            registers: row.metrics.number("registers"),
            local_bytes: row.metrics.number("local_bytes"),
            shared_bytes: row.metrics.number("shared_bytes"),
            occupancy: row.metrics.number("occupancy"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{point, rows};
    use super::*;

    #[test]
    fn the_longest_kernel_is_told_of() {
        let point = point("native", "cuda:0");
        let mut rows = rows(&point, 1e-3);
        let resources = Resources::of(&point, &rows);
        assert_eq!((resources.kernel.as_str(), resources.registers), ("long", Some(40.0)));
        rows.retain(|row| row.stage != "long");
        let resources = Resources::of(&point, &rows);
        assert_eq!((resources.kernel.as_str(), resources.registers), ("short", Some(16.0)));
        assert_eq!(Resources::of(&point, &[]), Resources::default());
    }
}
