//! What `bench history` is asked for.

use std::path::PathBuf;

use reports::filter::PointFilter;
use reports::history::{Filter, Retention, Unfinished};
use reports::rank::Rank;
use reports::table::Format;
use reports::trend::{Listing, Terms};

use super::Outputs;

/// What is to be done with which store.
pub struct HistoryRequest {
    /// The store's folder.
    pub store: PathBuf,
    /// What is to be done.
    pub action: HistoryAction,
}

/// What is to be done with a store.
pub enum HistoryAction {
    /// `bench history list`
    List {
        /// Which runs.
        filter: Filter,
        /// How to print them, and into which files.
        format: Outputs<Format>,
    },
    /// `bench history add`
    Add {
        /// The run folders.
        runs: Vec<PathBuf>,
        /// What to do with runs that have no end.
        unfinished: Unfinished,
    },
    /// `bench history accept`
    Accept {
        /// The run.
        run: String,
        /// Why.
        note: String,
        /// Only if its series has no accepted run yet.
        if_none: bool,
    },
    /// `bench history unaccept`
    Unaccept {
        /// The run.
        run: String,
    },
    /// `bench history changes`
    Changes(Box<ChangesRequest>),
    /// `bench history prune`
    Prune {
        /// What stays.
        retention: Retention,
        /// Only tell what would go.
        dry_run: bool,
    },
    /// `bench history show`
    Show {
        /// The run.
        run: String,
        /// How to print it, and into which files.
        format: Outputs<Format>,
        /// What variants are ranked by, where there is a choice.
        rank: Rank,
    },
}

/// Points to be followed through the runs of a store.
#[derive(Clone, Debug)]
pub struct ChangesRequest {
    /// Which runs.
    pub filter: Filter,
    /// Which points of them.
    pub points: PointFilter,
    /// The file of accepted changes; that of the store if not given.
    pub accepted_shifts: Option<PathBuf>,
    /// What counts as a change.
    pub terms: Terms,
    /// Which points to show.
    pub listing: Listing,
    /// Whether a change to be looked at is a failure.
    pub check: bool,
    /// Where charts go; none are drawn if not given.
    pub out: Option<PathBuf>,
    /// How to print it.
    pub format: Outputs<Format>,
}
