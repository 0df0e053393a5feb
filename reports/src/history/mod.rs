//! The store of runs: a folder that other tools can read.
//!
//! | path | content |
//! |---|---|
//! | `store.json` | marks the folder as a store, with its version |
//! | `runs/<id>/` | a run folder, and `stored.json`: when it was added |
//! | `accepted/<series>.json` | the accepted run of a series, and earlier ones |
//! | `machine-keys.json` | keys of earlier versions, with current ones |
//! | `selftest/<machine>.json` | error rates of comparisons on a machine |
//! | `executables/<fingerprint>` | executables of runs |
//! | `plugins/<fingerprint>/` | plugins of runs |
//! | `incoming/`, `trash/` | files being written or deleted |
//! | `lock` | locked by the process that writes |
//!
//! Files and folders appear and disappear by one rename, after their bytes are on disk, so that
//! killing the process at any moment leaves all or nothing. `docs/history.md` is the contract with
//! other tools.

mod acceptable;
mod add;
mod baseline;
mod check;
mod content;
mod earlier_keys;
mod error;
mod executables;
mod filter;
mod list;
mod listing;
mod marks;
mod names;
mod plugins;
mod resolve;
mod retention;
mod self_tests;
mod series;
mod store;
mod stored;
mod summaries;
#[cfg(test)]
pub(crate) mod testing;

pub use add::{Added, Unfinished};
pub use baseline::{BaselineState, Elsewhere};
pub(crate) use content::short_hash;
pub use error::HistoryError;
pub use filter::Filter;
pub use list::Entry;
pub use listing::{render, render_on};
pub use retention::Retention;
pub use series::Series;
pub(crate) use series::safe_name;
pub use store::Store;
pub use stored::StoredRun;
