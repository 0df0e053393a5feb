//! External programs as variants and as tasks: `docs/external-programs.md`.
//!
//! | module | holds |
//! |---|---|
//! | `command` | a command with placeholders |
//! | `process` | a run of a command: isolated, with limits |
//! | `comparison`, `table` | whether two files have the same content |
//! | `timing` | where the time of a run comes from |
//! | `variant` | a program as a variant of a task, and all of them in this process |
//! | `exchange` | files that programs get of an input |
//! | `candidate` | a program that is ready to run on an input |
//! | `task` | a task whose data, right outputs and variants are of programs |
//! | `soundness` | whether such a task can tell right from wrong |
//!
//! Nothing here reads descriptions of programs: the harness does, and hands over values.

mod candidate;
mod command;
mod comparison;
mod exchange;
mod process;
mod soundness;
mod table;
mod task;
mod timing;
mod variant;

use crate::algorithm::MetricInfo;

pub(crate) use candidate::ProgramRun;
pub use command::{CommandTemplate, TemplateError};
pub use comparison::{Comparison, TableRules, Tolerance};
pub(crate) use exchange::{Exchange, InputOfPrograms};
pub(crate) use soundness::check as check_soundness;
pub(crate) use task::wrap;
pub use task::{HardInput, HardInputSource, Items, ProgramTask};
pub use timing::{TimeSource, TimeUnit};
pub use variant::{ExternalVariant, NAME_PREFIX};
pub(crate) use variant::{attach, variants_of};

/// Start-up of external programs, which is taken off their times.
pub const STARTUP: MetricInfo = MetricInfo::time_each(
    "startup_s",
    "s",
    "start-up",
    "median time of an external program on the smallest input, which is not in its times",
);
