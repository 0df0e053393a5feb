//! What surrounds samples on GPUs.
//!
//! | module | holds |
//! |---|---|
//! | `watched` | the GPUs of a session, with what is known of them |
//! | `on_gpu` | the GPU that a candidate is sampled on, at work and with an empty L2 cache |
//! | `watch` | clocks, and what holds them down |
//! | `hip` | those by AMD of a run, as its record has them |
//! | `shaders` | those of a run that shaders run on |
//! | `energy` | what a run takes |
//! | `ceilings` | what memory, link and launches can do at most |

pub(crate) mod ceilings;
pub(super) mod energy;
pub(super) mod hip;
pub(super) mod on_gpu;
pub(super) mod shaders;
pub(super) mod watch;
pub(super) mod watched;
