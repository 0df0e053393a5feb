//! Resources of kernels, if the driver reports them.

use crate::record::{Point, SummaryRow};

/// Resources of the longest kernel of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// The kernel's name; empty if unknown.
    pub kernel: String,
    /// Registers per thread; drivers don't report them for shaders.
    pub registers: Option<f64>,
    /// Bytes of local memory per thread: spilled registers and local arrays.
    pub local_bytes: Option<f64>,
    /// Bytes of shared memory per block.
    pub shared_bytes: Option<f64>,
    /// Resident threads of a multiprocessor, over its maximum.
    pub occupancy: Option<f64>,
}

impl Resources {
    /// Resources of the kernels of a point in a run.
    pub(super) fn for_point(point: &Point, rows: &[SummaryRow]) -> Self {
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
    fn resources_are_those_of_the_longest_kernel() {
        let point = point("native", "cuda:0");
        let mut rows = rows(&point, 1e-3);
        let resources = Resources::for_point(&point, &rows);
        assert_eq!((resources.kernel.as_str(), resources.registers), ("long", Some(40.0)));
        rows.retain(|row| row.stage != "long");
        let resources = Resources::for_point(&point, &rows);
        assert_eq!((resources.kernel.as_str(), resources.registers), ("short", Some(16.0)));
        assert_eq!(Resources::for_point(&point, &[]), Resources::default());
    }
}
