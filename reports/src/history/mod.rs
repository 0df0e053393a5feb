//! The store of runs: a folder that other tools can read.
//!
//! | path | content |
//! |---|---|
//! | `store.json` | says that the folder is a store, and of which version |
//! | `runs/<id>/` | a run folder, and `stored.json`: when it was added |
//! | `accepted/<series>.json` | the accepted run of a series, and earlier ones |
//! | `machine-keys.json` | keys of earlier versions, with today's |
//! | `selftest/<machine>.json` | how often the gate errs on a machine |
//! | `executables/<fingerprint>` | what made the runs |
//! | `plugins/<fingerprint>/` | the plugins that runs were made with |
//! | `incoming/`, `trash/` | what is being written or deleted |
//! | `lock` | held by whoever writes |
//!
//! Whatever appears or goes does so by one rename, after its bytes are on
//! disk, so a kill at any moment leaves all or nothing. `docs/history.md` is the
//! contract with other tools.

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
