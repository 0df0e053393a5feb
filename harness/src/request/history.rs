//! What `bench history` is asked for.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{ArgAction, Args, Subcommand};
use reports::history::{Filter, Retention, Unfinished};
use reports::rank::Rank;
use reports::record::Shard;
use reports::table::Format;
use reports::trend::{Listing, Terms};
use statistics::Search;

use super::{DEFAULT_STORE, Outputs, PointFlags, values};

/// What is to be done with which store.
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryRequest {
    /// Which runs are listed, if nothing else is to be done.
    #[command(flatten)]
    pub list: ListRunsRequest,
    /// What is to be done.
    #[command(subcommand)]
    pub action: Option<HistoryAction>,
}

/// What is to be done with a store.
#[derive(Subcommand, Clone, Debug)]
pub enum HistoryAction {
    /// List the runs, the one added last first.
    List(ListRunsRequest),
    /// Copy runs into the store.
    Add {
        /// Run folders; they stay as they are.
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<PathBuf>,
        /// Take runs that were killed too.
        #[arg(long, action = ArgAction::SetTrue)]
        #[arg(value_parser = values::switch(Unfinished::Refuse, Unfinished::Allow))]
        unfinished: Unfinished,
        /// Where to.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Make a run the baseline of its suite on its machine.
    Accept {
        /// An id, the beginning of one or of the hash in it, latest, or accepted.
        run: String,
        /// Why, for those who come later.
        #[arg(long, value_name = "TEXT", default_value = "")]
        #[arg(hide_default_value = true)]
        note: String,
        /// Only if no run of its suite was ever accepted, on whatever machine.
        #[arg(long)]
        if_none: bool,
        /// Where it is.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Print the accepted run of a suite on this machine, if its executable is kept.
    Baseline(BaselineRequest),
    /// Take an acceptance back.
    Unaccept {
        /// An id, the beginning of one or of the hash in it, latest, or accepted.
        run: String,
        /// Where it is.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Delete old runs, but never an accepted one nor the newest of a suite.
    Prune(PruneRequest),
    /// Print the results of a run.
    Show {
        /// An id, the beginning of one or of the hash in it, latest, or accepted.
        run: String,
        /// How to print it, and into which files.
        #[command(flatten)]
        format: Outputs<Format>,
        /// Rank what runs on GPUs by the total, copies included, or by the kernels.
        #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
        rank: Rank,
        /// Where it is.
        #[command(flatten)]
        store: StoreFolder,
    },
    /// Find when points became slower or faster, over all runs of a store.
    Changes(Box<ChangesRequest>),
}

/// A suite whose accepted run is asked for.
#[derive(Args, Clone, Debug)]
pub struct BaselineRequest {
    /// The file, or the name of a built-in suite.
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// Only the Ith of N parts.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Where it is.
    #[command(flatten)]
    pub store: StoreFolder,
}

/// A number of days: `30`, or `30d` as of `--since`.
fn days(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('d').unwrap_or(text).parse();
    number.map_err(|_| "not a number of days such as 30".to_owned())
}

/// Which runs are deleted.
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
    /// Delete nothing, only say what would be deleted.
    #[arg(long)]
    pub dry_run: bool,
    /// Where they are.
    #[command(flatten)]
    pub store: StoreFolder,
}

impl PruneRequest {
    /// What stays.
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
    /// Which.
    #[command(flatten)]
    pub runs: RunFlags,
    /// Only runs that measured this task.
    // Behind the suite.
    #[arg(long, value_name = "NAME", display_order = 2)]
    task: Option<String>,
    /// Only accepted runs.
    #[arg(long)]
    accepted: bool,
    /// How to print them, and into which files.
    #[command(flatten)]
    pub format: Outputs<Format>,
}

impl ListRunsRequest {
    /// Which runs.
    pub fn filter(&self) -> Filter {
        Filter { task: self.task.clone(), accepted: self.accepted, ..self.runs.filter() }
    }
}

/// Which runs of which store.
#[derive(Args, Clone, Debug)]
pub struct RunFlags {
    /// Which store.
    #[command(flatten)]
    pub store: StoreFolder,
    /// Only runs of machines whose key begins so.
    #[arg(long, value_name = "KEY")]
    machine: Option<String>,
    /// Only runs of this suite.
    #[arg(long, value_name = "NAME")]
    suite: Option<String>,
    /// Only runs of commits whose hash begins so.
    #[arg(long, value_name = "HASH")]
    commit: Option<String>,
    /// Only runs started then or later: 2026-01-31, 2026-01-31T12:00:00Z, 7d.
    #[arg(long, value_name = "TIME", value_parser = values::moment)]
    since: Option<SystemTime>,
    /// Only runs started before.
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

/// Points to be followed through the runs of a store.
#[derive(Args, Clone, Debug)]
pub struct ChangesRequest {
    /// Which runs.
    #[command(flatten)]
    pub runs: RunFlags,
    /// Which points of them.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
    /// What counts as a change.
    #[command(flatten, next_help_heading = "Judging")]
    pub judging: ShiftJudging,
    /// Show all points, also those that stayed as they were.
    #[arg(long = "all", action = ArgAction::SetTrue, help_heading = "Output")]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// Draw a chart of what is shown, a panel a point, into this folder.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// How to print it.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs<Format>,
}

/// What counts as a change, and what is done about it.
#[derive(Args, Clone, Debug)]
pub struct ShiftJudging {
    /// The smallest change that counts, if a series does not scatter by more.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "1%")]
    min_effect: f64,
    /// The share of steady series in which a change may be found, 0.0025 or more.
    #[arg(long, value_name = "P", value_parser = values::change_significance, default_value = "0.005")]
    significance: f64,
    /// The share of false changes among those that are found in all series together.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "2%")]
    false_discovery: f64,
    /// Changes that are all right [default: accepted-shifts.toml in the store]
    #[arg(long, value_name = "FILE")]
    pub accepted_shifts: Option<PathBuf>,
    /// Exit with 4 if a point is slower and nobody accepted that.
    #[arg(long)]
    pub check: bool,
}

impl ShiftJudging {
    /// What counts as a change.
    pub fn terms(&self) -> Terms {
        Terms {
            min_effect: self.min_effect,
            search: Search { significance: self.significance, ..Search::default() },
            false_discovery: self.false_discovery,
        }
    }
}

impl ChangesRequest {
    /// Which runs: those of a task if one is named, for runs are listed by the names of their
    /// tasks, not by globs.
    pub fn filter(&self) -> Filter {
        let task = match &self.points.task[..] {
            [task] if !task.contains(['*', '?', '[']) => Some(task.clone()),
            _ => None,
        };
        Filter { task, ..self.runs.filter() }
    }
}
