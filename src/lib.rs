//! A performance lab for online reconstruction in particle physics: variants of algorithms on CPUs
//! and GPUs, proved right before they are timed.
//!
//! The binary `bench` is this library with the tasks of some experiments ([`TASKS`]). A program with
//! tasks of its own has a `main` like this, and all commands of `bench`:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     recobench::run(recobench::TASKS)
//! }
//! ```
//!
//! `docs/own-task.md` shows how a task is made.
//!
//! | module | holds |
//! |---|---|
//! | [`tasks`] | what a task, a variant, an axis and a check is: the traits to implement |
//! | [`gpu`] | the GPU layer: CUDA, HIP, wgpu, and the emulator |
//! | [`data`] | what generators of data share: random numbers, files, errors |
//! | [`parallel`] | loops over the threads of a team |
//! | `sts`, `tpc`, `lhcb`, `memory` | the tasks that come with the lab, each with a feature of its name |

#[cfg(all(feature = "sts", feature = "tpc", feature = "lhcb", feature = "memory"))]
mod mixed_suites;

use std::process::ExitCode;

use harness::platform::LabAllocator;
use tasks::registry::TaskSet;

#[cfg(feature = "lhcb")]
pub use algorithms_lhcb as lhcb;
#[cfg(feature = "memory")]
pub use algorithms_memory as memory;
#[cfg(feature = "sts")]
pub use algorithms_sts as sts;
#[cfg(feature = "tpc")]
pub use algorithms_tpc as tpc;
pub use generators_common as data;
pub use parallel;
pub use portable_gpu as gpu;
pub use tasks;

/// Allocator that puts large blocks on huge pages and counts the allocations of variants.
#[global_allocator]
static ALLOCATOR: LabAllocator = LabAllocator;

/// The tasks that come with the lab: those of the features that it is built with.
pub const TASKS: &[TaskSet] = &[
    #[cfg(all(feature = "sts", feature = "tpc", feature = "lhcb", feature = "memory"))]
    mixed_suites::MIXED_SUITES,
    #[cfg(feature = "sts")]
    sts::TASKS,
    #[cfg(feature = "tpc")]
    tpc::TASKS,
    #[cfg(feature = "lhcb")]
    lhcb::TASKS,
    #[cfg(feature = "memory")]
    memory::TASKS,
];

/// Runs the command line of this process in a program with these tasks.
pub fn run(sets: &[TaskSet]) -> ExitCode {
    harness::run(sets, std::env::args_os())
}
