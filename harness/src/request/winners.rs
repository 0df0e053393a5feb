//! What `bench winners` is asked for.

use std::path::PathBuf;

use clap::Args;
use reports::rank::Rank;
use reports::table::Format;

use super::{DEFAULT_STORE, Outputs, PointFlags, values};

/// Who is the fastest where.
#[derive(Args, Clone, Debug)]
pub struct WinnersRequest {
    /// A run folder, or latest, accepted or an id of the store.
    #[arg(value_name = "RUN", default_value = "latest")]
    pub run: PathBuf,
    /// Draw a map of the winners over two axes into this folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The axes of the map [default: the two with the most values]
    #[arg(long, value_name = "AXIS,AXIS", value_delimiter = ',', num_args = 1..=2)]
    pub over: Vec<String>,
    /// How to print the table, and into which files.
    #[command(flatten)]
    pub format: Outputs<Format>,
    /// Rank what runs on GPUs by the total, copies included, or by the kernels.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Where runs are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Which points take part.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}
