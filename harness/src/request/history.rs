//! Request of `bench history`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{ArgAction, Args, Subcommand};
use reports::history::{Filter, Retention, Unfinished};
use reports::rank::{Rank, RankedBy};
use reports::record::Shard;
use reports::trend::{Listing, ShiftLimits};
use statistics::Search;

use super::{DEFAULT_STORE, Outputs, PointFlags, values};

/// Action on a store of runs.
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryRequest {
    /// Runs to list if there is no action.
    #[command(flatten)]
    pub list: ListRunsRequest,
    /// Action.
    #[command(subcommand)]
    pub action: Option<HistoryAction>,
}

/// Actions on a store of runs.
#[derive(Subcommand, Clone, Debug)]
pub enum HistoryAction {
    /// List runs, the newest first.
    List(ListRunsRequest),
    /// Copy runs into the store.
    Add {
        /// Run folders, which are left unchanged.
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<PathBuf>,
        /// Accept unfinished runs, too.
        #[arg(long, action = ArgAction::SetTrue)]
        #[arg(value_parser = values::switch(Unfinished::Refuse, Unfinished::Allow))]
        unfinished: Unfinished,
        /// Store.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Make a run the baseline of its suite on its machine.
    Accept {
        /// Run: an id or its beginning, the beginning of its hash, latest, or accepted.
        run: String,
        /// Reason, stored with the acceptance.
        #[arg(long, value_name = "TEXT", default_value = "")]
        #[arg(hide_default_value = true)]
        note: String,
        /// Accept only if no run of its suite was ever accepted, on any machine.
        #[arg(long)]
        if_none: bool,
        /// Store.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Print the accepted run of a suite on this machine, if its executable is stored.
    Baseline(BaselineRequest),
    /// Revoke an acceptance.
    Unaccept {
        /// Run: an id or its beginning, the beginning of its hash, latest, or accepted.
        run: String,
        /// Store.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Delete old runs, except accepted ones and the newest of each suite.
    Prune(PruneRequest),
    /// Print the results of a run.
    Show {
        /// Run: an id or its beginning, the beginning of its hash, latest, or accepted.
        run: String,
        /// Formats of the table.
        #[command(flatten)]
        format: Outputs,
        /// Rank GPU variants by total time (copies included) or by kernel time.
        #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
        rank: Rank,
        /// Store.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Find change points: when points became slower or faster, over all runs of a store.
    Changes(Box<ChangesRequest>),
}

/// Suite whose accepted run is printed.
#[derive(Args, Clone, Debug)]
pub struct BaselineRequest {
    /// The file, or the name of a built-in suite.
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// Part I of N of the suite.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Store.
    #[command(flatten)]
    pub store: StoreFolder,
}

/// Parses a number of days: `30`, or `30d` as in `--since`.
fn days(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('d').unwrap_or(text).parse();
    number.map_err(|_| "use a number of days such as 30".to_owned())
}

/// Runs to delete.
#[derive(Args, Clone, Debug)]
pub struct PruneRequest {
    /// Keep the N newest runs of each suite on each machine.
    #[arg(long, value_name = "N", required_unless_present = "keep_days")]
    keep: Option<usize>,
    /// Keep runs that were added in the last N days.
    #[arg(long, value_name = "N", value_parser = days)]
    keep_days: Option<u64>,
    /// Keep the N newest executables, and those of accepted runs and of the newest of each suite.
    #[arg(long, value_name = "N")]
    keep_executables: Option<usize>,
    /// Print what would be deleted, and delete nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Store.
    #[command(flatten)]
    pub store: StoreFolder,
}

impl PruneRequest {
    /// Returns the rules of what is kept.
    pub fn retention(&self) -> Retention {
        Retention {
            keep_runs: self.keep,
            keep_days: self.keep_days,
            keep_executables: self.keep_executables,
        }
    }
}

/// A store of runs.
#[derive(Args, Clone, Debug)]
pub struct StoreFolder {
    /// The folder of the store.
    #[arg(long = "store", value_name = "DIR", default_value = DEFAULT_STORE)]
    pub folder: PathBuf,
}

/// Runs to be listed.
#[derive(Args, Clone, Debug)]
pub struct ListRunsRequest {
    /// Filter of runs.
    #[command(flatten)]
    pub runs: RunFlags,
    /// Only runs that measured this task.
    // After the suite in the help.
    #[arg(long, value_name = "NAME", display_order = 2)]
    task: Option<String>,
    /// Only accepted runs.
    #[arg(long)]
    accepted: bool,
    /// Formats of the list.
    #[command(flatten)]
    pub format: Outputs,
}

impl ListRunsRequest {
    /// Returns the filter of runs.
    pub fn filter(&self) -> Filter {
        Filter { task: self.task.clone(), accepted: self.accepted, ..self.runs.filter() }
    }
}

/// Filter of the runs of a store.
#[derive(Args, Clone, Debug)]
pub struct RunFlags {
    /// Store.
    #[command(flatten)]
    pub store: StoreFolder,
    /// Only runs of machines whose key starts with this.
    #[arg(long, value_name = "KEY")]
    machine: Option<String>,
    /// Only runs of this suite.
    #[arg(long, value_name = "NAME")]
    suite: Option<String>,
    /// Only runs of commits whose hash starts with this.
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// Only runs started at or after this time: 2026-01-31, 2026-01-31T12:00:00Z, 7d.
    #[arg(long, value_name = "TIME", value_parser = values::moment)]
    since: Option<SystemTime>,
    /// Only runs started before this time.
    #[arg(long, value_name = "TIME", value_parser = values::moment)]
    until: Option<SystemTime>,
    /// Only the N runs added last.
    #[arg(long, value_name = "N")]
    last: Option<usize>,
}

impl RunFlags {
    fn filter(&self) -> Filter {
        Filter {
            machine: self.machine.clone(),
            suite: self.suite.clone(),
            task: None,
            commit: self.commit.clone(),
            since: self.since,
            until: self.until,
            accepted: false,
            last: self.last,
        }
    }
}

/// Points and runs to search for changes.
#[derive(Args, Clone, Debug)]
pub struct ChangesRequest {
    /// Runs to search.
    #[command(flatten)]
    pub runs: RunFlags,
    /// Points to search.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
    /// Thresholds of changes.
    #[command(flatten, next_help_heading = "Judging")]
    pub judging: ShiftJudging,
    /// Quantity to follow: time, or the energy of an item, which has no chart.
    #[arg(long, value_name = "QUANTITY", value_parser = values::ranked_by(), default_value = RankedBy::default().name())]
    #[arg(help_heading = "Judging")]
    pub by: RankedBy,
    /// List all points, including unchanged ones.
    #[arg(long = "all", action = ArgAction::SetTrue, help_heading = "Output")]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// Folder for a chart of the listed points, one panel each.
    #[arg(long = "charts", alias = "out", value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Formats of the table.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs,
}

/// Thresholds of changes, and their effect on the exit code.
#[derive(Args, Clone, Debug)]
pub struct ShiftJudging {
    /// Smallest change to report, unless the series scatters by more.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "1%")]
    min_effect: f64,
    /// False-positive rate per steady series, 0.0025 or more.
    #[arg(long, value_name = "P", value_parser = values::change_significance, default_value = "0.005")]
    significance: f64,
    /// False discovery rate over all series.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "2%")]
    false_discovery: f64,
    /// File of accepted changes [default: accepted-shifts.toml in the store]
    #[arg(long, value_name = "FILE")]
    pub accepted_shifts: Option<PathBuf>,
    /// Exit with 4 if a point is slower and that change is not accepted.
    #[arg(long)]
    pub check: bool,
}

impl ShiftJudging {
    /// Returns the thresholds.
    pub fn limits(&self) -> ShiftLimits {
        ShiftLimits {
            min_effect: self.min_effect,
            search: Search { significance: self.significance, ..Search::default() },
            false_discovery: self.false_discovery,
        }
    }
}

impl ChangesRequest {
    /// Returns the filter of runs: those of a task if one is named without a glob, because runs are
    /// filtered by exact task names.
    pub fn filter(&self) -> Filter {
        let task = match &self.points.task[..] {
            [task] if !task.contains(['*', '?', '[']) => Some(task.clone()),
            _ => None,
        };
        Filter { task, ..self.runs.filter() }
    }
}
