//! Request of `bench simulate`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use super::{DEFAULT_STORE, Outputs, values};

/// Request for a simulation of a farm.
#[derive(Args, Clone, Debug)]
pub struct SimulateRequest {
    /// A run of `bench stream`: a folder, or latest, accepted or an id of the store.
    #[arg(value_name = "RUN", default_value = "latest")]
    pub run: PathBuf,
    /// Nodes, each with the workers of the run and a rate of its own [default: 1]
    #[arg(long, value_name = "N")]
    pub nodes: Option<NonZeroUsize>,
    /// Speeds over that of the detector [default: those of the run]
    #[arg(long, value_name = "X[,X]", value_delimiter = ',', value_parser = super::stream::speed)]
    pub speed: Vec<f64>,
    /// Failures of nodes: the mean time between two of a node, and until it is back, such as 30d/8h.
    #[arg(long = "fail", value_name = "BETWEEN/BACK")]
    pub failures: Option<NodeFailures>,
    /// Time for which timeslices come [default: that of the run]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub duration: Option<Duration>,
    /// Seed of the simulation.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Formats of the table.
    #[command(flatten)]
    pub format: Outputs,
    /// Store of runs.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}

/// Failures of nodes, noticed after ten seconds: the timeout of workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeFailures(pub farm::Failures);

/// Time until a failure is noticed.
const NOTICED_S: f64 = 10.0;

impl FromStr for NodeFailures {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || "use two times such as 30d/8h: between failures, and until a node is back";
        let (between, back) = text.split_once('/').ok_or_else(problem)?;
        let [between_s, repair_s] =
            [values::duration(between)?, values::duration(back)?].map(|time| time.as_secs_f64());
        if between_s <= 0.0 || repair_s <= 0.0 {
            return Err(problem().to_owned());
        }
        Ok(NodeFailures(farm::Failures { between_s, repair_s, noticed_s: NOTICED_S }))
    }
}
