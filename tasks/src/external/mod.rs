//! External programs as variants of tasks: `docs/external-programs.md`. Tasks that are made of programs
//! are in `program_task`.
//!
//! | module | holds |
//! |---|---|
//! | `command` | a command with placeholders |
//! | `process` | a run of a command: isolated, with limits |
//! | `comparison`, `table` | comparison of two files |
//! | `timing` | the source of the time of a run |
//! | `variant` | a program as a variant of a task, and all of them in this process |
//! | `exchange` | files that programs get of an input |
//! | `candidate` | a program that is ready to run on an input |
//!
//! Nothing here reads descriptions of programs: the harness does, and hands over values.

mod candidate;
mod command;
mod comparison;
mod exchange;
mod process;
mod table;
mod timing;
mod variant;

use crate::algorithm::MetricInfo;

pub(crate) use candidate::ProgramRun;
pub use command::{CommandTemplate, TemplateError};
pub(crate) use comparison::try_on;
pub use comparison::{Comparison, TableRules, Tolerance};
pub(crate) use exchange::{Exchange, InputOfPrograms, new_folder};
pub(crate) use process::{Launch, run};
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
