//! Work for all threads of the current pool.
//!
//! Inside a [`Team`](crate::device::Team) the current pool is the team's, outside of all teams it
//! is rayon's global one. rayon compiles its loops for each iterator type, which is thousands of
//! lines each time. Here the loop over a pool is compiled once (`ranges`): it splits indices into
//! ranges, and makes a dynamic call for each *range*, not for each element. The code in front of it
//! is thin, and the loop within a range is inlined as usual.
//!
//! | module | holds |
//! |---|---|
//! | `ranges` | index ranges, split by rayon |
//! | `slices` | slices that are written in parts, lists that are filled |
//! | `items` | owned items, such as chunks of slices |
//! | `first` | search for the first match |

mod first;
mod items;
mod ranges;
mod slices;

pub(crate) use first::find_first;
pub(crate) use items::{
    for_each, for_each_dynamic, for_each_numbered, for_each_with_tools, map, map_dynamic,
};
pub(crate) use ranges::{Grain, for_each_range};
pub(crate) use slices::{collect, extend, for_each_part};

/// Number of elements in tests of parallel work: fewer under Miri.
#[cfg(test)]
pub(crate) const MANY: usize = if cfg!(miri) { 60 } else { 1000 };
