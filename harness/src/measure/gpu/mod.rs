//! Preparation and monitoring of GPUs around samples.
//!
//! | module | holds |
//! |---|---|
//! | `watched` | GPUs of a session, with their monitors and bandwidths |
//! | `sampled_gpu` | the GPU that a candidate is sampled on, kept busy and with an empty L2 cache |
//! | `watch` | clocks, and reasons for throttling |
//! | `hip` | AMD GPUs of a run, as in its record |
//! | `shaders` | GPUs of a run that shaders run on, as in its record |
//! | `energy` | energy of a run |
//! | `ceilings` | limits of memory, link and launches |

pub(crate) mod ceilings;
pub(super) mod energy;
pub(super) mod hip;
pub(super) mod sampled_gpu;
pub(super) mod shaders;
pub(super) mod watch;
pub(super) mod watched;
