//! `--task`, `--variant` and `--axis`: selection of points of a run.

use clap::Args;
use reports::filter::{AxisValues, PointFilter};

/// Selection of points.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct PointFlags {
    /// Only points of these tasks.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = glob)]
    pub task: Vec<String>,
    /// Only points of these variants, such as std-*.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = glob)]
    pub variant: Vec<String>,
    /// Only points with these axis values: segments=24, threads=1,2; repeatable.
    #[arg(long, value_name = "NAME=VALUE[,VALUE]")]
    pub axis: Vec<AxisValues>,
}

impl PointFlags {
    /// Returns the filter of points.
    pub fn filter(&self) -> PointFilter {
        let filter = PointFilter::new(&self.task, &self.variant, &self.axis);
        filter.expect("patterns were checked when the flags were parsed")
    }
}

fn glob(text: &str) -> Result<String, String> {
    let filter = PointFilter::new(&[text], &[], &[]);
    filter.map(|_| text.to_owned()).map_err(|error| error.to_string())
}
