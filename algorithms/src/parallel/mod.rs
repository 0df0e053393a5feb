//! Work for all threads of the current pool.
//!
//! Inside of a [`Team`](crate::device::Team) that is its own pool, outside of all teams rayon's
//! global one. rayon compiles its loops anew for each iterator that it is given, which is
//! thousands of lines each time. Here the loop over a pool is compiled once (`ranges`): it cuts
//! indices into ranges, and calls whoever does the work for each *range*, not for each element.
//! What is in front of it is thin, and the loop within a range is inlined as ever.
//!
//! | module | holds |
//! |---|---|
//! | `ranges` | indices, cut by rayon |
//! | `slices` | slices that are written in parts, lists that are filled |
//! | `items` | items that are handed out, such as chunks of slices |
//! | `first` | the first of what is found |

mod first;
mod items;
mod ranges;
mod slices;

pub(crate) use first::find_first;
pub(crate) use items::{for_each, for_each_numbered, for_each_singly, map, map_singly};
pub(crate) use ranges::{Grain, for_each_range};
pub(crate) use slices::{collect, extend, for_each_part};

/// Elements that tests work on in parallel: fewer where Miri interprets them.
#[cfg(test)]
pub(crate) const MANY: usize = if cfg!(miri) { 60 } else { 1000 };
