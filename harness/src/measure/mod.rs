//! Measuring: right before fast, interleaved, in visits, until a rule says
//! enough. A visit is a few samples of a candidate, in buffers of its own.
//!
//! | module | holds |
//! |---|---|
//! | `folder` | where results go that are given no folder |
//! | `assignment` | what to measure, and what came of it |
//! | `session` | a run: folder, teams, ceilings, jobs |
//! | `resources` | teams and GPUs |
//! | `deadline` | when a run has to be over, and shares of the time until then |
//! | `batch` | inputs that are visited in turn |
//! | `cases` | inputs with their right answers, each made once |
//! | `input`, `checking` | one input: candidates checked, then sampled |
//! | `ordered` | the same, visit by visit as another process orders |
//! | `rounds` | the order of sampling; knows nothing of what is sampled |
//! | `stopping` | when a visit is long enough, and when a candidate has enough |
//! | `series` | the samples of a candidate |
//! | `sampler` | one sample of one candidate |
//! | `teams`, `probe`, `ceilings` | what surrounds a sample |
//! | `gpu` | the same on GPUs |
//! | `on_device` | what a device can do at most, and what a run on it told |
//! | `recorder`, `rows`, `stages`, `notes` | samples as records |

mod assignment;
mod batch;
pub(crate) mod cases;
mod ceilings;
mod checking;
mod deadline;
mod error;
mod folder;
mod gpu;
mod input;
mod notes;
mod on_device;
mod ordered;
mod probe;
mod recorder;
mod resources;
mod rounds;
mod rows;
mod sampler;
mod series;
mod session;
mod stages;
mod stopping;
mod teams;

pub use assignment::{Assignment, Job, KernelTimes, Outcome, Start};
pub use ceilings::measure_bandwidth;
pub use checking::{CheckError, check_candidate};
pub(crate) use deadline::{Deadline, share};
pub use error::MeasureError;
pub(crate) use folder::{claimed, default_folder, new_folder};
pub(crate) use gpu::ceilings as gpu_ceilings;
pub(crate) use input::InputState;
pub(crate) use ordered::{VisitOrder, is_false};
pub(crate) use resources::Resources;
pub(crate) use rounds::shuffle;
pub use rounds::{At, Observer, Sampler, VisitedCandidate, visit};
pub(crate) use rows::{FAILED, WRONG};
pub use sampler::{CandidateSampler, Sample};
pub use series::{Series, Taken, VisitSoFar};
pub use session::Session;
pub(crate) use session::{describe, series_of};
pub(crate) use stages::TOTAL;
pub use stopping::{Policy, StopReason};
