//! What it costs that kernels are portable: their times over those of native ones that do the
//! same, step by step, on the same GPU and in the same rounds.
//!
//! | module | holds |
//! |---|---|
//! | `role` | what a device stands for: native, the same once more, shaders, checked shaders |
//! | `cost` | a ratio of kernels' times with its interval, and what it says of a claim |
//! | `resources` | registers and memory of kernels, as far as a driver tells them |
//! | `find` | the contenders of each native variant in a run |
//! | `render` | tables, CSV and JSON |
//!
//! Which variants do the same is nothing that a run tells: the caller has the [`Pair`]s.

mod cost;
mod find;
#[cfg(test)]
pub(crate) mod fixture;
mod render;
mod resources;
mod role;

pub use cost::{CLAIMED, Cost, Judged};
pub use find::{Comparison, Contender, comparisons};
pub use render::{render, what_differs};
pub use resources::Resources;

/// A variant, and the native one that does the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The task.
    pub task: &'static str,
    /// The native variant.
    pub native: &'static str,
    /// The other one.
    pub variant: &'static str,
    /// The backend that the other one is for: `cuda`, `wgpu`.
    pub backend: &'static str,
    /// What is written otherwise: `shaders`, or what stands in for something native.
    pub written_as: &'static str,
    /// What else differs, and why; empty if nothing does.
    pub differs: &'static str,
}
