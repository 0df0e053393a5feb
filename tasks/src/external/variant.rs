//! A program as a variant of a task.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::command::CommandTemplate;
use super::comparison::Comparison;
use super::timing::TimeSource;
use crate::algorithm::{Content, Promise, Semantics};
use crate::plugin::PluginInfo;

/// Prefix of the names of all external variants, so that every table and chart shows what they are.
pub const NAME_PREFIX: &str = "external-";

/// A program as a variant of a task.
#[derive(Clone, Debug)]
pub struct ExternalVariant {
    /// The task.
    pub task: &'static str,
    /// Its name, with [`NAME_PREFIX`].
    pub name: &'static str,
    /// The program in one line.
    pub summary: &'static str,
    /// The command, with `{input}` and `{output}`.
    pub command: CommandTemplate,
    /// Ending of the input's file name, by which its format is chosen.
    pub input_ending: String,
    /// Ending of the output's file name, by which the format of the right output is chosen.
    pub output_ending: String,
    /// Comparison of its output.
    pub comparison: Comparison,
    /// The source of its time.
    pub time: TimeSource,
    /// Time after which it is killed.
    pub timeout: Duration,
    /// Semantics of its output.
    pub semantics: Semantics,
    /// The file that describes it.
    pub plugin: &'static PluginInfo,
}

static PROGRAMS: Mutex<Vec<&'static ExternalVariant>> = Mutex::new(Vec::new());

fn programs() -> MutexGuard<'static, Vec<&'static ExternalVariant>> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds variants to those of their tasks, for as long as the process lives.
pub(crate) fn attach(variants: impl IntoIterator<Item = ExternalVariant>) {
    programs().extend(variants.into_iter().map(|variant| &*Box::leak(Box::new(variant))));
}

/// External variants of a task.
pub(crate) fn variants_of(task: &str) -> Vec<&'static ExternalVariant> {
    programs().iter().copied().filter(|variant| variant.task == task).collect()
}

impl ExternalVariant {
    /// Promise about its output.
    pub(crate) fn promise(&self) -> Promise {
        let stable = !self.comparison.is_in_any_order();
        Promise { stable, content: Content::Whole, semantics: self.semantics }
    }
}
