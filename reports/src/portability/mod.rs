//! Cost of portable kernels: their times over those of equivalent native ones, step by step, on the
//! same GPU and in the same rounds.
//!
//! | module | holds |
//! |---|---|
//! | `role` | role of a device: native, native repeated, shaders, checked shaders |
//! | `cost` | a ratio of kernels' times with its interval, and the verdict on a claim |
//! | `resources` | registers and memory of kernels, if the driver reports them |
//! | `find` | the candidates for each native variant in a run |
//! | `render` | tables, CSV and JSON |
//!
//! Runs do not contain which variants are equivalent: the caller provides the [`Pair`]s.

mod cost;
mod find;
#[cfg(test)]
pub(crate) mod fixture;
mod render;
mod resources;
mod role;

pub use cost::{CLAIMED, ClaimVerdict, Cost};
pub use find::{Candidate, Comparison, comparisons};
pub use render::{render, what_differs};
pub use resources::Resources;

/// A variant, and the equivalent native one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The task.
    pub task: &'static str,
    /// The native variant.
    pub native: &'static str,
    /// The other one.
    pub variant: &'static str,
    /// The backend of the other one: `cuda`, `wgpu`.
    pub backend: &'static str,
    /// Difference in the source: `shaders`, or the replacement of a native feature.
    pub written_as: &'static str,
    /// Further differences, with reasons; empty if there are none.
    pub differs: &'static str,
}
