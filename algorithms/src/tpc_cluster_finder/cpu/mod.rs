//! Finding clusters on the host.
//!
//! | module | holds |
//! |---|---|
//! | `buckets` | lists of clusters for each row of each sector |
//! | `published` | a loop for each stage, over lists and maps in memory |
//! | `rows` | recobench's finder: row by row, in the nearest caches |

mod buckets;
mod published;
mod rows;

use published::{Collecting, Published};

use super::TpcClusterFinder;
use crate::algorithm::Variant;

pub(crate) use buckets::{Buckets, Starts};
pub(super) use buckets::{Flat, Locked};
pub(crate) use published::{FragmentContext, Lists, Maps, noisy_columns, peak_entries};
pub(super) use published::{Numbered, number_samples, samples_of};
pub(crate) use rows::{Finder, Row, RowSamples, Source, sort};

pub(super) const VARIANTS: &[Variant<TpcClusterFinder>] = &[
    Variant::cpu(
        "published",
        "a loop for each stage over all samples of a fragment, as the experiment on a CPU; labels \
         in a list with a filter of 64 bits",
        |at| at.session(Published::new(at.input, at.arena, Collecting::Filtered)),
    )
    .by_published_rules(),
    Variant::cpu(
        "unordered-set",
        "published, but labels of each cluster in a hash set, as the experiment at first",
        |at| at.session(Published::new(at.input, at.arena, Collecting::UnorderedSet)),
    )
    .by_published_rules()
    .unstable(),
    Variant::cpu(
        "rows",
        "ours: samples by row; a row at a time in the nearest caches, peaks by wide instructions; \
         labels by a table of their indices",
        |at| at.session(rows::Rows::new(at.input, at.arena, at.threads())),
    )
    .by_published_rules(),
];
