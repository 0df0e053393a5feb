//! Request of `bench winners`.

use std::path::PathBuf;

use clap::Args;
use reports::rank::Rank;
use reports::table::Format;

use super::{DEFAULT_STORE, Outputs, PointFlags, values};

/// Request for the fastest variants.
#[derive(Args, Clone, Debug)]
pub struct WinnersRequest {
    /// A run folder, or latest, accepted or an id of the store.
    #[arg(value_name = "RUN", default_value = "latest")]
    pub run: PathBuf,
    /// Folder for a map of the winners over two axes.
    #[arg(long = "charts", alias = "out", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Axes of the map [default: the two with the most values]
    #[arg(long, value_name = "AXIS,AXIS", value_delimiter = ',', num_args = 1..=2)]
    pub over: Vec<String>,
    /// Formats of the table.
    #[command(flatten)]
    pub format: Outputs<Format>,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Points to rank.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}
