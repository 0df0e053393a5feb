//! `--task`, `--variant` and `--axis`: some points of a run.

use clap::Args;
use reports::filter::{AxisValues, PointFilter};

/// Which points.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct PointFlags {
    /// Only points of these tasks.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = glob)]
    pub task: Vec<String>,
    /// Only points of these variants, such as std-*.
    #[arg(long, value_name = "GLOB", value_delimiter = ',', value_parser = glob)]
    pub variant: Vec<String>,
    /// Only points with such a value: segments=24, threads=1,2; repeatable.
    #[arg(long, value_name = "NAME=VALUE[,VALUE]")]
    pub axis: Vec<AxisValues>,
}

impl PointFlags {
    /// The points that they ask for.
    pub fn filter(&self) -> PointFilter {
        let filter = PointFilter::new(&self.task, &self.variant, &self.axis);
        filter.expect("patterns were checked when the flags were parsed")
    }
}

fn glob(text: &str) -> Result<String, String> {
    let filter = PointFilter::new(&[text], &[], &[]);
    filter.map(|_| text.to_owned()).map_err(|error| error.to_string())
}
