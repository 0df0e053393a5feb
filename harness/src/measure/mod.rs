//! Measuring: right before fast, interleaved, until a rule says enough.
//!
//! | module | holds |
//! |---|---|
//! | `session` | a whole request: folder, teams, ceilings, points |
//! | `input` | one input: candidates checked, then sampled |
//! | `rounds` | the order of sampling; knows nothing of what is sampled |
//! | `stopping` | when a candidate has enough samples |
//! | `sampler` | one sample of one candidate |
//! | `clock`, `cache`, `ceilings` | what surrounds a sample |
//! | `rows` | samples as records |

mod cache;
mod ceilings;
mod clock;
mod input;
mod rounds;
mod rows;
mod sampler;
mod session;
mod stopping;

pub use ceilings::measure_bandwidth;
pub use input::check_candidate;
pub use rounds::{Observer, Sampler, interleave};
pub use sampler::{CandidateSampler, Sample};
pub use session::{Outcome, Session};
pub use stopping::{Policy, StopReason};
