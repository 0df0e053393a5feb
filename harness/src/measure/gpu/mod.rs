//! What surrounds samples on GPUs.
//!
//! | module | holds |
//! |---|---|
//! | `fleet` | the GPUs of a session, with what is known of them |
//! | `on_gpu` | the GPU that a candidate is sampled on |
//! | `watch` | clocks, and what holds them down |
//! | `warmth` | a GPU at work before a sample, and an empty L2 cache |
//! | `energy` | what a run takes |
//! | `memory` | whether the driver agrees on the bytes that a launcher counts |
//! | `ceilings` | what memory, link and launches can do at most |

pub(crate) mod ceilings;
pub(super) mod energy;
pub(super) mod fleet;
pub(super) mod memory;
pub(super) mod on_gpu;
pub(super) mod warmth;
pub(super) mod watch;
