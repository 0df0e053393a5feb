//! Finding clusters on the host.
//!
//! | module | holds |
//! |---|---|
//! | `buckets` | where clusters go: a list for each row of each sector |
//! | `directions` | the cells around a peak |
//! | `published` | a loop for each stage, over lists and maps in memory |
//! | `rows` | ours: row by row, in the nearest caches |

mod buckets;
mod directions;
mod published;
mod rows;

pub(crate) use buckets::{Buckets, Starts};
pub(crate) use published::{Lists, Maps, Work, noisy_columns, peak_entries};
pub(crate) use rows::{Finder, Row, RowSamples, Source, sort};

use super::TpcClusterFinder;
use crate::algorithm::Variant;

pub(super) const VARIANTS: &[Variant<TpcClusterFinder>] = &[
    Variant::cpu(
        "published",
        "a loop for each stage over all samples of a fragment, as the experiment on a CPU",
        |at| at.session(published::Published::new(at.input, at.arena)),
    )
    .by_published_rules(),
    Variant::cpu(
        "rows",
        "ours: samples by row; a row at a time in the nearest caches, peaks by wide instructions",
        |at| at.session(rows::Rows::new(at.input, at.arena, at.threads())),
    )
    .by_published_rules(),
];
