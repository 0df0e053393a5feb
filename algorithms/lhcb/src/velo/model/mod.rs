//! Data of the VELO's reconstruction.
//!
//! | module | holds |
//! |---|---|
//! | `capacities` | capacities of the experiment's buffers |
//! | `formulas` | positions and angles, rounded as in the experiment |
//! | `hits` | hits by slot |
//! | `search` | settings of the search by triplets, lines, chi2 |
//! | `tracks` | tracks, and the hits of all of them |

pub mod capacities;
pub mod formulas;
pub mod hits;
pub mod search;
pub mod tracks;

pub use hits::{EventHits, Hit, HitArrays, Hits, PairRange};
pub use tracks::{EventTracks, TrackCounts, Tracks};
