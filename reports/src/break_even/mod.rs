//! Input size from which a GPU is faster than the CPU.
//!
//! A GPU has a large fixed cost and a small cost per item, so it is the faster one from some size
//! on. That size depends on whether the data have to be copied there and back.
//!
//! | module | does |
//! |---|---|
//! | `size` | finds the axis that makes inputs larger |
//! | `sweep` | picks the fastest at each size |
//! | `words` | describes which one is faster from which size on |
//!
//! [`statistics::crossings`] finds the sizes at which both are equally fast.

mod size;
mod sweep;
mod words;

pub use sweep::{CpuVsGpu, Curve, GpuTime, Sweep, sweeps};
pub use words::{fastest_variants, sentences};
