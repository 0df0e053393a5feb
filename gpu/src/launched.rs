//! Kernels that were started.

use super::{Image, Shape};

/// A kernel that was started, with its launch configuration.
#[derive(Clone, Copy)]
pub(super) struct Launched {
    pub(super) image: &'static Image,
    pub(super) kernel: &'static str,
    pub(super) shape: Shape,
}
