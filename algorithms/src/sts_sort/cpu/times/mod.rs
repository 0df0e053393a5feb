//! Cache-sized sorting by time, shared by the sorts by channel and by time alone.
//!
//! | module | holds |
//! |---|---|
//! | `coarse_time` | a range of times in buckets of equal length |
//! | `small_counts` | counts of 16 bits, four in a word |
//! | `parts` | groups of digis in parts for several threads |
//! | `finish` | the final pass over digis that are nearly in order |
//! | `runs` | consecutive digis of the same bucket |
//! | `spans` | spans of time whose digis fit into the first-level cache |

mod coarse_time;
mod finish;
mod parts;
mod runs;
mod small_counts;
mod spans;

pub(super) use coarse_time::{CoarseTime, TimeRange, sample};
pub(super) use finish::{finish, finish_by, finish_in_parts};
pub(super) use parts::parts_of;
pub(super) use runs::Runs;
pub(super) use small_counts::SmallCounts;
pub(super) use spans::sort_spans;
