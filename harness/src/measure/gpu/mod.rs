//! Preparation and monitoring of GPUs around samples.
//!
//! | module | holds |
//! |---|---|
//! | `watched` | GPUs of a session, with their monitors and bandwidths, and as in its record |
//! | `sampled_gpu` | the GPU that a candidate is sampled on, kept busy and with an empty L2 cache |
//! | `watch` | clocks, and reasons for throttling |
//! | `kernel_counters` | bytes of memory, instructions and causes of waiting, by a profiler |
//! | `ceilings` | limits of memory, link and launches |

pub(crate) mod ceilings;
pub(super) mod kernel_counters;
pub(super) mod sampled_gpu;
pub(super) mod watch;
pub(super) mod watched;
