//! What `bench selftest` is asked for.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{RangedI64ValueParser, TypedValueParser};
use reports::compare::render::SelfTestFormat;

use super::{DEFAULT_STORE, Outputs, values};

/// A self-test to be made.
#[derive(Args, Clone, Debug)]
pub struct SelfTestRequest {
    /// The suite whose points are measured: a TOML file, or a built-in one.
    #[arg(long, value_name = "SUITE", default_value = "selftest")]
    pub suite: PathBuf,
    /// How to compare: in turn only takes less time, and says nothing of runs on two days.
    #[arg(long, value_name = "WAY", value_parser = values::named(WAYS), default_value = "both")]
    pub way: Ways,
    /// How often to try each slowdown.
    #[arg(long, value_name = "N", value_parser = repeats(), default_value = "1")]
    pub repeats: usize,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR")]
    #[arg(help = "Folder for the runs [default: results/<UTC time>-selftest]")]
    pub out: Option<PathBuf>,
    /// How to print the outcome, and into which files.
    #[command(flatten)]
    pub format: Outputs<SelfTestFormat>,
    /// Where runs and self-tests are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}

/// Ways to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// Whole runs one after the other, and in turn.
    Both,
    /// In turn only.
    InTurn,
}

const WAYS: [(&str, Ways); 2] = [("both", Ways::Both), ("in-turn", Ways::InTurn)];

fn repeats() -> impl TypedValueParser<Value = usize> {
    let repeats = RangedI64ValueParser::<u32>::new().range(1..=1000);
    repeats.map(|repeats| repeats as usize)
}
