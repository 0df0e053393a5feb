//! Measurement: outputs are checked before timing; samples are interleaved and taken in blocks
//! until a stopping rule is met. A block is a few samples of a candidate in the same buffers.
//!
//! | module | holds |
//! |---|---|
//! | `run_spec` | specification of a run, default result folders, its result, and errors |
//! | `session` | execution of a run: folder, teams, jobs |
//! | `streams_run` | a run of streams: folder, rows, notes and end |
//! | `resources` | teams and GPUs |
//! | `deadline` | deadline of a run, and shares of the remaining time |
//! | `input_groups` | inputs, each generated once, in groups whose samples are interleaved |
//! | `input`, `checking` | one input: candidates checked, then sampled |
//! | `ordered` | one input, block by block on request of another process |
//! | `rounds` | order of sampling, independent of what is sampled |
//! | `stopping` | samples of a candidate, and stopping rules |
//! | `sampler` | one sample of one candidate |
//! | `run_energy` | energy of a run, apart from samples |
//! | `teams`, `probe` | preparation and monitoring of samples |
//! | `bandwidths`, `ceilings` | bandwidths that times are compared with |
//! | `gpu` | preparation and monitoring of samples on GPUs |
//! | `device_use` | bandwidth limits of a device, and resource use of a run on it |
//! | `recorder`, `rows`, `stages`, `notes` | conversion of samples to records |

mod bandwidths;
mod ceilings;
mod checking;
mod deadline;
mod device_use;
mod gpu;
mod input;
pub(crate) mod input_groups;
mod notes;
mod ordered;
mod probe;
mod recorder;
mod resources;
mod rounds;
mod rows;
mod run_energy;
mod run_spec;
mod sampler;
mod session;
mod stages;
mod stopping;
mod streams_run;
mod teams;

pub(crate) use bandwidths::CEILINGS;
pub use ceilings::measure_bandwidth;
pub use checking::CheckError;
pub(crate) use checking::{check_candidate, use_checked};
pub(crate) use deadline::{Deadline, share};
pub(crate) use gpu::ceilings as gpu_ceilings;
pub(crate) use input::InputState;
pub(crate) use ordered::{BlockRequest, is_false};
pub(crate) use resources::Resources;
pub use rounds::Sampler;
pub(crate) use rounds::shuffle;
pub use run_spec::{Job, KernelTimes, MeasureError, RunResult, RunSpec, Start};
pub(crate) use run_spec::{default_folder, new_folder, run_folder};
pub use sampler::{CandidateSampler, Sample};
pub use session::Session;
pub(crate) use session::{describe, series_of};
pub(crate) use stages::TOTAL;
pub(crate) use streams_run::StreamsRun;
