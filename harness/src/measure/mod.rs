//! Measuring: right before fast, interleaved, in visits, until a rule says
//! enough.
//!
//! | module | holds |
//! |---|---|
//! | `folder` | where results go that are given no folder |
//! | `session` | a run: folder, teams, ceilings, jobs |
//! | `serve` | samples for another process, which asks for them |
//! | `workplace` | teams and GPUs |
//! | `deadline` | when a run has to be over |
//! | `batch` | inputs that are visited in turn |
//! | `cases` | inputs with their right answers, each made once |
//! | `input`, `checking` | one input: candidates checked, then sampled |
//! | `rounds` | the order of sampling; knows nothing of what is sampled |
//! | `stopping` | when a visit is long enough, and when a candidate has enough |
//! | `sampler` | one sample of one candidate |
//! | `crew`, `probe`, `cache`, `ceilings` | what surrounds a sample |
//! | `gpu` | the same on GPUs |
//! | `on_device` | what a device can do at most, and what a run on it told |
//! | `recorder`, `rows`, `series`, `notes` | samples as records |

mod batch;
mod cache;
mod cases;
mod ceilings;
mod checking;
mod crew;
mod deadline;
mod folder;
mod gpu;
mod input;
mod notes;
mod on_device;
mod probe;
mod recorder;
mod rounds;
mod rows;
mod sampler;
mod series;
mod serve;
mod session;
mod stopping;
mod workplace;

pub use ceilings::measure_bandwidth;
pub use checking::{CheckError, check_candidate};
pub(crate) use deadline::Deadline;
pub(crate) use folder::{default_folder, new_folder, now};
pub(crate) use gpu::ceilings as gpu_ceilings;
pub(crate) use rounds::shuffle;
pub use rounds::{At, Observer, Sampler, Series, Taken, Visit, Visitor, visit};
pub use sampler::{CandidateSampler, Sample};
pub(crate) use serve::serve;
pub(crate) use session::describe;
pub use session::{Assignment, Job, Outcome, Session, Start};
pub use stopping::{Policy, StopReason};
