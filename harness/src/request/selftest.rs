//! Request of `bench selftest`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{RangedI64ValueParser, TypedValueParser};
use reports::compare::render::SelfTestFormat;

use super::{DEFAULT_STORE, Outputs, values};

/// Request of a self-test.
#[derive(Args, Clone, Debug)]
pub struct SelfTestRequest {
    /// Suite to measure: a TOML file, or a built-in one.
    #[arg(long, value_name = "SUITE", default_value = "selftest")]
    pub suite: PathBuf,
    /// Comparisons to test: paired runs only (faster), or also separate runs.
    #[arg(long = "way", value_name = "WAY", value_parser = values::named(MODES), default_value = "both")]
    pub mode: SelfTestMode,
    /// Repetitions of each slowdown.
    #[arg(long, value_name = "N", value_parser = repeats(), default_value = "1")]
    pub repeats: usize,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR")]
    #[arg(help = "Folder for the runs [default: results/<UTC time>-selftest]")]
    pub out: Option<PathBuf>,
    /// Formats of the result.
    #[command(flatten)]
    pub format: Outputs<SelfTestFormat>,
    /// Store of runs and self-tests.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}

/// Kinds of comparison to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfTestMode {
    /// Separate runs and paired runs.
    Both,
    /// Paired runs only.
    InTurn,
}

const MODES: [(&str, SelfTestMode); 2] =
    [("both", SelfTestMode::Both), ("in-turn", SelfTestMode::InTurn)];

fn repeats() -> impl TypedValueParser<Value = usize> {
    let repeats = RangedI64ValueParser::<u32>::new().range(1..=1000);
    repeats.map(|repeats| repeats as usize)
}
