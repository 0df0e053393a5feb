//! The reconstruction of the VELO, from raw banks to tracks.
//!
//! | module | holds |
//! |---|---|
//! | [`task`] | the stages as tasks |
//! | [`model`] | hits and tracks, and the formulas of their positions |
//! | [`reference`](mod@reference) | the expected results, slow and obvious |
//! | [`cpu`], `cuda` | the variants |

pub mod cpu;
mod cuda;
pub mod model;
pub mod reference;
pub mod task;
